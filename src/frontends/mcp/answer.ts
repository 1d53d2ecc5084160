// What a tool is given and what it answers: the command line's object, a few lines for clients that show only text, and
// MCP's form of both, kept small: a client puts it before a model.
import { isDeepStrictEqual } from "node:util";
import type { CallToolResult, ResourceLink } from "@modelcontextprotocol/server";
import { isMapping } from "../../base/errors/mapping.ts";
import { listedNames } from "../../base/errors/nearest.ts";
import { plainEntry } from "../../base/results/entry.ts";
import type { Entry, Head, Result, ResultGate } from "../../base/results/result.ts";
import type { BackgroundRuns } from "../../services/runs/background.ts";
import type { Session } from "../../services/session/session.ts";
import { cutTo, LARGEST_TEXT, shortenToFit, shortText } from "./shorten.ts";
import { failureLines, resultText } from "./text.ts";

/** What all clients of one server share. */
export interface Serving {
  readonly session: Session;
  /** Those that are driven inside the server. */
  readonly runs: BackgroundRuns;
  /** Given with `--root`: then nothing that a client says widens them. */
  readonly roots: readonly string[];
  readonly mayAnswerGates: boolean;
  /** With `--tools`: workflows that ask for it are tools of their own. */
  readonly hasWorkflowTools: boolean;
  /** Answers that are being made: a client that has said all it wants may still read. */
  readonly answering: Set<Promise<unknown>>;
  /** Aborts when the server ends: no answer waits for a run any longer. */
  readonly ending: AbortSignal;
}

/** One call of a tool. */
export interface ToolUse {
  readonly serving: Serving;
  /** Folders below which workflow files may be used; at least one. */
  readonly roots: readonly string[];
  /** Seen from the first root. */
  readonly session: Session;
  /** Name of the client, for the record. */
  readonly client: string;
  /** Aborts when the client cancels the request, or is gone. */
  readonly signal: AbortSignal;
  /** Whether a connection that closes means that its request is cancelled, as the protocol says of stateless HTTP. */
  readonly closingCancels: boolean;
  /** Tells the client of each step; nothing when it did not ask for progress. */
  readonly progress?: (message: string) => void;
}

/** An answer: the object of the command line, and a few words for those who read only text. */
export interface ToolAnswer {
  readonly object: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
  /** The gate that the run which the client waits for has paused at. */
  readonly waitsAt?: { readonly run: string; readonly gate: ResultGate };
}

/** The first gate that any client's answer counts for; one for certain people is left to them. */
function gateForClient({ status, run_id, gate, gates }: Result): ToolAnswer["waitsAt"] {
  if (status !== "paused" || run_id === null || !gate) return undefined;
  const open = (gates ?? [gate]).find(
    (one) => one.answered === undefined && one.approvers === undefined && one.not_by === undefined,
  );
  return open && { run: run_id, gate: open };
}

/** The same call, seen from the root that its file is below. */
export const belowRoot = (use: ToolUse, root: string): ToolUse => ({ ...use, session: { ...use.session, cwd: root } });

/** Of answers that are no run's result. */
export const answered = (answer: Head, text: string): ToolAnswer => ({
  object: { ...answer },
  text: answer.success ? text : failureLines(answer).join("\n") || text,
  isError: !answer.success,
});

/** A run that waits for a person or still goes on has not failed. */
export function resultAnswer(given: Result): ToolAnswer {
  const isGoingOn = given.status === "queued" || given.status === "running";
  // An exit code of a run that goes on is the command's that placed or answered it.
  const result = {
    ...given,
    ...(isGoingOn ? { exit_code: null } : {}),
    errors: given.errors.map(withoutRepeats),
    warnings: given.warnings.map(withoutRepeats),
  };
  return {
    object: { ...result },
    text: resultText(result),
    isError: !result.success && !isGoingOn && result.status !== "paused",
  };
}

