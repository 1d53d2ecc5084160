// `type: script`. Runs a command without a shell and reads what it raised. Whether a non-zero exit is an error is not
// decided here: it is reported as one, with the output beside it, and the engine knows whether the step opted in.
import { resolve } from "node:path";
import { failed, type Outcome, type Raised, raised, succeeded } from "../../base/errors/index.ts";
import { type FileDigest, matchesNothing } from "../../base/events/step-files.ts";
import { type OutputFields, readErrorChannel, schemaViolation } from "../output-schema.ts";
import { secretNames } from "../schema/readings.ts";
import { type Attempt, BadValue, type Executor } from "../step-type.ts";
import { renderText, renderTexts } from "../values.ts";
import type { ProcessRequest, ProcessResult } from "../world.ts";
import { commandLine, scriptError, scriptNotStarted, scriptOutput, stillOpen } from "./result.ts";
import type { ScriptStep } from "./schema.ts";

export interface PreparedScript {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that hold secrets, each with the name of the variable that it is taken from. */
  readonly secrets?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** As written; relative to the step's own file. */
  readonly working_dir?: string;
  readonly output?: OutputFields;
  /** Patterns, as written. */
  readonly files?: readonly string[];
}

export const script: Executor<ScriptStep, PreparedScript> = {
  type: "script",
  version: 1,

  prepare(step, { names }) {
    const command = withoutNul("command", renderText(step.command, names));
    if (command.trim() === "") throw new BadValue("command", command, "a command is needed");
    const workingDir = step.working_dir === undefined ? "" : renderText(step.working_dir, names);
    return {
      command,
      args: step.args.map((arg, index) => withoutNul(`args[${index}]`, renderText(arg, names))),
      env: environmentOf(renderTexts(step.env, names)),
      ...(step.execution?.secrets ? { secrets: secretNames(step.execution.secrets, "env") } : {}),
      ...(step.stdin === undefined ? {} : { stdin: renderText(step.stdin, names) }),
      ...(workingDir === "" ? {} : { working_dir: withoutNul("working_dir", workingDir) }),
      ...(step.output ? { output: step.output } : {}),
      ...(step.files.length > 0 ? { files: step.files } : {}),
    };
  },

  async execute(prepared, attempt) {
    const request = requestOf(prepared, attempt);
    const missing = Object.values(prepared.secrets ?? {}).find((ref) => !attempt.world.env[ref]);
    if (missing !== undefined) return failed(secretMissing(missing, attempt));
    const { command, args, cwd: working_dir } = request;
    // Items run side by side: without the key, the command of one would be shown as another's.
    const { node: agent_name, key } = attempt;
    const files = filesOf(prepared, request, attempt);
    attempt.emit("script_started", {
      agent_name,
      key,
      command,
      args: [...args],
      working_dir,
      ...(files.length > 0 ? { files: [...files] } : {}),
    });
    const began = attempt.clock.now();
    const result = await attempt.world.run(request, attempt);
    const elapsed = (attempt.clock.now() - began) / 1000;
    const changed = files.length > 0 ? (attempt.world.files?.changed(files, attempt.workflow.rootDir) ?? []) : [];
    const ended = {
      agent_name: attempt.node,
      key: attempt.key,
      elapsed,
      ...(changed.length > 0 ? { changed_files: [...changed] } : {}),
    };

    if (!result.started) {
      const error = result.error ?? scriptNotStarted(request, result);
      attempt.emit("script_failed", { ...ended, error_type: error.kind, message: error.message });
      return failed(error);
    }

    const { output, isJson } = scriptOutput(result, attempt.workflow.rules);
    const { stdout, stderr, exitCode, signal, interrupted, holders } = result;
    if (interrupted) {
      const message = `${commandLine(request)} was ended before it had finished`;
      attempt.emit("script_failed", { ...ended, error_type: "Aborted", message });
    } else
      attempt.emit("script_completed", {
        ...ended,
        exit_code: exitCode,
        signal,
        stdin_bytes: Buffer.byteLength(request.stdin ?? ""),
        stdout_bytes: stdout.bytes,
        stderr_bytes: stderr.bytes,
        truncated: stdout.truncated || stderr.truncated,
      });

    const where = attempt.worker === undefined ? "" : ` on the worker ${attempt.worker}`;
    for (const [stream, captured] of Object.entries({ stdout, stderr }))
      if (captured.truncated)
        attempt.emit("warning", {
          node: attempt.node,
          message: `${stream} of ${attempt.node} was cut at 10 MiB of ${Math.ceil(captured.bytes / 2 ** 20)}; the whole of it is in ${captured.spill ?? "no file"}${where}`,
        });
    if (holders)
      attempt.emit("warning", { node: attempt.node, message: `${stillOpen(holders, attempt.node)}${where}` });
    const outcome = await outcomeOf(prepared, attempt, request, result, { output, isJson });
    return outcome.ok || interrupted ? outcome : { ...outcome, isFinal: true };
  },
};

