// Answers as text, for clients that show a model only that: it says in lines what the object beside it has in fields.
import { atPlace } from "../../base/results/entry.ts";
import { type Entry, type Head, type Result, type ResultGate, resultStatusWord } from "../../base/results/index.ts";
import { shortText } from "./shorten.ts";

const MOST_ERRORS = 5;
const MOST_WARNINGS = 5;
const MOST_GATES = 5;
const MOST_FINDINGS = 100;

export function resultText(result: Result): string {
  const { status, run_id, output, checkpoint, gate, gates, exit_code, warnings, termination } = result;
  const lines = [
    `${run_id && status !== "invalid" ? `Run ${run_id}` : "Nothing ran"}: ${resultStatusWord(result)}${exit_code === null ? "" : ` (exit code ${exit_code})`}.`,
    ...failureLines(result),
    ...(termination ? [`Ended by ${termination.terminated_by}: ${termination.reason}`] : []),
    ...warningLines(warnings),
  ];
  if (output !== null && output !== undefined) lines.push(`Output: ${shortText(output)}`);
  if (status === "degraded" || result.degraded)
    lines.push(
      "The warnings tell what it went on without. To run that again: call run_resume with this run_id and failed_items: true.",
    );
  if (gate) lines.push(...(gates ?? [gate]).slice(0, MOST_GATES).flatMap(gateLines));
  lines.push(...moreThan(MOST_GATES, gates ?? [], "gates"));
  if (status === "running") lines.push("It goes on; run_status tells how it stands.");
  else if (status === "queued") lines.push("It waits for a worker of the fleet; run_status tells how it stands.");
  else if (checkpoint?.resumable && status !== "paused")
    lines.push(
      `${result.errors.some(({ fixable }) => fixable) ? "Edit the file if need be, then" : "To go on,"} call run_resume with this run_id.`,
    );
  return lines.join("\n");
}

interface AskedGate extends Pick<ResultGate, "name" | "prompt" | "options" | "who" | "answer" | "answered"> {
  readonly questions?: readonly Readonly<
    Partial<Record<"id" | "text" | "choices" | "required" | "default", unknown>>
  >[];
}

/** The question, what can be answered, who may, and how. */
export function gateLines({
  name,
  prompt,
  options,
  questions = [],
  who,
  answer,
  answered,
}: AskedGate): readonly string[] {
  if (answered) return [`The gate ${name} is answered: ${answer}.`];
  return [
    `It waits at the gate ${name}${prompt === "" ? "." : `: ${shortText(prompt)}`}`,
    ...options.map(
      ({ value, label, prompt_for, prompt_optional, description }) =>
        `- ${value}${label === value ? "" : `: ${label}`}${description ? ` (${description})` : ""}${prompt_for ? `, with the text ${prompt_for}${prompt_optional ? " if you like" : ""}` : ""}`,
    ),
    ...questions.map(({ id, text, choices, required, default: standard }) =>
      [
        `- ${id}: ${text}`,
        ...(Array.isArray(choices) && choices.length > 0 ? [`one of ${choices.join(", ")}`] : []),
        ...(required === true ? ["required"] : []),
        ...(typeof standard === "string" ? [`${standard} if left out`] : []),
      ].join("; "),
    ),
    `Who: ${who}.`,
    `To answer: ${answer}`,
  ];
}

/** All findings of a file; of a run's errors the first, each with what was answered and what to do. */
export function failureLines({ error, errors }: Pick<Head, "error" | "errors">): readonly string[] {
  if (errors.length > 0 && errors.every(({ rule }) => rule !== undefined))
    return [...errors.slice(0, MOST_FINDINGS).map(findingLine), ...moreThan(MOST_FINDINGS, errors, "errors")];
  return [
    ...(error ? [shortText(error)] : []),
    ...errors
      .slice(0, MOST_ERRORS)
      .flatMap((entry, index) =>
        entryLines(entry, error?.includes(entry.message) ?? false, index === 0 ? FIRST : LATER),
      ),
    ...moreThan(MOST_ERRORS, errors, "errors"),
  ];
}

