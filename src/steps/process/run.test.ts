// Real processes, and the ways in which they misbehave.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownSleep, realClock, runningWith, testAttempt, testFolder } from "../../../test/support/engine/attempt.ts";
import { until } from "../../../test/support/until.ts";
import type { Clock } from "../caller.ts";
import type { ProcessRequest, ProcessResult } from "../world.ts";
import { MOST_IN_MEMORY } from "./output.ts";
import { runProcess } from "./run.ts";

const folder = testFolder();
const env = { PATH: process.env.PATH ?? "" };

type Ran = Extract<ProcessResult, { started: true }>;

const request = (script: string, more: Partial<ProcessRequest> = {}): ProcessRequest => ({
  command: "sh",
  args: ["-c", script],
  cwd: folder(),
  env,
  ...more,
});

async function run(
  script: string,
  more: Partial<ProcessRequest> = {},
  attempt = testAttempt({ dir: folder() }),
): Promise<Ran> {
  const result = await runProcess(request(script, more), attempt);
  if (!result.started) throw new Error(result.message);
  return result;
}

describe("a process", () => {
  it("gives its streams and exit code", async () => {
    const ran = await run("echo out; echo err >&2; exit 3");
    expect(ran).toMatchObject({ exitCode: 3, signal: null, errorFile: { text: "" } });
    expect([ran.stdout.text, ran.stderr.text]).toEqual(["out\n", "err\n"]);
  });

  it("is not begun by who stood still while all was prepared for it, and lost the run meanwhile", async () => {
    const marker = join(folder(), "begun");
    let asked = 0;
    const lost = new Error("another process has the run");
    const looks = [Promise.resolve(), Promise.reject(lost)];
    looks[1]?.catch(() => {});
    const assertLease = () => {
      asked += 1;
      return looks.shift();
    };
    const attempt = { ...testAttempt({ dir: folder() }), assertLease };
    await expect(runProcess(request(`touch ${marker}`), attempt)).rejects.toBe(lost);
    // The first look said yes, and took a while: it was asked again.
    expect(asked).toBe(2);
    expect(attempt.emitted("script_spawned")).toEqual([]);
    expect(existsSync(marker)).toBe(false);
  });

  it("says which signal ended it", async () => {
    expect(await run("kill -KILL $$")).toMatchObject({ exitCode: null, signal: "SIGKILL" });
  });

  it("gets an empty stdin, the text it was given, or the part it cares to read", async () => {
    expect((await run("cat")).stdout.text).toBe("");
    expect((await run("cat", { stdin: "" })).stdout.text).toBe("");
    expect((await run("cat", { stdin: "grüße" })).stdout.text).toBe("grüße");
    const large = "x".repeat(5_000_000);
    expect(await run("head -c 1; exec 0<&-; exit 0", { stdin: large })).toMatchObject({ exitCode: 0 });
    expect((await run("wc -c", { stdin: large })).stdout.text.trim()).toBe("5000000");
  });

  it("has a group of its own and knows its error file, whatever its environment says", async () => {
    const ran = await run("ps -o pgid= -p $$; echo $$; echo $SEGNO_ERROR_OUT; echo $CONDUCTOR_ERROR_OUT", {
      env: { ...env, SEGNO_ERROR_OUT: "/dev/null", CONDUCTOR_ERROR_OUT: "/dev/null" },
    });
    const [group, pid, file, same] = ran.stdout.text.split("\n").map((line) => line.trim());
    expect(group).toBe(pid);
    expect(file).toContain(folder());
    expect(same).toBe(file);
  });

  it("is told of while it runs, in batches and in whole characters", async () => {
    const attempt = testAttempt({ dir: folder() });
    await run("printf '\\303'; sleep 0.1; printf '\\274x'; seq 20000", {}, attempt);
    const [spawned] = attempt.emitted("script_spawned");
    expect(spawned).toMatchObject({ agent_name: "probe", key: "probe#1", pid: expect.any(Number) });
    const told = attempt.emitted("script_output");
    expect(told[0]?.text).toMatch(/^üx/);
    expect(told.map((event) => event.text).join("")).toMatch(/\n20000\n$/);
    expect(told.length).toBeLessThan(60);
  });

  it("that closes its stdout early is waited for", async () => {
    const ran = await run("echo first; exec >&- 2>&-; sleep 0.2; exit 4");
    expect(ran).toMatchObject({ exitCode: 4, stdout: { text: "first\n" } });
  });

  it("may open its streams by name", async () => {
    const ran = await run("echo a >&2; echo b > /dev/stderr; echo c | tee /dev/stderr; echo d > /dev/stdout; echo e");
    expect([ran.stdout.text, ran.stderr.text]).toEqual(["c\nd\ne\n", "a\nb\nc\n"]);
  });

  it("shares no pipe with one that still runs", async () => {
    const ran = await Promise.all(
      Array.from({ length: 40 }, (_, n) => run(`echo ${n}; sleep 0.0${n % 10}; echo ${n} >&2`)),
    );
    expect(ran.map((one) => [one.stdout.text, one.stderr.text])).toEqual(ran.map((_, n) => [`${n}\n`, `${n}\n`]));
  });

  it("is read to its end when it writes a lot and exits at once", async () => {
    const ran = await run("seq 300000");
    expect(ran.stdout.text.endsWith("\n300000\n")).toBe(true);
  });
});