function filesOf(
  { files: patterns = [] }: PreparedScript,
  request: ProcessRequest,
  { world, workflow, node, emit }: Attempt,
): readonly FileDigest[] {
  const matched = world.files?.matched(patterns, workflow) ?? [];
  for (const pattern of matched.filter(matchesNothing))
    emit("warning", { node, message: `\`files\` of ${node}: no file matches ${pattern.path}` });
  return [...matched, ...(world.files?.named(request, workflow) ?? [])];
}

function outcomeOf(
  prepared: PreparedScript,
  attempt: Attempt,
  request: ProcessRequest,
  ran: Extract<ProcessResult, { started: true }>,
  { output, isJson }: ReturnType<typeof scriptOutput>,
): Outcome | Promise<Outcome> {
  const error = readErrorChannel(attempt.node, ran.errorFile);
  if (error) return failed(error, output);
  if (ran.exitCode !== 0)
    return failedExit(prepared, attempt, scriptError(request, ran, attempt.workflow.rules), { output, isJson });
  return checked(prepared, attempt, output, isJson);
}

/** Where the exit code is data, an output that does not fit may be the error. */
function failedExit(
  prepared: PreparedScript,
  attempt: Attempt,
  error: Raised,
  { output, isJson }: ReturnType<typeof scriptOutput>,
): Outcome | Promise<Outcome> {
  if (!prepared.output || !attempt.workflow.rules?.holdsScriptsToOutput) return failed(error, output);
  return checked(prepared, attempt, output, isJson).then((asData) => ({
    ok: false,
    error,
    output,
    ...(asData.ok ? {} : { misfit: asData.error }),
  }));
}

async function checked(prepared: PreparedScript, attempt: Attempt, output: unknown, isJson: boolean): Promise<Outcome> {
  const note = isJson
    ? ""
    : " Its stdout is not one JSON object, so it gave no fields but stdout, stderr and exit_code.";
  const error = await schemaViolation(attempt.node, "script", prepared.output, output, {
    note,
    patterns: attempt.workflow.rules?.patterns,
  });
  if (error) return failed(error, output);
  if (prepared.output && !isJson && attempt.workflow.rules?.holdsScriptsToOutput)
    return failed(
      raised(
        "internal.schema_violation",
        `the output of ${attempt.node} does not fit its \`output:\`: its stdout must be one JSON object.`,
        { node: attempt.node, source: "script", reason: "stdout is not one JSON object", failed_field: null },
      ),
      output,
    );
  return succeeded(output);
}

function requestOf(prepared: PreparedScript, attempt: Attempt): ProcessRequest {
  const { dir, rootDir } = attempt.workflow;
  return {
    command: prepared.command,
    args: prepared.args,
    cwd: prepared.working_dir === undefined ? rootDir : resolve(dir, prepared.working_dir),
    env: {
      ...attempt.world.env,
      PYTHONUTF8: "1",
      ...prepared.env,
      ...secretsFor(prepared, attempt),
      SEGNO_IDEMPOTENCY_KEY: attempt.idempotencyKey,
    },
    ...(prepared.stdin === undefined ? {} : { stdin: prepared.stdin }),
  };
}

const secretsFor = ({ secrets = {} }: PreparedScript, { world }: Attempt): Record<string, string> =>
  Object.fromEntries(Object.entries(secrets).map(([name, ref]) => [name, world.env[ref] ?? ""]));

/** Looked for before the run; a worker may have another environment. */
const secretMissing = (ref: string, { node }: Attempt): Raised =>
  raised("internal.bad_value", `${node} needs the secret ${ref}, and the environment variable ${ref} is not set here`, {
    field: "execution.secrets",
    value: ref,
    expected: "it must be set",
  });

function environmentOf(env: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(env)) withoutNul(`env.${name}`, value);
  return env;
}

/** The operating system ends every argument at a NUL; better to say so than to cut silently. */
function withoutNul(field: string, value: string): string {
  if (value.includes("\0")) throw new BadValue(field, value, "a NUL character cannot be part of it");
  return value;
}
