// What a tool is given and what it answers: the command line's object, a few lines for clients that show only text, and
// MCP's form of both, kept small: a client puts it before a model.
import type { CallToolResult, ResourceLink } from "@modelcontextprotocol/server";
import { isMapping } from "../../base/errors/mapping.ts";
import { listedNames } from "../../base/errors/nearest.ts";
import { atPlace, plainEntry } from "../../base/results/entry.ts";
import type { Entry, Head, Result, ResultGate } from "../../base/results/result.ts";
import type { BackgroundRuns } from "../../services/runs/background.ts";
import type { Session } from "../../services/session/session.ts";

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
  const open = (gates ?? [gate]).find((one) => one.approvers === undefined && one.not_by === undefined);
  return open && { run: run_id, gate: open };
}

/** The same call, seen from the root that its file is below. */
export const belowRoot = (use: ToolUse, root: string): ToolUse => ({ ...use, session: { ...use.session, cwd: root } });

const MOST_OUTPUT = 2000;
const MOST_ERRORS = 5;
const MOST_GATES = 5;

export function said(result: Result): string {
  const { status, run_id, output, checkpoint, gate, gates, exit_code, warnings } = result;
  const lines = [
    `${run_id ? `Run ${run_id}` : "Nothing ran"}: ${status}${exit_code === null ? "" : ` (exit code ${exit_code})`}.`,
  ];
  lines.push(...wrongLines(result));
  if (output !== null && output !== undefined) lines.push(`Output: ${short(output)}`);
  if (status === "degraded" || result.degraded)
    lines.push(
      `${warnings.length === 1 ? "One warning tells" : `${warnings.length} warnings tell`} what it went on without. To run that again: call run_resume with this run_id and failed_items: true.`,
    );
  if (gate) lines.push(...(gates ?? [gate]).slice(0, MOST_GATES).flatMap(gateLines));
  if (gates && gates.length > MOST_GATES) lines.push(`… and ${gates.length - MOST_GATES} more in gates.`);
  if (status === "running") lines.push("It goes on; run_status tells how it stands.");
  else if (status === "queued") lines.push("It waits for a worker of the fleet; run_status tells how it stands.");
  else if (checkpoint?.resumable && status !== "paused")
    lines.push("Edit the file if need be, then call run_resume with this run_id.");
  return lines.join("\n");
}

function gateLines({ name, options, answer }: ResultGate): readonly string[] {
  const values = options.map((option) => option.value).join(", ");
  return [
    `It waits at the gate ${name}${values === "" ? "" : `: ${values}`}.`,
    answer === undefined ? "A person answers it; then the run can go on." : `To answer: ${answer}`,
  ];
}

/** All findings of a file; of a run's errors the first, each with what to do. */
function wrongLines({ error, errors }: Pick<Head, "error" | "errors">): readonly string[] {
  if (errors.length > 0 && errors.every(({ rule }) => rule !== undefined)) return errors.map(findingLine);
  return [
    ...(error ? [error] : []),
    ...errors.slice(0, MOST_ERRORS).flatMap((entry) => entryLines(entry, error?.includes(entry.message) ?? false)),
    ...(errors.length > MOST_ERRORS ? [`… and ${errors.length - MOST_ERRORS} more in errors.`] : []),
  ];
}

/** `bad.yaml:3:5: there is no step fisrt (unknown-step)` */
export const findingLine = ({ location, message, rule }: Entry): string => `${atPlace(location, message)} (${rule})`;

function entryLines(
  { message, node_id, kind, location, fixable, retryable, missing, suggestions, hint }: Entry,
  isTold: boolean,
) {
  const where = location ? ` at ${location.file}:${location.line}` : "";
  const what = [kind, fixable ? "fixable" : "not fixable", retryable ? "retryable" : ""].filter(Boolean).join(", ");
  const place = node_id || location ? [`- ${node_id ?? "the file"}${where} (${what})`] : [];
  return [
    ...place,
    ...(isTold ? [] : [place.length > 0 ? `  ${message}` : `- ${message}`]),
    ...(missing ? [`  missing: ${missing}${suggestions?.length ? `; there is ${suggestions.join(", ")}` : ""}`] : []),
    ...(hint ? [`  ${hint}`] : []),
  ];
}

/** Not half of a pair at the end: there are parsers of JSON that refuse a whole answer for it. */
const cutTo = (most: number, text: string): string => text.slice(0, most).replace(/\p{Surrogate}$/u, "");

export function short(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length > MOST_OUTPUT ? `${cutTo(MOST_OUTPUT, text)} …` : text;
}

/** Of answers that are no run's result. */
export const answered = (answer: Head, text: string): ToolAnswer => ({
  object: { ...answer },
  text: answer.success ? text : wrongLines(answer).join("\n") || text,
  isError: !answer.success,
});

/** A run that waits for a person or still goes on has not failed. */
export const resultAnswer = (result: Result): ToolAnswer => ({
  object: { ...result },
  text: said(result),
  isError: !result.success && !["queued", "running", "paused"].includes(result.status),
});

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
  const { object } = answer;
  const { success, error, errors } = object;
  if (success !== false || typeof error !== "string" || !Array.isArray(errors) || errors.length > 0) return answer;
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

/** As JSON, in characters. */
const MOST_CHARACTERS = 50_000;
const MOST_OF_A_PART = 4_000;

/** Of a result that is too large, small parts stay and large ones are left out, by name; the link leads to all of it. */
function withoutLargeParts(answer: ToolAnswer): ToolAnswer & { readonly link?: ResourceLink } {
  const { object, text } = answer;
  const { run_id: run } = object;
  if (typeof run !== "string" || !("checkpoint" in object) || sizeOf(object) <= MOST_CHARACTERS) return answer;
  const uri = `segno://runs/${run}/result`;
  const leftOut: string[] = [];
  const small = Object.entries(object).map(([name, value]) => {
    if (sizeOf(value) <= MOST_OF_A_PART) return [name, value];
    leftOut.push(name);
    return [name, Array.isArray(value) ? firstOf(value) : null];
  });
  return {
    ...answer,
    object: { ...Object.fromEntries(small), left_out: leftOut, resource: uri },
    text: `${text}\nThe whole result is the resource ${uri}; left out here: ${leftOut.join(", ")}.`,
    link: { type: "resource_link", uri, name: `${run} result`, mimeType: "application/json" },
  };
}

/** As many as there is room for; of errors the first are what matters. */
function firstOf(values: readonly unknown[]): readonly unknown[] {
  let size = 0;
  return values.filter((value) => {
    size += sizeOf(value);
    return size <= MOST_OF_A_PART;
  });
}

const sizeOf = (value: unknown): number => (JSON.stringify(value) ?? "").length;