describe("a process that prints 200 MB", () => {
  it("costs the engine little memory, keeps 10 MiB, and leaves all of it in a private file", async () => {
    const attempt = testAttempt({ dir: folder(), key: "build[3].test#2" });
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const ran = await run("head -c 200000000 /dev/zero | tr '\\0' 'a'; echo done >&2", {}, attempt);
    clearInterval(watch);
    expect(ran.stdout).toMatchObject({ bytes: 200_000_000, truncated: true });
    expect(ran.stdout.text.length).toBe(MOST_IN_MEMORY);
    expect(ran.stderr).toMatchObject({ text: "done\n", truncated: false });
    expect(peak - before).toBeLessThan(120 * 1024 * 1024);
    const spill = statSync(ran.stdout.spill ?? "");
    expect(spill.size).toBe(200_000_000);
    expect(spill.mode & 0o777).toBe(0o600);
    const toldCharacters = attempt.emitted("script_output").reduce((sum, event) => sum + event.text.length, 0);
    expect(toldCharacters).toBeLessThanOrEqual(MOST_IN_MEMORY + 5);
  });

  it("goes on when the spill cannot be written", async () => {
    writeFileSync(join(folder(), "spill"), "in the way");
    const ran = await run("head -c 11000000 /dev/zero; exit 2");
    expect(ran).toMatchObject({ exitCode: 2, stdout: { truncated: true, bytes: 11_000_000 } });
    expect(ran.stdout.spill).toBeUndefined();
  });
});

/** In a script: waits until the shell that runs it has exited, and Segno knows it. */
const AFTER_EXIT = "while kill -0 $$ 2>/dev/null; do sleep 0.01; done";

/** An attempt for which any time has passed at once. */
function impatient(runtime: Readonly<Record<string, unknown>> = {}) {
  const waited: number[] = [];
  const clock: Clock = {
    ...realClock,
    after(ms, run) {
      waited.push(ms);
      const turn = setImmediate(run);
      return () => clearImmediate(turn);
    },
  };
  const attempt = testAttempt({ dir: folder(), clock });
  return { waited, attempt: { ...attempt, workflow: { ...attempt.workflow, runtime } } };
}

const end = (pid: number | undefined): void => void process.kill(pid ?? Number.NaN, "SIGKILL");

describe("a background child", () => {
  it("is read until it closes the output, and so are filters of the output", async () => {
    const ran = await run(`(${AFTER_EXIT}; echo late; echo later >&2) & echo early`);
    expect([ran.stdout.text, ran.stderr.text]).toEqual(["early\nlate\n", "later\n"]);
    expect(ran.holders).toBeUndefined();
    const filtered = await run('exec > >(while read line; do echo "[$line]"; done); echo one; echo two', {
      command: "bash",
    });
    expect(filtered.stdout.text).toBe("[one]\n[two]\n");
  });

  it("raises as the script itself does, as long as it has the output open", async () => {
    const ran = await run(`(${AFTER_EXIT}; echo '{"kind":"a.b","message":"late"}' > "$CONDUCTOR_ERROR_OUT") & exit 0`);
    expect(ran.errorFile).toEqual({ text: '{"kind":"a.b","message":"late"}\n' });
  });

  it.each([
    ["ten seconds", {}, 10_000],
    ["as long as the file says", { script_grace_seconds: 300 }, 300_000],
    ["only for what is there when the file says so", { script_grace_seconds: 0 }, 100],
  ])("that prints nothing is waited for %s, and then named", async (_, runtime, ms) => {
    const word = ownSleep();
    const { attempt, waited } = impatient(runtime);
    const ran = await run(`sleep ${word} & echo started`, {}, attempt);
    const [pid] = runningWith(word);
    expect(ran).toMatchObject({ exitCode: 0, stdout: { text: "started\n" }, holders: [{ pid, name: "sleep" }] });
    expect(waited[0]).toBe(ms);
    end(pid);
  });

  it("that gave up its output is not waited for, and lives on", async () => {
    const word = ownSleep();
    const ran = await run(`sleep ${word} > /dev/null 2>&1 & echo started`);
    expect(ran.holders).toBeUndefined();
    end(runningWith(word)[0]);
  });

  it("may go on writing to the pipe when nobody reads it any more", async () => {
    const { attempt } = impatient();
    await run(`(until [ -e go ]; do sleep 0.01; done; echo one; sleep 0.05; echo two && touch alive) &`, {}, attempt);
    writeFileSync(join(folder(), "go"), "");
    await until(() => existsSync(join(folder(), "alive")));
  });

  it("that writes all the time is read until the attempt is aborted, which does not change how the script ended", async () => {
    const abort = new AbortController();
    const attempt = testAttempt({ dir: folder(), signal: abort.signal });
    const running = run("(while true; do echo noise; sleep 0.01; done) & echo $! > pid; exit 3", {}, attempt);
    const pid = await until(() => attempt.emitted("script_spawned")[0]?.pid);
    await until(() => !existsSync(`/proc/${pid}`));
    abort.abort();
    const ran = await running;
    expect(ran).toMatchObject({ exitCode: 3, stdout: { text: expect.stringContaining("noise\n") } });
    expect(ran.interrupted).toBeUndefined();
    const noisy = Number(readFileSync(join(folder(), "pid"), "utf8"));
    expect(ran.holders?.map((holder) => holder.pid)).toContain(noisy);
    end(noisy);
  });
});

