// Script steps from definition to outcome, on real processes: the contract of the error file, and what goes in and out.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  field,
  ownSleep,
  runningWith,
  type TestAttemptOptions,
  testAttempt,
  testFolder,
  testScope,
} from "../../../test/support/engine/attempt.ts";
import { until } from "../../../test/support/until.ts";
import { traitsOf } from "../../base/errors/index.ts";
import { BadValue } from "../step-type.ts";
import type { OutputHolder, ProcessResult } from "../world.ts";
import { script } from "./run.ts";
import type { ScriptStep } from "./schema.ts";

const folder = testFolder();

const step = (fields: Partial<ScriptStep>): ScriptStep => ({
  type: "script",
  name: "probe",
  input: [],
  routes: [],
  raise_when: [],
  command: "sh",
  args: [],
  env: {},
  files: [],
  cache: false,
  ...fields,
});

const sh = (text: string, fields: Partial<ScriptStep> = {}): ScriptStep => step({ args: ["-c", text], ...fields });

function execute(definition: ScriptStep, names: Record<string, unknown> = {}, options: TestAttemptOptions = {}) {
  const attempt = testAttempt({ dir: folder(), ...options });
  return { attempt, outcome: script.execute(script.prepare(definition, testScope(names)), attempt) };
}

const outcomeOf = (definition: ScriptStep, names?: Record<string, unknown>) => execute(definition, names).outcome;

const raise = (text: string): string => `cat > "$CONDUCTOR_ERROR_OUT" <<'JSON'\n${text}\nJSON\n`;

describe("the output of a script", () => {
  it("is its streams and exit code", async () => {
    expect(await outcomeOf(sh("echo out; echo err >&2"))).toEqual({
      ok: true,
      output: { stdout: "out\n", stderr: "err\n", exit_code: 0 },
    });
  });

  it.each([
    ["an object's keys, over the three", `echo ' {"n": 1, "stderr": "mine"} '`, { n: 1, stderr: "mine", exit_code: 0 }],
    ["them also after a byte order mark", `printf '\\357\\273\\277{"n": 1}'`, { n: 1, exit_code: 0 }],
    ["nothing more for a list", "echo '[1]'", { stdout: "[1]\n", stderr: "", exit_code: 0 }],
    ["nothing more for two objects", "echo '{}'; echo '{}'", { stdout: "{}\n{}\n", stderr: "", exit_code: 0 }],
    ["nothing more for text around one", "echo 'x {}'", { stdout: "x {}\n", stderr: "", exit_code: 0 }],
  ])("has %s", async (_, text, output) => {
    expect(await outcomeOf(sh(text))).toMatchObject({ ok: true, output });
  });

  it("has nothing more for an object with a number too large to be kept", async () => {
    const output = { stdout: '{"n": 1e999}\n', stderr: "", exit_code: 0 };
    expect(await outcomeOf(sh(`echo '{"n": 1e999}'`))).toEqual({ ok: true, output });
  });

  it("says where the rest is when it was too long", async () => {
    const outcome = await outcomeOf(sh("head -c 11000000 /dev/zero | tr '\\0' a"));
    const file = expect.stringContaining(join(folder(), "spill", "probe-"));
    expect(outcome).toMatchObject({
      ok: true,
      output: { stdout_truncated: true, stdout_bytes: 11_000_000, stdout_file: file },
    });
  });

  it("is held against the schema, all fields at once", async () => {
    const output = { n: field({ type: "number" as const }), s: field({ type: "string" as const }) };
    expect(await outcomeOf(sh(`echo '{"n": 1, "s": "x"}'`, { output }))).toMatchObject({ ok: true });
    expect(await outcomeOf(sh(`echo '{"n": "1"}'`, { output }))).toMatchObject({
      ok: false,
      error: {
        kind: "internal.schema_violation",
        details: {
          node: "probe",
          source: "script",
          failed_field: "n",
          reason: expect.stringContaining("s: it is missing"),
        },
      },
      output: { n: "1", exit_code: 0 },
    });
    expect(await outcomeOf(sh("echo plain", { output }))).toMatchObject({
      error: { message: expect.stringContaining("stdout is not one JSON object") },
    });
  });
});

