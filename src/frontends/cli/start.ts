// Runs the command of a command line: `main` gives the exit code, `start` ends the process with it. An error is printed
// as a sentence (and as one object when JSON was asked for); stack traces only with SEGNO_DEBUG=1.
import { resolve } from "node:path";
import { failedWhatNeverComes, isLeavingProcess, leaveProcess, strayFaultOf } from "../../base/errors/leave-process.ts";
import { findProjectFile } from "../../services/session/find-project.ts";
import { keepCodeFor } from "../../services/session/kept-code.ts";
import { programName } from "../../services/session/program-name.ts";
import { environmentHere } from "../../services/session/session.ts";
import type { Asked } from "./asked.ts";
import type { Call, CommandSpec, OtherFaces } from "./command.ts";
import { type Format, Output, type OutputSettings, type Sink } from "./output.ts";
import { askedAlone, findCommand, parse } from "./parse.ts";
import { COMMANDS } from "./table/index.ts";
import { plain } from "./text/harmless.ts";
import { answerWith, UsageError } from "./usage-error.ts";

export interface Starting {
  readonly version: string;
  readonly faces: OtherFaces;
}

/** Where a command line is given and answered. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working folder; throws when it was deleted. */
  readonly cwd: () => string;
  readonly streams: { readonly stdout: Sink; readonly stderr: Sink };
}

const ofThisProcess = (): Terminal => ({ env: environmentHere(), cwd: () => process.cwd(), streams: process });

/**
 * Carries a command line out and gives its exit code. Nothing of the process is changed: what belongs to a program of its own
 * (signals, faults of plugins, what becomes of a broken pipe) is the business of `start`.
 *
 * @example
 * await main(["validate", "release.yaml"], starting, { env: {}, cwd: () => "/work", streams: { stdout, stderr } });
 */
export async function main(args: readonly string[], starting: Starting, terminal = ofThisProcess()): Promise<number> {
  const output = new Output(scanOutputSettings(args, terminal.env), terminal.streams);
  try {
    return await dispatch(args, starting, output, terminal);
  } catch (error) {
    return await reportProblem(error, output, terminal.env);
  }
}

export async function start(args: readonly string[], starting: Starting): Promise<void> {
  const output = new Output(scanOutputSettings(args, process.env));
  const lost = lostAnswers();
  const leave = async (code: number) => {
    await output.flushed();
    const problem = lost();
    if (problem && code === 0) output.say(`segno: The answer could not be written to stdout: ${problem.message}.`);
    leaveProcess(problem && code === 0 ? 1 : code);
  };
  const failed = async (error: unknown) => leave(await reportProblem(error, output, process.env));
  const stray = (error: unknown) => {
    const fault = strayFaultOf(error);
    if (!fault) void failed(error);
    else if (fault.sentence !== undefined) reportStray(fault.sentence, error, output);
  };
  process.on("uncaughtException", stray);
  process.on("unhandledRejection", stray);
  process.on("beforeExit", () => {
    // What was waited for in vain has failed now: Node is to look once more whether that gives it something to do.
    if (failedWhatNeverComes()) setImmediate(() => {});
    else void failed(new Error(ranDry(programName(process.env))));
  });
  process.on("exit", (code) => endedByOthers(code, output));
  await leave(await main(args, starting));
}

const ranDry = (segno: string): string =>
  `it waits for something that can no longer happen. Runs that this process drove are cut off; \`${segno} runs\` lists them, and \`${segno} resume\` goes on with them`;

/** If the process ends before its command, that is no success, even with exit code 0. */
function endedByOthers(code: number, output: Output): void {
  if (code !== 0 || isLeavingProcess()) return;
  process.exitCode = 1;
  const segno = programName(process.env);
  output.say(
    `segno: The process was ended before the command had come to its end. What was under way is cut off; \`${segno} runs\` lists it, and \`${segno} resume\` goes on with it.`,
  );
}

async function dispatch(
  args: readonly string[],
  starting: Starting,
  output: Output,
  { env, cwd, streams }: Terminal,
): Promise<number> {
  const { spec, family, rest } = findCommand(args, COMMANDS);
  if (!spec) {
    const wanted = family === undefined ? askedAlone(rest) : "help";
    if (wanted === "version") {
      output.stdout.write(`${starting.version}\n`);
      return 0;
    }
    if (!wanted && output.format !== "text") throw new UsageError('"segno" needs a command.');
    const { overview } = await import("./help.ts");
    const help = overview(output, { program: programName(env), family, isWhole: wanted === "help on all" });
    // Bare `segno` is answered with help as well, but it did nothing, so it is no success.
    (wanted ? output.stdout : output.stderr).write(help);
    return wanted ? 0 : 2;
  }
  const folder = workingFolder(cwd);
  try {
    return await carryOut(parse(spec, rest, { cwd: folder, env }), spec, starting, output, streams);
  } catch (problem) {
    if (problem instanceof UsageError) problem.command ??= spec.name;
    throw problem;
  }
}

