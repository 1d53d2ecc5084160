// What `run`, `resume`, `gate answer` and `dlq retry` have in common: progress while it goes on, questions to the user,
// Ctrl-C, and the result at the end.
import { leaveProcess } from "../../base/errors/leave-process.ts";
import { isGroup } from "../../base/events/node-types.ts";
import type { RunEvent } from "../../base/events/registry.ts";
import { answerRulesText } from "../../base/results/index.ts";
import type { Reader } from "../../base/results/reader.ts";
import type { Result } from "../../base/results/result.ts";
import { runFolderIn, takeStopRequest } from "../../services/reading/run-notes.ts";
import type { DriveListeners, FaceAsker } from "../../services/request.ts";
import { homeOf } from "../../services/session/home.ts";
import type { Call } from "./command.ts";
import { lineOf } from "./live/event-line.ts";
import { HeldLines } from "./live/held-lines.ts";
import { LiveTree } from "./live/live-tree.ts";
import { type EventLine, isDetail, type ProgressView, plainLine, ScriptText, scriptLine } from "./live/paint-line.ts";
import type { RunLeft } from "./not-run.ts";
import { type Output, WHOLE_LINES } from "./output.ts";
import { ending, reportHas } from "./report/ending.ts";
import { sourceReader } from "./show-findings.ts";
import { plain } from "./text/harmless.ts";
import { amount, goesOn } from "./text/phrases.ts";
import { isPlainRefusal, refuse } from "./usage-error.ts";

/** `segno cancel` sends the signal that Ctrl-C does, and leaves a note in the run's folder. */
const CANCELLED_ELSEWHERE = "Cancelled from elsewhere (segno cancel); stopping.";

/** Why gates wait though they were to be skipped. */
export const notSkipped = (result?: Pick<Result, "gate" | "gates">): readonly string[] =>
  (result?.gates ?? (result?.gate ? [result.gate] : [])).flatMap(({ name, approvers, not_by }) => {
    const rules = answerRulesText({ approvers, not_by });
    return rules === undefined ? [] : [plain(`${name} was not skipped: ${rules}.`)];
  });

/** A line that stays, above what is redrawn: one that is written past it would be wiped out with it. */
export type Say = (text: string) => void;

/** `go` gives no result when there was nothing to drive, and has said so itself. With a page, that can be asked as well. */
export async function drive(
  call: Call,
  go: (driving: DriveListeners, say: Say) => Promise<Result | undefined>,
  { hasPage = false, skipGates = false }: { readonly hasPage?: boolean; readonly skipGates?: boolean } = {},
): Promise<number> {
  const { asked, output } = call;
  const progress = progressFor(output);
  const say: Say = (text) => progress.say(text);
  let runId: string | null = null;
  let isFollowed = false;
  let reused = 0;
  const on = (event: RunEvent) => {
    runId = event.run_id;
    if (event.type === "agent_reused" && !isGroup(event.data.agent_type)) reused += 1;
    if (event.type === "keyframe_resumed") reused += event.data.visits;
    if (output.format === "ndjson") output.printJson(event);
    progress.on(event);
  };
  const following = (followed: string) => {
    runId = followed;
    isFollowed = true;
  };
  const { signal, interrupt, release } = interrupts({
    first: () => {
      if (runId !== null && isFollowed) return progress.say(output.colors.dim(goesOn(runId, asked.reader)));
      const isElsewhere = runId !== null && takeStopRequest(runFolderIn(homeOf(asked.session), runId));
      progress.say(output.colors.dim(isElsewhere ? CANCELLED_ELSEWHERE : "Stopping; Ctrl-C again leaves at once."));
    },
    second: () => {
      progress.end();
      void leave({ runId, isFollowed }, output, asked.reader);
    },
  });
  const { canAskAtTerminal, terminalAsker } = await import("./ask/terminal-asker.ts");
  const asker = canAskAtTerminal(output)
    ? terminalAsker({ output, interrupt, progress })
    : hasPage
      ? { ask: pageAsker(say), askedVia: "page" as const }
      : undefined;
  try {
    const result = await go({ on, signal, following, said: say, ...asker }, say);
    if (reused > 0 && !output.quiet) progress.say(output.colors.dim(reuse(reused, output)));
    if (skipGates) for (const sentence of notSkipped(result)) progress.say(sentence);
    progress.end(result && ((message) => reportHas(result, message)));
    return result ? handOver(result, call, progress.said) : 0;
  } finally {
    progress.end();
    release();
  }
}