describe("what a script raises", () => {
  it.each([0, 1, 137])("is its envelope, whatever the exit code (%i)", async (code) => {
    const text = `echo '{"seen": 2}'; ${raise('{"conductor_error": true, "kind": "external.git.drift", "message": "m", "details": {"n": 3}}')}exit ${code}`;
    expect(await outcomeOf(sh(text))).toEqual({
      ok: false,
      error: { kind: "external.git.drift", message: "m", details: { n: 3 } },
      output: { stdout: '{"seen": 2}\n', stderr: "", exit_code: code, seen: 2 },
      isFinal: true,
    });
  });

  it.each([
    ["half an envelope", '{"kind": "a.b", "mess', "it is not JSON"],
    ["text", "oops", "it is not JSON"],
    ["white space", " ", "it is not JSON"],
    ["a list", "[1]", "JSON object"],
    ["no message", '{"kind": "a.b"}', "message is missing"],
    ["a number for a message", '{"kind": "a.b", "message": 5}', "message is the number 5, but must be text"],
    ["an empty message", '{"kind": "a.b", "message": ""}', "message is empty"],
    ["a number for a kind", '{"kind": 5, "message": "m"}', "kind is the number 5, but must be text"],
    [
      "a list for details",
      '{"kind": "a.b", "message": "m", "details": [1]}',
      "details is a list, but must be an object",
    ],
    ["a kind without a dot", '{"kind": "NoDots", "message": "m"}', "kind"],
    ["a false discriminator", '{"conductor_error": false, "kind": "a.b", "message": "m"}', "conductor_error"],
  ])("is malformed when it is %s", async (_, text, reason) => {
    for (const code of [0, 3])
      expect(await outcomeOf(sh(`${raise(text)}exit ${code}`))).toMatchObject({
        ok: false,
        error: {
          kind: "internal.schema_violation",
          details: {
            node: "probe",
            source: "error_channel",
            reason: expect.stringContaining(reason),
            malformed_envelope: true,
          },
        },
        output: { exit_code: code },
      });
  });

  it("is never nothing when the file cannot be read", async () => {
    expect(await outcomeOf(sh('rm "$CONDUCTOR_ERROR_OUT"; mkdir "$CONDUCTOR_ERROR_OUT"'))).toMatchObject({
      error: { kind: "internal.schema_violation", details: { source: "error_channel", reason: "it is a directory" } },
    });
  });

  it("may begin with a byte order mark", async () => {
    const text = `printf '\\357\\273\\277{"kind":"a.b","message":"m"}' > "$CONDUCTOR_ERROR_OUT"`;
    expect(await outcomeOf(sh(text))).toMatchObject({ error: { kind: "a.b" } });
  });

  it("may be UTF-16, as `>` of Windows PowerShell writes it", async () => {
    const bytes = Buffer.from('\uFEFF{"kind":"a.b","message":"größer"}\r\n', "utf16le");
    const written = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
    const outcome = await outcomeOf(sh(`printf '${written}' > "$CONDUCTOR_ERROR_OUT"`));
    expect(outcome).toMatchObject({ ok: false, error: { kind: "a.b", message: "größer" } });
  });

  it("cannot be a kind of the engine's", async () => {
    expect(
      await outcomeOf(sh(raise('{"kind": "internal.timeout", "message": "m", "details": {"a": 1}}'))),
    ).toMatchObject({
      error: {
        kind: "internal.undeclared_kind",
        details: { original_kind: "internal.timeout", original_message: "m", original_details: { a: 1 } },
      },
    });
  });

  it("goes through the engine's file even when the step's env names another", async () => {
    const text = raise('{"kind": "a.b", "message": "m"}');
    expect(await outcomeOf(sh(text, { env: { CONDUCTOR_ERROR_OUT: "/dev/null" } }))).toMatchObject({
      error: { kind: "a.b" },
    });
  });
});

