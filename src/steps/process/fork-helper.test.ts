// A process that the helper starts is like one that the driver starts itself, also when the helper or the driver dies.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../test/support/until.ts";
import { type TestAttempt, testAttempt, testFolder } from "../testing/attempt.ts";
import { ownSleep, runningWith } from "../testing/processes.ts";
import type { ProcessRequest } from "../world.ts";
import { startForkHelper } from "./fork-helper.ts";
import { runProcess } from "./run.ts";

const folder = testFolder();

function run(script: string, more: Partial<ProcessRequest> = {}, attempt: TestAttempt = testAttempt()) {
  const env = { PATH: process.env.PATH ?? "" };
  return runProcess({ command: "sh", args: ["-c", script], cwd: folder(), env, ...more }, attempt);
}

/** Of the process that started it. */
async function parent(): Promise<number> {
  const ran = await run("echo $PPID");
  return Number(ran.started && ran.stdout.text);
}

describe.runIf(process.platform === "linux")("a process that the helper starts", () => {
  beforeEach(() => startForkHelper());

  it("gives its streams, exit code and signal, and leads a group of its own", async () => {
    expect(await parent()).not.toBe(process.pid);
    const ran = await run("ps -o pgid= -p $$; echo $$; seq 300000 >&2; exit 3");
    if (!ran.started) throw new Error(ran.message);
    const [group, pid] = ran.stdout.text.split("\n").map((line) => line.trim());
    expect(group).toBe(pid);
    expect(ran.stderr.text.endsWith("\n300000\n")).toBe(true);
    expect(ran).toMatchObject({ exitCode: 3, signal: null });
    expect(await run("kill -KILL $$")).toMatchObject({ exitCode: null, signal: "SIGKILL" });
    expect(await run("cat")).toMatchObject({ stdout: { text: "" } });
    expect(await run("cat", { stdin: "text" })).toMatchObject({ stdout: { text: "text" } });
  });

  it("has the environment it was given and no other; none of it is on the helper's command line", async () => {
    const ran = await run("", { command: "env", args: [], env: { PATH: "/usr/bin:/bin", "a.b": "hidden é" } });
    const lines = ran.started ? ran.stdout.text.trim().split("\n").sort() : [];
    expect(lines.map((line) => line.split("=")[0])).toEqual(["CONDUCTOR_ERROR_OUT", "PATH", "SEGNO_ERROR_OUT", "a.b"]);
    expect(lines.at(-1)).toBe("a.b=hidden é");
    const helper = await parent();
    expect(readFileSync(`/proc/${helper}/environ`, "utf8")).toMatch(/^(NODE_CHANNEL_\w+=\w+\0)*$/);
    expect(readFileSync(`/proc/${helper}/cmdline`, "utf8")).not.toContain("hidden");
  });

  it("is known by the moment it began, also when it has ended at once", async () => {
    const attempt = testAttempt();
    await run("", { command: "true", args: [] }, attempt);
    expect(attempt.emitted("script_spawned")[0]?.started_at).toMatch(/^[0-9a-f-]{36}\/\d+$/);
  });

  it.each([
    [{ command: "no-such-command" }, "ENOENT"],
    [{ command: "/" }, "EACCES"],
    [{ cwd: "/no/such/folder" }, "ENOENT"],
    [{ args: ["x".repeat(3_000_000)] }, "E2BIG"],
  ])("says why it could not be started: %#", async (more, code) => {
    expect(await run("true", more)).toMatchObject({ started: false, code });
  });

  it("is ended with all that it started when the attempt is aborted", async () => {
    const [inside, outside] = [ownSleep(), ownSleep()];
    const control = new AbortController();
    const running = run(
      `sleep ${inside} & setsid sleep ${outside} & wait`,
      {},
      testAttempt({ signal: control.signal }),
    );
    await until(() => runningWith(inside).length > 0 && runningWith(outside).length > 0);
    control.abort();
    expect(await running).toMatchObject({ started: true, signal: "SIGTERM" });
    expect([...runningWith(inside), ...runningWith(outside)]).toEqual([]);
  });

  it("is ended when the helper is killed, which is said; the next one is started without it", async () => {
    const word = ownSleep();
    const helper = await parent();
    const attempt = testAttempt();
    const running = run(`sleep ${word}`, {}, attempt);
    await until(() => runningWith(word).length > 0);
    process.kill(helper, "SIGKILL");
    expect(await running).toMatchObject({ started: true, exitCode: null, signal: "SIGKILL" });
    expect(runningWith(word)).toEqual([]);
    expect(attempt.emitted("warning")[0]?.message).toContain("was ended from outside");
    expect(await parent()).toBe(process.pid);
  });

  it("is started by the driver where the helper hangs for so long that the request is old", async () => {
    const helper = await parent();
    process.kill(helper, "SIGSTOP");
    const attempt = testAttempt();
    const marker = join(folder(), "begun");
    const now = Date.now;
    // The request says that it was sent long ago.
    Date.now = () => now() - 60_000;
    const running = run(`echo $PPID >> ${marker}`, {}, attempt);
    await new Promise(setImmediate);
    Date.now = now;
    process.kill(helper, "SIGCONT");
    expect(await running).toMatchObject({ exitCode: 0 });
    expect(readFileSync(marker, "utf8")).toBe(`${process.pid}\n`);
  });

  it("does not outlive a driver that is killed, and neither does the helper", async () => {
    const word = ownSleep();
    const outfile = join(folder(), "driver.mjs");
    const contents = `
      import { startForkHelper } from "./fork-helper.ts";
      import { runProcess } from "./run.ts";
      process.stdin.resume();
      await startForkHelper();
      const attempt = { signal: new AbortController().signal, emit() {}, assertLease() {}, spillDir: "/" };
      const env = { PATH: process.env.PATH };
      await runProcess({ command: "sh", args: ["-c", "echo $PPID > helper; sleep ${word}"], cwd: process.cwd(), env }, attempt);
    `;
    buildSync({
      stdin: { contents, resolveDir: import.meta.dirname, loader: "ts" },
      ...{ outfile, bundle: true, format: "esm", platform: "node", target: "node20" },
    });
    // A killed driver leaves its error file behind; the next one removes it.
    const TMPDIR = join(folder(), "of-driver");
    mkdirSync(TMPDIR);
    const driver = spawn(process.execPath, [outfile], {
      ...{ cwd: folder(), env: { ...process.env, TMPDIR } },
      stdio: ["pipe", "inherit", "inherit"],
    });
    await until(() => runningWith(word).length > 0);
    const helper = Number(readFileSync(join(folder(), "helper"), "utf8"));
    expect(helper).not.toBe(driver.pid);
    driver.kill("SIGKILL");
    await once(driver, "exit");
    await until(() => runningWith(word).length === 0 && !existsSync(`/proc/${helper}`));
  });
});
