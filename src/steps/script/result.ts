// The outcome of a script: its streams, exit code and the fields of its stdout. When it fails or cannot be started:
// what was run, where, and the end of what it printed.
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { constants } from "node:os";
import { resolve } from "node:path";
import { type Raised, raised } from "../../base/errors/index.ts";
import { parseJson } from "../../base/json/bounded.ts";
import type { FileRules } from "../caller.ts";
import { PLATFORM } from "../process/platform.ts";
import type { Captured, OutputHolder, ProcessRequest, ProcessResult } from "../world.ts";

type Ran = Extract<ProcessResult, { started: true }>;

export function scriptOutput(
  ran: Ran,
  rules: FileRules | undefined,
): { readonly output: Record<string, unknown>; readonly isJson: boolean } {
  const fields = ran.stdout.truncated ? undefined : oneObject(ran.stdout.text);
  const streams: Record<string, unknown> = {
    stdout: ran.stdout.text,
    stderr: ran.stderr.text,
    exit_code: scriptExitCode(ran, rules),
    ...cut("stdout", ran.stdout),
    ...cut("stderr", ran.stderr),
  };
  if (!fields) return { output: streams, isJson: false };
  const isLarge = ran.stdout.text.length > LARGE;
  return { output: isLarge ? withMissing(fields, streams) : { ...streams, ...fields }, isJson: true };
}

/** So long is a text that may have very many fields: to copy these takes longer than to parse them. */
const LARGE = 1024 * 1024;

function withMissing(
  fields: Record<string, unknown>,
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(more)) if (!Object.hasOwn(fields, name)) fields[name] = value;
  return fields;
}

/** As shells say it: 128 and the signal's number. A number keeps `exit_code != 0` and `exit_code > 0` right. */
function scriptExitCode({ exitCode, signal }: Ran, rules: FileRules | undefined): number {
  if (exitCode !== null) return exitCode;
  const number = constants.signals[signal as NodeJS.Signals] ?? 0;
  return rules?.signalCodes === "negative" ? -number : 128 + number;
}

function cut(stream: string, captured: Captured): Record<string, unknown> {
  if (!captured.truncated) return {};
  return {
    [`${stream}_truncated`]: true,
    [`${stream}_bytes`]: captured.bytes,
    [`${stream}_file`]: captured.spill ?? null,
  };
}

