// What an abort leaves behind: nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownSleep, runningWith, testAttempt, testFolder } from "../../../test/support/engine/attempt.ts";
import { until } from "../../../test/support/until.ts";
import { endMarked, endProcessGroup, endTree } from "./end-tree.ts";
import { identityOf } from "./posix.ts";
import { runProcess } from "./run.ts";

const folder = testFolder();
const env = { PATH: process.env.PATH ?? "" };

/** Runs a script, aborts when all its sleepers are there, and tells how long the end took. */
async function abortOnce(script: string, word: string, sleepers: number) {
  const abort = new AbortController();
  const attempt = testAttempt({ dir: folder(), signal: abort.signal });
  const running = runProcess({ command: "sh", args: ["-c", script], cwd: folder(), env }, attempt);
  await until(() => runningWith(word).length >= sleepers);
  const began = performance.now();
  abort.abort();
  const result = await running;
  return { result, took: performance.now() - began };
}

describe("an abort", () => {
  it.each([
    ["the process itself", (word: string) => `exec sleep ${word}`, 1],
    ["its children and grandchildren", (word: string) => `sleep ${word} & sh -c "sleep ${word}; true" & wait`, 2],
    [
      "children that left its group",
      (word: string) => `setsid sleep ${word} & setsid sh -c "sleep ${word}; true" & wait`,
      2,
    ],
    [
      "orphans of a double fork",
      (word: string) => `(setsid sh -c "sleep ${word} & sleep ${word} & exit" &) ; sleep ${word}`,
      3,
    ],
    [
      "a stopped process",
      (word: string) =>
        `sleep ${word} & until grep -q sleep /proc/$!/comm; do :; done; kill -STOP $!; exec sleep ${word}`,
      2,
    ],
  ])("ends %s", async (_, script, sleepers) => {
    const word = ownSleep();
    const { result, took } = await abortOnce(script(word), word, sleepers);
    expect(runningWith(word)).toEqual([]);
    expect(result).toMatchObject({ started: true });
    // None of them had to be killed, which is done after five seconds.
    expect(took).toBeLessThan(5000);
  });

  it("lets a process clean up, and keeps what it said", async () => {
    const word = ownSleep();
    const { result } = await abortOnce(`echo early; trap 'echo bye; exit 9' TERM; sleep ${word} & wait`, word, 1);
    expect(result).toMatchObject({ exitCode: 9, stdout: { text: "early\nbye\n" } });
  });

  it("lets what it starts to clean up come to its end", async () => {
    const word = ownSleep();
    const { result } = await abortOnce(`trap 'sleep 0.3 && echo clean; exit 9' TERM; sleep ${word} & wait`, word, 1);
    expect(result).toMatchObject({ exitCode: 9, stdout: { text: "clean\n" } });
  });

  it("ends what is started in the moment in which it ends itself, 20 times", async () => {
    for (let time = 0; time < 20; time++) {
      const word = ownSleep();
      // It waits without a child: where it has one, it is that one's end that it sees first.
      const child = spawn("bash", ["-c", `trap 'sleep ${word} & exit' TERM; echo; while :; do :; done`], {
        detached: true,
        stdio: ["ignore", "pipe", "ignore"],
      });
      await once(child.stdout, "data");
      const pid = child.pid ?? 0;
      await endTree({ pid, identity: identityOf(pid) });
      expect(runningWith(word)).toEqual([]);
    }
  });

  it("kills what ignores TERM, after five seconds", async () => {
    const word = ownSleep();
    const script = `trap '' TERM; sleep ${word} & (setsid sh -c "trap '' TERM; sleep ${word}; true" &); wait`;
    const { result, took } = await abortOnce(script, word, 2);
    expect(runningWith(word)).toEqual([]);
    expect(result).toMatchObject({ signal: "SIGKILL" });
    expect(took).toBeGreaterThan(4500);
  });
});

describe("a process group that outlived its engine", () => {
  const orphan = async (script: string, word: string) => {
    const child = spawn("sh", ["-c", script], { detached: true, stdio: "ignore" });
    const pid = child.pid ?? 0;
    const startedAt = identityOf(pid);
    await until(() => runningWith(word).length > 0);
    return { child, pid, startedAt };
  };

  it("is ended by its pid and start", async () => {
    const word = ownSleep();
    const { pid, startedAt } = await orphan(`sleep ${word} & wait`, word);
    expect(await endProcessGroup(pid, startedAt)).toBe(true);
    expect(runningWith(word)).toEqual([]);
    expect(await endProcessGroup(pid, startedAt)).toBe(false);
  });

  it("takes its error file along", async () => {
    const word = ownSleep();
    const errors = mkdtempSync(join(folder(), "segno-errors-"));
    const file = join(errors, "error-1.json");
    writeFileSync(file, "");
    const { pid, startedAt } = await orphan(
      `export CONDUCTOR_ERROR_OUT=${file}; exec sh -c "sleep ${word}; true"`,
      word,
    );
    expect(await endProcessGroup(pid, startedAt)).toBe(true);
    expect(existsSync(errors)).toBe(false);
  });

  it("is ended when only its children are left", async () => {
    const word = ownSleep();
    const { pid, startedAt, child } = await orphan(`sleep ${word} & sleep 0.1`, word);
    if (child.exitCode === null) await once(child, "exit");
    expect(await endProcessGroup(pid, startedAt)).toBe(true);
    expect(runningWith(word)).toEqual([]);
  });

  it("is ended by its mark, with what began before the one that leads a group", async () => {
    const word = ownSleep();
    const script = `sleep 0.1; setsid sleep ${word} & sleep ${word}`;
    spawn("sh", ["-c", script], { env: { ...env, OWN_MARK: word }, stdio: "ignore" });
    await until(() => runningWith(word).length >= 2);
    await endMarked(`OWN_MARK=${word}`);
    expect(runningWith(word)).toEqual([]);
  });

  it("is left alone when the pid is another process by now, or from another boot", async () => {
    const word = ownSleep();
    const { pid, startedAt } = await orphan(`exec sleep ${word}`, word);
    const [boot, ticks] = startedAt.split("/");
    expect(await endProcessGroup(pid, `${boot}/${Number(ticks) - 100}`)).toBe(false);
    expect(await endProcessGroup(pid, `another-boot/${ticks}`)).toBe(false);
    expect(runningWith(word)).toEqual([pid]);
    await endTree({ pid, identity: startedAt });
    expect(runningWith(word)).toEqual([]);
  });
});