/** `bad.yaml:3:5: there is no step fisrt (unknown-step)` */
const findingLine = ({ location, message, rule, suggestions: [meant] = [] }: Entry): string => {
  const hint = meant === undefined || message.includes(meant) ? "" : `; did you mean ${meant}?`;
  return `${atPlace(location, message)}${hint} (${rule})`;
};

export const warningLines = (warnings: readonly Entry[]): readonly string[] => [
  ...warnings.slice(0, MOST_WARNINGS).map(({ node_id, kind, message, hint, item_key, group, rule, location }) => {
    const item = group === undefined || item_key === undefined ? "" : ` (${group}[${item_key}])`;
    const who =
      location && rule ? `${location.file}:${location.line}: ` : node_id === null ? "" : `${node_id}${item}: `;
    const next = hint === undefined || message.includes(hint) ? "" : ` ${hint}`;
    return `Warning: ${who}${kind ? `${kind}: ` : ""}${next === "" ? shortText(message) : sentence(shortText(message))}${next}`;
  }),
  ...moreThan(MOST_WARNINGS, warnings, "warnings"),
];

const sentence = (text: string): string => (/[.!?…:;]$/.test(text.trimEnd()) ? text.trimEnd() : `${text.trimEnd()}.`);

const moreThan = (most: number, { length }: readonly unknown[], name: string): readonly string[] =>
  length > most ? [`… and ${length - most} more in ${name}.`] : [];

/** How much is shown of what a server or a program said. */
interface Room {
  readonly value: number;
  readonly lines: number;
}

const FIRST: Room = { value: 2000, lines: 20 };
const LATER: Room = { value: 300, lines: 5 };

function entryLines(entry: Entry, isTold: boolean, room: Room): readonly string[] {
  const { message, node_id, kind, location, fixable, retryable, missing, suggestions, hint, item_key } = entry;
  const where = location ? ` at ${location.file}:${location.line}` : "";
  const what = [kind, fixable ? "fixable" : "not fixable", retryable ? "retryable" : ""].filter(Boolean).join(", ");
  const item = item_key === undefined ? "" : `[${item_key}]`;
  const place = node_id || location ? [`- ${node_id ?? "the file"}${item}${where} (${what})`] : [];
  return [
    ...place,
    ...(isTold ? [] : [place.length > 0 ? `  ${shortText(message)}` : `- ${shortText(message)}`]),
    ...(missing ? [`  missing: ${missing}${suggestions?.length ? `; there is ${suggestions.join(", ")}` : ""}`] : []),
    ...answerLines(entry, room).map((line) => `  ${line}`),
    ...(hint ? [`  ${hint}`] : []),
  ];
}

/** What the other side said: a server's answer, a tool's, a program's last lines. */
function answerLines(
  { request, raw_response, status_code, mcp_error, details = {}, ...shell }: Entry,
  { value, lines: most }: Room,
): readonly string[] {
  const lines: string[] = [];
  if (request) {
    lines.push(`sent: ${request.method} ${request.url}`);
    if (request.body !== undefined && request.body !== null) lines.push(`sent body: ${shortText(request.body, value)}`);
  }
  if (raw_response !== undefined && raw_response !== null)
    lines.push(`answered${status_code === undefined ? "" : ` ${status_code}`}: ${shortText(raw_response, value)}`);
  if (mcp_error?.data !== undefined) lines.push(`the MCP server's data: ${shortText(mcp_error.data, value)}`);
  if (details.content !== undefined) lines.push(`the tool's answer: ${shortText(details.content, value)}`);
  if (details.answer !== undefined) lines.push(`the answer: ${shortText(details.answer, value)}`);
  const { shell_stderr = "", shell_stdout = "" } = shell;
  lines.push(...lastLines("stderr", shell_stderr, most));
  if (shell_stderr.trim() === "") lines.push(...lastLines("stdout", shell_stdout, most));
  return lines;
}

const LONGEST_LINE = 300;

function lastLines(stream: string, text: string, most: number): readonly string[] {
  const lines = text.trimEnd().split("\n");
  if (text.trim() === "") return [];
  // What is kept is only the end, so that the number of all lines is not known.
  const which = lines.length > most ? `the last ${most} lines of ${stream}` : stream;
  return [`${which}:`, ...lines.slice(-most).map((line) => `  ${shortText(line, LONGEST_LINE)}`)];
}