describe("a script that exits badly", () => {
  it("has its cause in the message near the beginning, however long its command is", async () => {
    const outcome = await outcomeOf(sh(`: ${"x".repeat(5000)}; echo the cause >&2; exit 7`));
    const { message = "", details } = "error" in outcome ? outcome.error : {};
    expect(message).toMatch(/^sh -c .{1,60} exited with code 7: the cause$/);
    expect(String(details?.command).length).toBeGreaterThan(1000);
  });

  it("is reported with its output, for the engine to decide", async () => {
    expect(await outcomeOf(sh("echo first >&2; echo the cause >&2; exit 7"))).toMatchObject({
      ok: false,
      error: {
        kind: "internal.script_error",
        message: expect.stringMatching(/exited with code 7: the cause$/),
        details: {
          exit_code: 7,
          signal: null,
          stderr_tail: "first\nthe cause\n",
          command: expect.stringContaining("sh -c"),
        },
      },
      output: { exit_code: 7 },
    });
  });

  it("names the signal that killed it", async () => {
    expect(await outcomeOf(sh("kill -9 $$"))).toMatchObject({
      error: { details: { exit_code: 137, signal: "SIGKILL" } },
      output: { exit_code: 137 },
    });
  });

  it("tells the last words of a long stderr", async () => {
    const outcome = await outcomeOf(
      sh("head -c 10500000 /dev/zero | tr '\\0' a >&2; echo >&2; echo last words >&2; exit 1"),
    );
    expect(outcome).toMatchObject({ error: { message: expect.stringMatching(/last words$/) } });
  });
});

describe("a script that cannot be started", () => {
  it.each([
    ["a missing command", { command: "no-such-command-anywhere" }, /no-such-command-anywhere was not found on PATH/],
    ["a missing path", { command: "./gone.sh" }, /\.\/gone\.sh does not exist/],
    [
      "a missing folder",
      { command: "true", working_dir: "nowhere" },
      /working directory .*nowhere of true does not exist/,
    ],
    ["a file for a folder", { command: "true", working_dir: "plain" }, /is not a folder/],
    ["a file that is not executable", { command: "./plain" }, /cannot be executed/],
  ])("says which: %s", async (_, fields, message) => {
    writeFileSync(join(folder(), "plain"), "");
    const { attempt, outcome } = execute(step(fields));
    expect(await outcome).toMatchObject({
      ok: false,
      error: {
        kind: "internal.command_not_found",
        message: expect.stringMatching(message),
        details: { command: fields.command, working_dir: expect.any(String), path: process.env.PATH },
      },
    });
    expect(attempt.emitted("script_failed")).toHaveLength(1);
    expect(attempt.emitted("script_completed")).toEqual([]);
  });

  it("with arguments that are too long says how long they are, and what the system takes", async () => {
    const { outcome } = execute(step({ command: "true", args: ["x", "y".repeat(200_000)] }));
    expect(await outcome).toMatchObject({
      ok: false,
      error: {
        kind: "internal.script_error",
        message: "true could not be started: args[1] has 200001 bytes, and one argument may have 131072 (E2BIG)",
        details: { exit_code: null, signal: null, argument_bytes: 200_003 },
      },
    });
  });

  it.each([
    ["EMFILE", /too many open files.*ulimit -n.*\(EMFILE\)/],
    ["ENFILE", /system has too many open files/],
    ["EAGAIN", /too many processes/],
    ["ENOMEM", /no memory left/],
  ])("because the system has no room for it misses no command, and may be tried again: %s", async (code, message) => {
    const run = async () => ({ started: false as const, code, message: `spawn true ${code}` });
    const { outcome, attempt } = execute(step({ command: "true" }), {}, { world: { run } });
    const result = await outcome;
    expect(result).toMatchObject({
      ok: false,
      error: {
        kind: "internal.resource_exhausted",
        message: expect.stringMatching(message),
        details: { command: "true", code },
      },
    });
    expect(attempt.emitted("script_failed")).toMatchObject([{ error_type: "internal.resource_exhausted" }]);
    expect(traitsOf("internal.resource_exhausted")).toMatchObject({ retryable: true, owner: "environment" });
  });
});

