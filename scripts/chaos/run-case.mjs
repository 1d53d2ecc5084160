// Drives one run of a seed to its end, however often it is killed on the way.
import { join } from "node:path";
import { linesOf, outcomeOf, runsIn } from "./outcome.mjs";
import { segno } from "./segno.mjs";
import { sharedOf } from "./shared.mjs";

export const ENDS = new Set(["completed", "degraded", "terminated", "failed"]);
/** After so many kills a run is left in peace; what never ends even then is wrong. */
export const MOST_KILLS = 80;
export const MOST_DRIVES = MOST_KILLS + 60;

/**
 * `disturb(n, stuck)` says what is done to the n-th process (`{ fault }`, `{ killAfterMs }` or nothing) when the last
 * `stuck` ones got nowhere; `between` may damage files after a kill; `isEnough` says when to let it end. Gives the
 * outcome, how often it was killed, and what was odd on the way.
 */
export async function runCase(place, name, how = {}) {
  const {
    disturb = () => ({}),
    between,
    mayFail = false,
    isEnough = () => false,
    uses = {},
    mostKills = MOST_KILLS,
  } = how;
  const home = join(place, `home-${name}`);
  const at = { cwd: place, home, log: join(place, `log-${name}`), keyframes: keyframesOf(name) };
  const outcome = async (runId, told) => outcomeOf({ ...at, runId, ...told, shared: await sharedOf(at, runId, uses) });
  let kills = 0;
  let args = ["run", "main.yaml"];
  let reached = 0;
  let stuck = 0;
  for (let drive = 1; drive <= MOST_DRIVES; drive += 1) {
    const { code, signal, hung, result, stderr } = await segno(args, {
      ...at,
      ...(kills >= mostKills || isEnough() ? {} : disturb(drive, stuck)),
    });
    if (hung) return { kills, problem: `${args.join(" ")} did not end` };
    const marks = new Set(linesOf(at.log)).size;
    stuck = marks > reached ? 0 : stuck + 1;
    reached = marks;
    const [runId] = runsIn(home);
    if (signal === "SIGKILL") {
      kills += 1;
      if (runId && between) between(join(home, "runs", runId));
      // A failed run would be tried anew by a resume, so it is asked first whether it had ended.
      const ended = mayFail && runId ? await endedResult(runId, at) : undefined;
      if (ended) return { kills, outcome: await outcome(runId, ended), runId };
      args = runId ? ["resume", runId] : ["run", "main.yaml"];
    } else if (result?.status === "paused") args = ["gate", "answer", runId, "yes", "--gate", result.gate.key];
    else if (ENDS.has(result?.status)) return { kills, outcome: await outcome(runId, { result }), runId };
    else if (code === 2 && args[0] === "gate") args = ["resume", runId];
    else if (code === 2 && args[0] === "resume") {
      // It had ended before it was killed, or had not begun: the journal says which.
      const ended = await endedResult(runId, at);
      if (ended) return { kills, outcome: await outcome(runId, { result: ended.result }), runId };
      if (!/begin/.test(result?.error ?? "")) return { kills, problem: `resume refused: ${result?.error ?? stderr}` };
      return { kills, notBegun: true };
    } else return { kills, problem: `${args.join(" ")} ended with ${code ?? signal}: ${result?.error ?? stderr}` };
  }
  return { kills, problem: `it was not done after ${MOST_DRIVES} drives` };
}

/** What begins at keyframes is held against what never does; they are kept at every visit, or at every second or third. */
const keyframesOf = (name) => (name === "reference" ? "off" : 1 + (name.length % 3));

/** The result of a run that has ended, and its events; nothing when it has not. */
export async function endedResult(runId, at) {
  const { result } = await segno(["show", runId], at);
  const wasCutOff = result?.errors?.[0]?.error_type === "Interrupted";
  if (wasCutOff || !ENDS.has(result?.status)) return undefined;
  const told = await segno(["events", runId], at);
  return { result, told: told.result?.events };
}