describe("the error file", () => {
  it("is empty, private, and carries what was written", async () => {
    const ran = await run('stat -c "%a %s" "$CONDUCTOR_ERROR_OUT"; printf "{}" > "$CONDUCTOR_ERROR_OUT"');
    expect(ran.stdout.text).toBe("600 0\n");
    expect(ran.errorFile).toEqual({ text: "{}" });
  });

  it.each([
    ["deleted", 'rm "$CONDUCTOR_ERROR_OUT"', { text: "" }],
    ["replaced by another", 'echo {} > t; mv t "$CONDUCTOR_ERROR_OUT"', { text: "{}\n" }],
    [
      "made a directory",
      'rm "$CONDUCTOR_ERROR_OUT"; mkdir "$CONDUCTOR_ERROR_OUT"; touch "$CONDUCTOR_ERROR_OUT/x"',
      { unreadable: "it is a directory" },
    ],
    ["made a link", 'ln -sf /etc/hostname "$CONDUCTOR_ERROR_OUT"', { unreadable: "it is a symbolic link" }],
    [
      "made a named pipe",
      'rm "$CONDUCTOR_ERROR_OUT"; mkfifo "$CONDUCTOR_ERROR_OUT"',
      { unreadable: "it is not a plain file" },
    ],
    [
      "not UTF-8",
      `printf '{"kind":"a.b","message":"\\377"}' > "$CONDUCTOR_ERROR_OUT"`,
      { unreadable: "it is not UTF-8" },
    ],
    ["over 1 MiB", 'head -c 1048577 /dev/zero > "$CONDUCTOR_ERROR_OUT"', { unreadable: "it is larger than 1 MiB" }],
  ])("that was %s is read for what it is, and gone afterwards", async (_, script, content) => {
    expect((await run(script)).errorFile).toEqual(content);
  });

  it.runIf(process.getuid?.() !== 0)("that was made unreadable is said to be", async () => {
    expect((await run('echo {} > "$CONDUCTOR_ERROR_OUT"; chmod 000 "$CONDUCTOR_ERROR_OUT"')).errorFile).toEqual({
      unreadable: "it cannot be opened (EACCES)",
    });
  });

  it("is gone when the whole folder was taken away, and the next one has a new folder", async () => {
    await run('rm -rf "$(dirname "$CONDUCTOR_ERROR_OUT")"');
    expect(await run("true")).toMatchObject({ exitCode: 0 });
  });
});

describe("a command that cannot be started", () => {
  it.each([
    ["is missing", { command: "no-such-command-anywhere" }, "ENOENT"],
    ["is missing, by path", { command: "./nothing" }, "ENOENT"],
    ["is a folder", { command: "/" }, "EACCES"],
    ["has no working directory", { cwd: "/no/such/folder" }, "ENOENT"],
  ])("because it %s says so", async (_, more, code) => {
    const result = await runProcess(request("true", more), testAttempt({ dir: folder() }));
    expect(result).toMatchObject({ started: false, code });
  });

  it("because it is not executable says so", async () => {
    writeFileSync(join(folder(), "plain"), "#!/bin/sh\n");
    const result = await runProcess(request("", { command: "./plain", args: [] }), testAttempt({ dir: folder() }));
    expect(result).toMatchObject({ started: false, code: "EACCES" });
    chmodSync(join(folder(), "plain"), 0o755);
    expect(
      await runProcess(request("", { command: "./plain", args: [] }), testAttempt({ dir: folder() })),
    ).toMatchObject({ exitCode: 0 });
  });

  it("because its arguments are too long says so", async () => {
    const result = await runProcess(request("true", { args: ["x".repeat(3_000_000)] }), testAttempt({ dir: folder() }));
    expect(result).toMatchObject({ started: false, code: "E2BIG" });
  });

  it("because the attempt is over already is not started", async () => {
    const attempt = testAttempt({ dir: folder(), signal: AbortSignal.abort() });
    expect(await runProcess(request("touch ran"), attempt)).toMatchObject({ started: false, code: "ABORT_ERR" });
    expect(existsSync(join(folder(), "ran"))).toBe(false);
  });
});
