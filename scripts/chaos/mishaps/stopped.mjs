// A driver is stopped, another process takes the run over, and the first goes on: it records nothing more and says who
// has the run. Asked to cancel while it is stopped, it is said to be.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { linesOf, runsIn } from "../outcome.mjs";
import { segno } from "../segno.mjs";
import { heldPlace, isInOrder } from "./held.mjs";

export async function stopped(base) {
  const { place, at, isBegun, letGo } = heldPlace(base, "stopped");
  const wrong = [];
  let driver;
  const first = segno(["run", "main.yaml"], {
    ...at,
    began: (child) => {
      driver = child;
    },
  });
  await isBegun();
  const [runId] = runsIn(at.home);
  const refused = await whileStopped(driver, () => segno(["resume", runId], at));
  if (refused.code !== 2) wrong.push(`a resume of a run whose driver is stopped ended with ${refused.code}`);
  const taking = segno(["resume", runId, "--take-over"], at);
  letGo();
  const taken = await taking;
  if (taken.result?.status !== "completed") wrong.push(`taken over: ${taken.result?.status} ${taken.result?.error}`);
  driver.kill("SIGCONT");
  const { code, result, stderr } = await first;
  const said = `${result?.error ?? ""} ${stderr}`;
  if (code !== 1 || !/taken over by/.test(said) || /defect|itself failed/.test(said + JSON.stringify(result)))
    wrong.push(`the deposed driver ended with ${code}: ${said}`);
  const events = linesOf(join(at.home, "runs", runId, "events.jsonl")).map((line) => JSON.parse(line));
  if (!isInOrder(events)) wrong.push(`events.jsonl has ${events.map(({ seq }) => seq)}`);
  wrong.push(...(await cancelled(base)));
  return { wrong, place };
}

/** The driver stays stopped. One that was stopped inside of a write keeps its journal locked: it goes on until that is done. */
async function whileStopped(driver, act) {
  for (;;) {
    driver.kill("SIGSTOP");
    const ended = await act();
    if (!/holds it locked/.test(`${ended.result?.error} ${ended.stderr}`)) return ended;
    driver.kill("SIGCONT");
    await pause(500);
  }
}

async function cancelled(base) {
  const { at, isBegun, letGo } = heldPlace(base, "stopped-cancel");
  let driver;
  const running = segno(["run", "main.yaml"], {
    ...at,
    began: (child) => {
      driver = child;
    },
  });
  await isBegun();
  const [runId] = runsIn(at.home);
  const { code, result } = await whileStopped(driver, () => segno(["cancel", runId], at));
  driver.kill("SIGCONT");
  const ended = await running;
  letGo();
  const wrong = [];
  if (code !== 2 || !/is stopped/.test(result?.error))
    wrong.push(`cancel of a stopped driver: ${code} ${result?.error}`);
  if (ended.code !== 130) wrong.push(`a driver that was stopped when it was cancelled ended with ${ended.code}`);
  return wrong;
}
