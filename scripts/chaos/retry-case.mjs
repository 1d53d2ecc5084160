// What was wrong is mended, and the dead letters of a run are tried again until all is done, however often that is killed.
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outcomeOf } from "./outcome.mjs";
import { ENDS, endedResult, MOST_DRIVES, MOST_KILLS } from "./run-case.mjs";
import { segno } from "./segno.mjs";
import { sharedOf } from "./shared.mjs";

/** A case of its own that begins where another one ended. */
export function copyCase(place, from, to) {
  cpSync(join(place, `home-${from}`), join(place, `home-${to}`), { recursive: true });
  if (existsSync(join(place, `log-${from}`))) cpSync(join(place, `log-${from}`), join(place, `log-${to}`));
}

/** As `runCase`; `refused` when the run's letters cannot be tried again. */
export async function retryCase(place, name, runId, how = {}) {
  const { disturb = () => ({}), mayFail = false, isEnough = () => false, uses = {}, mostKills = MOST_KILLS } = how;
  const at = { cwd: place, home: join(place, `home-${name}`), log: join(place, `log-${name}`) };
  writeFileSync(`${at.log}.up`, "");
  await closeBreakers(at, uses);
  const drivesBefore = await drivesOf(runId, at);
  const done = async (kills, told) => ({
    kills,
    outcome: outcomeOf({ ...at, runId, ...told, shared: await sharedOf(at, runId, uses) }),
  });
  const retry = ["dlq", "retry", "--run", runId];
  let args = retry;
  let kills = 0;
  let reached = "";
  let stuck = 0;
  for (let drive = 1; drive <= MOST_DRIVES; drive += 1) {
    const disturbing = kills >= mostKills || isEnough() ? {} : disturb(drive, stuck);
    const { code, signal, hung, result, stderr } = await segno(args, { ...at, ...disturbing });
    if (hung) return { kills, problem: `${args.join(" ")} did not end` };
    if (signal === "SIGKILL") {
      kills += 1;
      args = retry;
      const marks = JSON.stringify(outcomeOf({ ...at, runId, result: NOTHING }).marks);
      stuck = marks === reached ? stuck + 1 : 0;
      reached = marks;
      const ended = mayFail ? await endedResult(runId, at) : undefined;
      if (ended && countDrives(ended.told) > drivesBefore) return done(kills, ended);
    } else if (result?.status === "paused") args = ["gate", "answer", runId, "yes", "--gate", result.gate.key];
    else if (ENDS.has(result?.status)) return done(kills, { result });
    else if (code === 0 && args === retry && result?.letters?.length === 0) args = ["resume", runId];
    else if (code === 2 && args[0] === "gate") args = retry;
    else if (code === 2 && args[0] === "resume") {
      const ended = await endedResult(runId, at);
      return ended ? done(kills, { result: ended.result }) : { kills, problem: `resume refused: ${result?.error}` };
    } else if (code === 2 && drive === 1) return { kills, refused: true };
    else return { kills, problem: `${args.join(" ")} ended with ${code ?? signal}: ${result?.error ?? stderr}` };
  }
  return { kills, problem: `it was not done after ${MOST_DRIVES} drives` };
}

const NOTHING = { errors: [], warnings: [] };

async function closeBreakers(at, { hasBreakers }) {
  if (!hasBreakers) return;
  const { result } = await segno(["breakers"], at);
  for (const { name } of result.breakers) await segno(["breakers", "reset", name], at);
}

const countDrives = (events) => events.filter(({ type }) => type === "run_resumed").length;

async function drivesOf(runId, at) {
  const { result } = await segno(["events", runId], at);
  return countDrives(result.events);
}