/** An entry whose details leave out what the entry itself has, which a model would read twice. */
function withoutRepeats(entry: Entry): Entry {
  if (!entry.details) return entry;
  const own: Readonly<Record<string, unknown>> = { ...entry, stderr_tail: entry.shell_stderr };
  const details = Object.entries(entry.details).filter(
    ([name, value]) => own[name] === undefined || !isDeepStrictEqual(own[name], value),
  );
  return { ...entry, details: Object.fromEntries(details) };
}

/** Of a run that the client waits for: where it waits in turn. */
export const drivenAnswer = (result: Result): ToolAnswer => ({
  ...resultAnswer(result),
  waitsAt: gateForClient(result),
});

/** How a run ended is the answer, not an error of asking; a run that is not there is one. */
export const statusAnswer = (result: Result): ToolAnswer => ({
  ...resultAnswer(result),
  isError: result.run_id === null || result.status === "invalid",
});

export function inForm(answer: ToolAnswer): CallToolResult {
  const { object, text, isError, link } = withoutLargeParts(withoutLongEchoes(withEntry(answer)));
  return {
    content: [{ type: "text", text }, ...(link ? [link] : [])],
    structuredContent: { ...object },
    ...(isError ? { isError } : {}),
  };
}

/** What failed always has an entry in `errors`, also where other fields say what it was: failing scenarios, open letters. */
function withEntry(answer: ToolAnswer): ToolAnswer {
  const { object, isError } = answer;
  const { success, error, errors } = object;
  // A run that waits for a person has not failed, and has no error.
  if (!isError || success !== false || typeof error !== "string" || !Array.isArray(errors) || errors.length > 0)
    return answer;
  const lists = Object.keys(object).filter((name) => Array.isArray(object[name]) && object[name].length > 0);
  const hint = lists.length === 0 ? {} : { hint: `What failed is in ${listedNames(lists, "and")}.` };
  return { ...answer, object: { ...object, errors: [plainEntry({ message: error, fixable: true, ...hint })] } };
}

const MOST_ECHOED = 1000;

/** A refusal names what it was given, which may be of any length. */
function withoutLongEchoes(answer: ToolAnswer): ToolAnswer {
  const { object, text } = answer;
  if (object.status !== "invalid" && !isRefusal(object.errors)) return answer;
  const short = (line: string): string =>
    line.length > MOST_ECHOED ? `${cutTo(MOST_ECHOED, line)} … (${line.length} characters)` : line;
  const shortIn = (value: unknown): unknown => {
    if (typeof value === "string") return short(value);
    if (Array.isArray(value)) return value.map(shortIn);
    return isMapping(value)
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [short(name), shortIn(one)]))
      : value;
  };
  return { ...answer, object: shortIn(object) as ToolAnswer["object"], text: text.split("\n").map(short).join("\n") };
}

const isRefusal = (errors: unknown): boolean =>
  Array.isArray(errors) && errors.some((entry) => isMapping(entry) && entry.category === "input_validation");

const MOST_NAMED = 20;

/** `left_out` names what was cut, the longest first, with its length; the link leads to the whole result of a run. */
function withoutLargeParts(whole: ToolAnswer): ToolAnswer & { readonly link?: ResourceLink } {
  const { object, ...answer } = whole;
  const { run_id: run } = object;
  // A schema is of no use in part.
  if (!("success" in object)) return whole;
  const uri = typeof run === "string" && "checkpoint" in object ? `segno://runs/${run}/result` : undefined;
  const { object: small, cut } = shortenToFit(object, uri);
  const text = shortText(answer.text, LARGEST_TEXT);
  const longest = Object.entries(cut)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_NAMED);
  if (longest.length === 0) return { ...answer, object, text };
  const named = longest.map(([path, size]) => `${path} (${size} characters)`).join(", ");
  const shown = { ...small, left_out: Object.fromEntries(longest) };
  if (uri === undefined) return { ...answer, object: shown, text: `${text}\nShortened in the object: ${named}.` };
  return {
    ...answer,
    object: { ...shown, resource: uri },
    text: `${text}\nThe whole result is the resource ${uri}; shortenToFit in the object: ${named}. Read each with its path behind it, such as ${uri}/${longest[0]?.[0]}.`,
    link: { type: "resource_link", uri, name: `${run} result`, mimeType: "application/json" },
  };
}
