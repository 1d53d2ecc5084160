// Many at once in one home: 20 runs (5 with --few), 4 resumes of one that was killed, 2 answers to one that waits at a gate,
// and 2 retries of one dead letter. Each thing is done by one of them, and nobody is told that Segno itself failed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf, runsIn } from "../outcome.mjs";
import { newPlace } from "../places.mjs";
import { segno } from "../segno.mjs";

const script = (text, routes) => ({ type: "script", command: "sh", args: ["-c", text], routes });
/** A step that fails once more leaves a dead letter. */
const GIVES_UP = {
  dead_letter: true,
  retry: { max_retries: 1, initial_delay: 0.01, retryable: ["internal.script_error"] },
};
const FILES = {
  "many.yaml": JSON.stringify({
    workflow: { name: "many", entry_point: "a" },
    agents: [{ name: "a", ...script('echo a >> "$CHAOS_LOG"', [{ to: "$end" }]) }],
  }),
  "gate.yaml": JSON.stringify({
    workflow: { name: "gate", entry_point: "ask" },
    agents: [
      { name: "ask", type: "human_gate", prompt: "Go on?", options: [{ label: "Yes", value: "yes", route: "b" }] },
      { name: "b", ...script('echo b >> "$CHAOS_LOG"', [{ to: "$end" }]) },
    ],
  }),
  "lost.yaml": JSON.stringify({
    workflow: { name: "lost", entry_point: "e", resilience: GIVES_UP },
    agents: [{ name: "e", ...script('echo e >> "$CHAOS_LOG"; [ -e mended ] || exit 3', [{ to: "$end" }]) }],
  }),
  "fail.yaml": JSON.stringify({
    workflow: { name: "fail", entry_point: "c", resilience: GIVES_UP },
    agents: [
      { name: "c", ...script('echo c >> "$CHAOS_LOG"; [ -e mended ] || exit 3', [{ to: "d" }]) },
      { name: "d", type: "set", value: "1", routes: [{ to: "$end" }] },
    ],
  }),
};
const RETRIES = 2;

export async function crowd(base, _seed, { few }) {
  const runs = few ? 5 : 20;
  const place = newPlace(base, "crowd", FILES);
  const at = { cwd: place, home: join(place, "home"), log: join(place, "log") };
  const gate = await segno(["run", "gate.yaml"], at);
  const [gated] = runsIn(at.home);
  const lost = await segno(["run", "lost.yaml"], at);
  const cut = await segno(["run", "fail.yaml"], { ...at, fault: "kill-after:agent_started" });
  const left = runsIn(at.home).find((runId) => runId !== gated && runId !== lost.result?.run_id);
  // What failed is mended, so that whoever retries its letter first has it done.
  writeFileSync(join(place, "mended"), "");
  const all = await Promise.all([
    ...Array.from({ length: runs }, () => segno(["run", "many.yaml"], at)),
    ...Array.from({ length: 4 }, () => segno(["resume", left], at)),
    ...Array.from({ length: 2 }, () => segno(["gate", "answer", gated, "yes"], at)),
    ...Array.from({ length: RETRIES }, () => segno(["dlq", "retry", "--run", lost.result?.run_id], at)),
  ]);
  const wrong = [];
  if (gate.result?.status !== "paused" || lost.result?.status !== "failed" || cut.signal !== "SIGKILL")
    wrong.push("it did not begin as it should");
  const defects = all.filter(
    ({ code, hung, stderr, result }) =>
      hung || code === null || /itself failed|defect/.test(stderr + JSON.stringify(result ?? "")),
  );
  for (const { stderr, result } of defects) wrong.push(`somebody met a defect: ${result?.error ?? stderr}`);
  const ran = all.slice(0, runs).filter(({ result }) => result?.status === "completed");
  if (ran.length !== runs) wrong.push(`${ran.length} of ${runs} runs completed`);
  const lines = linesOf(at.log);
  const times = (mark) => lines.filter((line) => line === mark).length;
  if (times("a") !== runs || times("b") !== 1) wrong.push(`ran: a ${times("a")} times, b ${times("b")} times`);
  const letters = await segno(["dlq", "list"], at);
  // Twice in its run, which gave up, and once for all that retry its letter.
  if (times("e") !== 3) wrong.push(`the step of the dead letter ran ${times("e")} times, not 3`);
  if (letters.result?.letters?.length !== 0) wrong.push(`letters are left: ${JSON.stringify(letters.result?.letters)}`);
  return { wrong };
}