function oneObject(text: string): Record<string, unknown> | undefined {
  // A look at both ends saves parsing megabytes of log lines.
  if (!/^\s*\{/.test(text) || !text.trimEnd().endsWith("}")) return undefined;
  try {
    // PowerShell and friends like to begin with a byte order mark.
    return parseJson(text.replace(/^\uFEFF/, "")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

const TAIL_CHARACTERS = 4000;

export function scriptError(request: ProcessRequest, ran: Ran, rules: FileRules | undefined): Raised {
  const tail = tailOf(ran.stderr);
  const said = causeLine(tail);
  const how = ran.signal ? `was killed by ${ran.signal}` : `exited with code ${ran.exitCode}`;
  const called = { ...request, ...ran.called };
  const away = notOnWorker(request, ran);
  return raised("internal.script_error", `${commandLine(called)} ${how}${said ? `: ${said}` : ""}${away}`, {
    exit_code: scriptExitCode(ran, rules),
    signal: ran.signal,
    stderr_tail: tail,
    command: commandLine(called, 2000),
  });
}

/** Nothing more is read of a script's output although somebody still has it open. */
export function stillOpen(holders: readonly OutputHolder[], node: string): string {
  const named = holders
    .slice(0, MOST_NAMED)
    .map(({ pid, name }) => (name === undefined ? `${pid}` : `${pid} \`${name}\``));
  const more = holders.length > MOST_NAMED ? ` and ${holders.length - MOST_NAMED} more` : "";
  const isOne = holders.length <= 1;
  const who = `${isOne ? "process" : "processes"} ${named.join(", ")}${more}`;
  const subject = holders.length === 0 ? "a process" : who;
  return `${subject} started by step ${node} still ${isOne ? "has its" : "have their"} output open: what ${isOne ? "it prints" : "they print"} from now on is not read. Send it elsewhere (\`… > server.log 2>&1 &\`), or set \`runtime.script_grace_seconds\``;
}

const MOST_NAMED = 3;

/** Codes that say nothing about the command: the system had no room to start anything. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: "this process has too many open files. Raise the limit (ulimit -n), or lower `max_concurrent`",
  ENFILE: "the system has too many open files. Close some programs, or lower `max_concurrent`",
  EAGAIN: "there are too many processes. Raise the limit (ulimit -u), or lower `max_concurrent`",
  ENOMEM: "there is no memory left. Close some programs, or lower `max_concurrent`",
};

export function scriptNotStarted(request: ProcessRequest, result: Extract<ProcessResult, { started: false }>): Raised {
  const command = result.called?.command ?? request.command;
  const cwd = result.onWorker?.cwd ?? request.cwd;
  const { code } = result;
  if (Object.hasOwn(EXHAUSTED, code))
    return raised("internal.resource_exhausted", `${command} could not be started: ${EXHAUSTED[code]} (${code}).`, {
      command,
      working_dir: cwd,
      code,
    });
  if (areArgumentsTooLong(request, code)) return argumentsTooLong(request, command, code);
  return raised("internal.command_not_found", whyNotStarted({ ...request, command, cwd }, result, request.cwd), {
    command,
    working_dir: cwd,
    path: request.env.PATH ?? null,
  });
}

/** Windows says of long arguments that a name is too long. */
const areArgumentsTooLong = ({ command }: ProcessRequest, code: string): boolean =>
  code === "E2BIG" || (code === "ENAMETOOLONG" && command.length < LONGEST_NAME);

const LONGEST_NAME = 1000;
/** Of one argument on Linux, its end included, in bytes. */
const LONGEST_ARGUMENT = 131_072;

function argumentsTooLong({ args, env }: ProcessRequest, command: string, code: string): Raised {
  const sizes = args.map((arg) => Buffer.byteLength(arg) + 1);
  const longest = Math.max(0, ...sizes);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  const variables = Object.entries(env).reduce(
    (sum, [name, value = ""]) => sum + Buffer.byteLength(`${name}=${value}`) + 1,
    0,
  );
  const why =
    PLATFORM === "linux" && longest > LONGEST_ARGUMENT
      ? `args[${sizes.indexOf(longest)}] has ${longest} bytes, and one argument may have ${LONGEST_ARGUMENT}`
      : `its arguments have ${all} bytes and its environment ${variables}, which is more than this system takes together`;
  return raised("internal.script_error", `${command} could not be started: ${why} (${code})`, {
    exit_code: null,
    signal: null,
    stderr_tail: "",
    command,
    code,
    argument_bytes: all,
    longest_argument_bytes: longest,
  });
}

function whyNotStarted(
  { command, cwd, env }: ProcessRequest,
  { code, message, onWorker }: Extract<ProcessResult, { started: false }>,
  asked: string,
): string {
  if (onWorker && !existsSync(cwd)) return directoryNotOnWorker(cwd, command);
  if (onWorker && code === "ENOENT" && isPath(command)) return commandNotOnWorker(command, asked);
  // The system says ENOENT for a missing folder and for a missing command alike.
  if (!existsSync(cwd))
    return `the working directory ${cwd} of ${command} does not exist. Create it, or change \`working_dir\`.`;
  if (!statSync(cwd).isDirectory())
    return `the working directory ${cwd} of ${command} is not a folder. Change \`working_dir\`.`;
  if (code === "ENOENT" && isPath(command))
    return `the command ${command} does not exist, seen from ${cwd} (or the interpreter in its first line does not).`;
  if (code === "ENOENT" && /\s/.test(command)) {
    const [program, ...args] = command.split(/\s+/);
    return `there is no program named "${command}": \`command\` is one program, without a shell. Write command: ${program} and args: [${args.join(", ")}].`;
  }
  if (code === "ENOENT")
    return `the command ${command} was not found on PATH${env.PATH ? "" : ", which is not set"}. Install it, or write its full path.`;
  if (code === "EACCES") return `the command ${command} cannot be executed (${code}). Make it executable: chmod +x.`;
  return `the command ${command} could not be started (${code}): ${message}.`;
}

/** Windows takes either separator. */
const isPath = (command: string): boolean => /[\\/]/.test(command);

export const directoryNotOnWorker = (folder: string, whose: string): string =>
  `the working directory ${folder} of ${whose} is not on this worker. Create it on every worker, or change \`working_dir\`.`;

export const commandNotOnWorker = (command: string, folder: string): string =>
  `the command ${command} is not on this worker, ${onlyOwnFiles(folder)}.`;

/** Only workflow files travel with a run: what else is named relative to them has to be where the worker is. */
export function notOnWorker(
  { args, cwd }: Pick<ProcessRequest, "args" | "cwd">,
  { onWorker, called }: Pick<ProcessResult, "onWorker" | "called">,
): string {
  if (!onWorker) return "";
  const missing = (called?.args ?? args).find(
    (arg) => /^[\w./-]*[\w-]\.\w+$/.test(arg) && !arg.startsWith("-") && !existsSync(resolve(onWorker.cwd, arg)),
  );
  return missing === undefined ? "" : `. ${missing} is not on this worker, ${onlyOwnFiles(cwd)}`;
}

const onlyOwnFiles = (asked: string): string =>
  `which has no folder ${asked}: only the workflow's own files travel with a run. Put what its scripts need there, on every worker`;

/** The command as one could type it, shortened where it gets long: in a sentence what matters comes after it. */
export function commandLine({ command, args }: ProcessRequest, most = 60): string {
  const line = [command, ...args].map(quoted).join(" ").replaceAll(/\s+/g, " ");
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function tailOf(captured: Captured): string {
  const text = captured.spill === undefined ? captured.text : (endOfFile(captured.spill) ?? captured.text);
  if (text.length <= TAIL_CHARACTERS) return text;
  const tail = text.slice(-TAIL_CHARACTERS);
  return tail.slice(tail.indexOf("\n") + 1);
}

/** What was kept in memory is the beginning; the last words are in the file. */
function endOfFile(path: string): string | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const bytes = Buffer.alloc(TAIL_CHARACTERS + 1);
      const read = readSync(file, bytes, 0, bytes.length, Math.max(0, fstatSync(file).size - bytes.length));
      return bytes.toString("utf8", 0, read);
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

const LONGEST = 500;

/** What stands after the cause and does not name it. */
const AFTERWARDS: readonly RegExp[] = [
  // Stack frames, quoted source, properties of the error.
  /^\s/,
  /^[}\])]/,
  /^Node\.js v\d/,
  /^(goroutine \d+ |exit status \d|[\w./]+\.[\w.()*]+\(.*\)$)/,
  // Compilers count and advise, build tools say that what they called has failed.
  /^(.*: )?note: /,
  /^(\d+ (errors?|warnings?)\b.*|Found \d+ errors?\b.*|For more information about this error.*)$/,
  /^make(\[\d+\])?: \*\*\* /,
  /^npm (error|ERR!|notice)( (A complete log|code |path |workspace |location |command |errno |syscall ).*)?$/,
  // `set -x`.
  /^\++ /,
];

/** `TypeError: …`, `java.io.IOException: …`, `Error [ERR_X]: …`. */
const NAMED = /^(Uncaught |Caused by: |Exception in thread ".*" )?[\w.$]*(Error|Exception)( \[\w+\])?(:|$)/;

const FRAME = /^\s+(at |File ")/;

/** With a place or a code, as compilers write them: the first is the cause of the rest. */
const COMPILER = /(:\d+: (fatal )?error: |\(\d+,\d+\): error |^error(\[\w+\])?: )/;

/**
 * The line of a script's stderr that says what went wrong: seldom the last, since stacks and summaries follow it. Nothing is
 * concluded from it but what to show first; the whole tail stands beside it.
 */
export function causeLine(stderr: string): string | undefined {
  const lines = stderr.split(/\r?\n|\r/).map((line) => line.replace(COLOURS, "").trimEnd());
  const last = lines.findLastIndex((line) => line !== "" && !AFTERWARDS.some((pattern) => pattern.test(line)));
  const said = lines[last];
  if (said === undefined) return shortened(lines.findLast((line) => line !== ""));
  if (COMPILER.test(said)) return shortened(lines.find((line) => COMPILER.test(line)));
  if (!lines.some((line) => FRAME.test(line))) return shortened(said);
  // A message of several lines: its first one has the name.
  const block = lines.slice(lines.lastIndexOf("", last) + 1, last + 1);
  return shortened(block.findLast((line) => NAMED.test(line)) ?? said);
}

const COLOURS = /\u001b\[[0-9;]*m/g;

function shortened(line: string | undefined): string | undefined {
  const text = line?.trim();
  return text && text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
