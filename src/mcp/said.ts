// A result in a few lines, for clients that show only text: what happened, what may be changed, how to go on.
import type { Entry, Head, Result, ResultGate } from "../results/result.ts";
import { gateForClient, type ToolAnswer } from "./session.ts";

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
export const findingLine = ({ location, message, rule }: Entry): string =>
  `${location ? `${location.file}:${location.line}:${location.column}: ` : ""}${message} (${rule})`;

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
export const cutTo = (most: number, text: string): string => text.slice(0, most).replace(/\p{Surrogate}$/u, "");

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
export function drivenAnswer(result: Result): ToolAnswer {
  const waitsAt = gateForClient(result);
  return { ...resultAnswer(result), ...(waitsAt ? { waitsAt } : {}) };
}

/** How a run ended is the answer, not an error of asking; a run that is not there is one. */
export const statusAnswer = (result: Result): ToolAnswer => ({
  object: { ...result },
  text: said(result),
  isError: result.run_id === null || result.status === "invalid",
});