describe("what a script is given", () => {
  it("is rendered: command, arguments, stdin, environment, working directory", async () => {
    mkdirSync(join(folder(), "sub"));
    const definition = step({
      command: "{{ shell }}",
      args: ["-c", "cat; echo $A $PYTHONUTF8 $SEGNO_IDEMPOTENCY_KEY; pwd", "{{ 1 }}"],
      stdin: "{{ 1 + 1 }} ",
      env: { A: "{{ a }}" },
      working_dir: "{{ where }}",
    });
    const outcome = await outcomeOf(definition, { shell: "sh", a: "x y", where: "sub" });
    expect(outcome).toMatchObject({ output: { stdout: `2 x y 1 run/probe#1/1\n${join(folder(), "sub")}\n` } });
  });

  it("is the root workflow's folder without a working directory", async () => {
    const attempt = testAttempt({ dir: folder() });
    const workflow = { ...attempt.workflow, dir: "/", rootDir: folder() };
    const outcome = await script.execute(script.prepare(step({ command: "pwd" }), testScope()), {
      ...attempt,
      workflow,
    });
    expect(outcome).toMatchObject({ output: { stdout: `${folder()}\n` } });
  });

  it("may replace what it inherits, and a relative command is looked for in the working directory", async () => {
    mkdirSync(join(folder(), "sub"));
    writeFileSync(join(folder(), "sub", "tool"), "#!/bin/sh\necho $HOME\n", { mode: 0o755 });
    const outcome = await outcomeOf(step({ command: "./tool", working_dir: "sub", env: { HOME: "/elsewhere" } }));
    expect(outcome).toMatchObject({ output: { stdout: "/elsewhere\n" } });
  });

  it.each([
    ["command", { command: "{{ '' }}" }],
    ["args[0]", { args: ["a{{ nul }}b"] }],
    ["env.A", { env: { A: "{{ nul }}" } }],
  ])("is refused when the system could not take it: %s", (name, fields) => {
    const prepare = () => script.prepare(step(fields), testScope({ nul: "\0" }));
    expect(prepare).toThrow(BadValue);
    expect(prepare).toThrow(name);
  });
});

describe("an aborted script", () => {
  it("is ended with all it started, and reports what it had said", async () => {
    const word = ownSleep();
    const abort = new AbortController();
    const { attempt, outcome } = execute(sh(`echo partial; setsid sleep ${word} & wait`), {}, { signal: abort.signal });
    await until(() => runningWith(word).length === 1);
    abort.abort();
    expect(await outcome).toMatchObject({ ok: false, output: { stdout: "partial\n" } });
    expect(runningWith(word)).toEqual([]);
    expect(attempt.emitted("script_failed")).toHaveLength(1);
  });
});

describe("a script whose output is still open when reading ends", () => {
  const ran = (holders: readonly OutputHolder[]) => ({
    run: async (): Promise<ProcessResult> => ({
      started: true,
      exitCode: 0,
      signal: null,
      stdout: { text: "up\n", bytes: 3, truncated: false },
      stderr: { text: "", bytes: 0, truncated: false },
      errorFile: { text: "" },
      holders,
    }),
  });

  it.each([
    [[{ pid: 4711, name: "server" }], "process 4711 `server` started by step probe still has its output open: what it"],
    [[{ pid: 4711 }], "process 4711 started by step probe still has its output open"],
    [[], "a process started by step probe still has its output open"],
    [
      [{ pid: 1, name: "a" }, { pid: 2 }, { pid: 3 }, { pid: 4 }, { pid: 5 }],
      "processes 1 `a`, 2, 3 and 2 more started by step probe still have their output open: what they print from now on",
    ],
  ])("counts as it ended, with a warning that names %o", async (holders, said) => {
    const { attempt, outcome } = execute(step({}), {}, { world: ran(holders) });
    expect(await outcome).toMatchObject({ ok: true, output: { stdout: "up\n" } });
    expect(attempt.emitted("warning")).toMatchObject([{ node: "probe", message: expect.stringContaining(said) }]);
  });
});

it("tells of its start and end", async () => {
  const { attempt, outcome } = execute(sh("cat", { stdin: "abc" }));
  await outcome;
  expect(attempt.emitted("script_started")).toMatchObject([
    { agent_name: "probe", command: "sh", args: ["-c", "cat"], working_dir: folder() },
  ]);
  expect(attempt.emitted("script_completed")).toMatchObject([
    { exit_code: 0, stdin_bytes: 3, stdout_bytes: 3, truncated: false },
  ]);
});
