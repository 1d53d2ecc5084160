// Several processes want to drive one run at once: exactly one does, the others are told who has it.
import { join } from "node:path";
import { linesOf, runsIn } from "../outcome.mjs";
import { newPlace } from "../places.mjs";
import { segno } from "../segno.mjs";

const step = (name, seconds, to) => ({
  name,
  type: "script",
  command: "sh",
  args: ["step.sh", seconds, "never", "app.chaos"],
  routes: [{ to }],
});

const FILE = JSON.stringify({
  workflow: { name: "race", entry_point: "a" },
  agents: [step("a", "0", "b"), step("b", "4", "c"), step("c", "0", "$end")],
});

export async function race(base) {
  const place = newPlace(base, "race", { "main.yaml": FILE });
  const at = { cwd: place, home: join(place, "home"), log: join(place, "log") };
  // Cut off after `a`, so that everybody finds a run to go on with.
  await segno(["run", "main.yaml"], { ...at, fault: "kill-after:agent_completed" });
  const [runId] = runsIn(at.home);
  const all = await Promise.all([1, 2, 3, 4].map(() => segno(["resume", runId], at)));
  const drove = all.filter(({ result }) => result?.status === "completed");
  const refused = all.filter(
    ({ code, result }) => code === 2 && /driven by another process: pid \d+ on /.test(result?.error),
  );
  // One that came when all was over is told so.
  const late = all.filter(({ code, result }) => code === 2 && /nothing to resume/.test(result?.error));
  const marks = linesOf(at.log).filter((line) => !line.startsWith("a#1"));
  const wrong = [];
  if (drove.length !== 1 || drove.length + refused.length + late.length !== all.length)
    wrong.push(
      `of four that raced, ${drove.length} drove: ${all.map(({ result }) => result?.error ?? result?.status)}`,
    );
  if (new Set(marks).size !== marks.length) wrong.push(`something ran twice: ${marks}`);
  return { wrong };
}