/** Where there is a page and no terminal: the run waits, and the answer arrives like any that is given elsewhere. */
const pageAsker =
  (say: (text: string) => void): FaceAsker =>
  async (question, signal) => {
    // A dialog is had at a terminal: the page has nothing to answer it with.
    if (question.kind === "dialog") return undefined;
    say(plain(`${question.node} waits for an answer on the page.`));
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return undefined;
  };

const reuse = (steps: number, { verbose }: Output): string =>
  `${amount(steps, "step")} reused: ${steps === 1 ? "its" : "their"} inputs are the same${verbose ? "" : " (-v names them)"}`;

async function leave(run: RunLeft, output: Output, reader: Reader): Promise<void> {
  const { leftAtOnce } = await import("./not-run.ts");
  const left = leftAtOnce(run, reader);
  if (output.format !== "text") output.json(left);
  output.say(["Left at once.", left.errors[0]?.hint].filter(Boolean).join(" "));
  leaveProcess(130);
}

/** Ctrl-C. The first asks the run to stop and write down where it stands; the second leaves at once. */
interface Interrupts {
  readonly signal: AbortSignal;
  /** As if Ctrl-C had been pressed: a question in raw mode sees the key, not the signal. */
  readonly interrupt: () => void;
  /** The run has ended; signals mean again what they mean to any process. */
  readonly release: () => void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function interrupts(parts: { readonly first: () => void; readonly second: () => void }): Interrupts {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) return parts.second();
    parts.first();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  return {
    signal: controller.signal,
    interrupt,
    release: () => {
      for (const name of SIGNALS) process.off(name, interrupt);
    },
  };
}

/** Runs that got as far as an output. A `terminate` that fails has one if it gives one. */
const hasOutput = ({ status, success, output }: Result): boolean =>
  status === "completed" ||
  status === "degraded" ||
  (status === "terminated" && (success || (output !== null && output !== undefined)));

/** Queued for the workers, and the command does not wait for it: its id is all there is to print. */
const isLeftToWorkers = (result: Result): result is Result & { readonly run_id: string } =>
  result.status === "queued" && result.success && result.run_id !== null;

/** The workflow's output (or the whole object) on stdout, what there is to say on stderr. */
function handOver(result: Result, { asked, output }: Call, said?: ReadonlySet<string>): number {
  if (output.format !== "text") output.json(result);
  else if (hasOutput(result)) output.printJson(result.output ?? null, 2);
  else if (isLeftToWorkers(result)) output.print(result.run_id);
  if (isPlainRefusal(result)) {
    refuse(result, output);
    return result.exit_code ?? 2;
  }
  const { colors, stderr, quiet } = output;
  const { columns: terminal, columns: width = WHOLE_LINES } = stderr;
  const view = { colors, width, terminal, read: sourceReader(asked.cwd), reader: asked.reader };
  stderr.write(ending(result, view, { quiet, said }));
  return result.exit_code ?? 1;
}

const nothing = (): void => {};

/** A live tree at a terminal, a line for each thing that happens elsewhere, nothing with -q. */
function progressFor(output: Output): ProgressView {
  if (output.quiet)
    return { on: nothing, say: (text) => output.say(text), pause: nothing, resume: nothing, end: nothing };
  return output.live ? new LiveTree(output, { hasReport: true }) : plainProgress(output);
}

/** One line for each meaningful event; with -v also what scripts print. */
export function plainProgress(output: Output): ProgressView {
  const scripts = new ScriptText();
  const held = new HeldLines<EventLine>();
  const show = (lines: readonly EventLine[]): void => {
    for (const line of lines) output.say(plainLine(line));
  };
  return {
    on: (event) => {
      if (output.verbose) for (const text of scripts.take(event)) output.say(scriptLine(text, output.colors));
      const line = lineOf(event);
      const lines = line && (output.verbose || !isDetail(line)) ? [line] : [];
      show(held.take(event, { lines, isDetail: isDetail(line) }));
    },
    said: held.said,
    say: (text) => output.say(text),
    pause: nothing,
    resume: nothing,
    end: (isReported) => {
      show(held.rest(isReported));
      if (output.verbose) for (const text of scripts.rest()) output.say(scriptLine(text, output.colors));
    },
  };
}

/** A resumed run may have come with a clone: prints which home it is kept in. */
export function sayWhoseHome({ asked, output }: Call): void {
  const { home, project: { homeNamedBy } = {} } = asked.session;
  if (homeNamedBy === undefined || output.quiet) return;
  const said = `Runs are kept in ${home} here, as ${homeNamedBy} says, which is not trusted: one that you did not start yourself came with it.`;
  output.say(output.colors.dim(plain(said)));
}