async function carryOut(
  asked: Asked,
  spec: CommandSpec,
  { version, faces }: Starting,
  output: Output,
  streams: Terminal["streams"],
): Promise<number> {
  if (asked.flag("help")) {
    const { helpOn } = await import("./help.ts");
    output.stdout.write(helpOn(spec, output, asked.program));
    return 0;
  }
  keepCodeFor(spec.name);
  const answers = new Output(outputSettingsOf(asked), streams);
  // What a server shows is below its root, and so is the project that says who may ask it.
  const from = spec.name === "serve" ? resolve(asked.cwd, asked.text("root") ?? ".") : asked.cwd;
  const project = spec.isOutside ? undefined : findProjectFile(from);
  const standing =
    project === undefined ? asked : await (await import("./in-project.ts")).inProject(asked, project, answers, spec);
  const withCode = [...standing.arguments, standing.text("generate") ?? ""].some((one) => one.includes(".workflow."))
    ? await withCodeFiles(standing)
    : standing;
  const toldAll = withCode.by((text) => answers.say(answers.colors.dim(plain(text))));
  const call: Call = { asked: toldAll, output: answers, faces, version, commands: COMMANDS };
  return (await spec.load())(call);
}

/** Workflows that are code are loaded before a command reads them. */
async function withCodeFiles(asked: Asked): Promise<Asked> {
  const { withDefinition } = await import("../../services/project/with-definition.ts");
  let request = asked.session;
  for (const given of [...asked.arguments, asked.text("generate") ?? ""])
    request = await withDefinition(request, resolve(asked.cwd, given));
  return asked.knowing(request.extensions);
}

function workingFolder(cwd: Terminal["cwd"]): string {
  try {
    return cwd();
  } catch {
    throw new UsageError("The folder that you are in does not exist any more. Change to one that does, and try again.");
  }
}

/** A reader that went away (`| head`) is no error. On a full disk the answer did not arrive: that is no success. */
function lostAnswers(): () => Error | undefined {
  let problem: Error | undefined;
  process.stderr.on("error", () => {});
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") problem ??= error;
  });
  return () => problem;
}

/** A plugin's mistake, and no reason to end: what everybody else is waiting for goes on. */
function reportStray(sentence: string, error: unknown, output: Output): void {
  output.say(output.colors.dim(sentence));
  if (process.env.SEGNO_DEBUG === "1" && error instanceof Error && error.stack) output.say(error.stack);
}

/** Says what went wrong and gives the exit code. */
export async function reportProblem(error: unknown, output: Output, env: Terminal["env"]): Promise<number> {
  const { misused, refused } = await import("./not-run.ts");
  const answer = refused(error);
  if (answer) return answerWith(answer, output, () => "");
  const wrongUse = error instanceof UsageError;
  const result = wrongUse ? misused(error, env) : (await import("../../base/results/refused.ts")).crashResult(error);
  if (output.format !== "text") output.json(result);
  const { red, dim } = output.colors;
  output.say(`${red("segno:")} ${wrongUse ? "" : "Segno itself failed: "}${result.error}`);
  for (const { hint } of result.errors) if (hint) output.say(dim(hint));
  if (env.SEGNO_DEBUG === "1" && error instanceof Error && error.stack) output.say(error.stack);
  return result.exit_code ?? 1;
}

const FORMATS: readonly string[] = ["text", "json", "ndjson"];
const isFormat = (text: string | undefined): text is Format => text !== undefined && FORMATS.includes(text);

/** Read straight from the arguments: a line that cannot be parsed is still answered in the format it asks for. */
export function scanOutputSettings(args: readonly string[], env: OutputSettings["env"]): OutputSettings {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  let format: Format = "text";
  for (const [index, arg] of own.entries()) {
    const given =
      arg === "--output-format" ? own[index + 1] : arg.startsWith("--output-format=") ? arg.slice(16) : undefined;
    if (isFormat(given)) format = given;
  }
  return { format, quiet: false, verbose: false, plain: own.includes("--no-color"), env };
}

export function outputSettingsOf(asked: Asked): OutputSettings {
  const format = asked.text("output-format");
  return {
    format: isFormat(format) ? format : "text",
    quiet: asked.flag("quiet"),
    verbose: asked.flag("verbose"),
    plain: !asked.flag("color"),
    env: asked.env,
  };
}
