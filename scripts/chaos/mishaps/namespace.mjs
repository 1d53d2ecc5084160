// A driver in another PID namespace of the same host name, with a clock that is wrong: its pid is nobody's here, and it is
// not taken for dead because of that.
import { spawnSync } from "node:child_process";
import { runsIn } from "../outcome.mjs";
import { segno } from "../segno.mjs";
import { heldPlace } from "./held.mjs";

const UNDER = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];

export async function namespace(base) {
  if (spawnSync(UNDER[0], [...UNDER.slice(1), "true"]).status !== 0)
    return { wrong: [], skipped: "a PID namespace could not be made; that needs root" };
  const { at, isBegun, letGo } = heldPlace(base, "namespace");
  const wrong = [];
  const running = segno(["run", "main.yaml"], { ...at, under: UNDER, fault: "clock:+120@1" });
  await isBegun();
  const [runId] = runsIn(at.home);
  // Stopped as soon as it has said that it watches: it would do so for longer than the run is held.
  const watcher = await segno(["resume", runId], { ...at, killAfterMs: 4000 });
  if (watcher.signal !== "SIGKILL") wrong.push(`a resume from outside ended: ${watcher.code} ${watcher.result?.error}`);
  const cancel = await segno(["cancel", runId], at);
  if (cancel.code !== 2 || !/cannot be seen from here/.test(cancel.result?.error ?? ""))
    wrong.push(`cancel from outside: ${cancel.code} ${cancel.result?.error}`);
  letGo();
  const { result } = await running;
  if (result?.status !== "completed") wrong.push(`the run inside is ${result?.status}: ${result?.error}`);
  return { wrong };
}
