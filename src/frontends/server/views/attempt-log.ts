// What happened during one attempt: what was said to and by a model, what a process printed, what was used.

import type { EventData, RunEvent } from "../../../base/events/registry.ts";
import { type ListedChanges, listedChanges } from "../../../base/events/step-files.ts";
import type { VisitRecord } from "../../../base/events/visits/visit-record.ts";
import type { Redactor } from "../../../base/redact/index.ts";
import { MOST_IN_MEMORY } from "../../../steps/process/output.ts";
import { eventsOfTypes } from "../../../steps/types.ts";
import type { OfPrinted, WatchedRun } from "./watched-run.ts";

type Spoken = { readonly seq: number; readonly at: string } & (
  | { readonly what: "prompt"; readonly text: unknown; readonly context: readonly string[] }
  | { readonly what: "message" | "reasoning"; readonly text: unknown }
  | ToolCall
  | { readonly what: "note"; readonly type: string; readonly data: Readonly<Record<string, unknown>> }
);

interface ToolCall {
  readonly what: "tool";
  readonly tool: string;
  readonly arguments: unknown;
  result?: unknown;
  failed?: boolean;
  ended_at: string | null;
}

const MOST_SAID = 2000;
const NOTES: ReadonlySet<RunEvent["type"]> = new Set([...eventsOfTypes("noted"), "warning"]);

/** Reads the log between two events, both included, for what is the visit's own. */
export async function attemptLog(run: WatchedRun, visit: VisitRecord, from: number, to: number) {
  const said: Spoken[] = [];
  const printed = { stdout: new PrintedTail(), stderr: new PrintedTail() };
  const verdicts: Readonly<Record<string, unknown>>[] = [];
  const used: Usages = { calls: [], summary: undefined };
  let exitCode: number | null = null;
  let output: { readonly value: unknown } | undefined;
  let changes: ListedChanges | undefined;
  const addPrinted: OfPrinted = (chunk) => {
    // Redacted keys are compared: a key may hold a secret.
    if (isOf(visit, run.hidden({ ...chunk, data: { ...chunk.data, text: "" } })))
      printed[chunk.data.stream].add(chunk.data.text, chunk.seq);
  };
  for await (const event of run.log(from - 1, to, addPrinted)) {
    if (!isOf(visit, event)) continue;
    const { seq, ts: at } = event;
    switch (event.type) {
      case "agent_prompt_rendered":
        said.push({ what: "prompt", seq, at, text: event.data.rendered_prompt, context: event.data.context_keys });
        break;
      case "agent_message":
      case "agent_reasoning":
        speak(said, {
          what: event.type === "agent_message" ? "message" : "reasoning",
          seq,
          at,
          text: event.data.content,
        });
        break;
      case "agent_tool_start":
        said.push({
          what: "tool",
          seq,
          at,
          tool: event.data.tool_name,
          arguments: event.data.arguments,
          ended_at: null,
        });
        break;
      case "agent_tool_complete":
        toolEnded(said, event.data, at);
        break;
      case "script_completed":
        exitCode = event.data.exit_code;
        for (const stream of ["stdout", "stderr"] as const) printed[stream].count(event.data[`${stream}_bytes`]);
        break;
      case "policy_evaluated":
        verdicts.push(...event.data.verdicts);
        break;
      case "agent_usage":
        used.calls.push(event.data);
        break;
      case "agent_completed":
      case "agent_failed":
        used.summary = event.data;
        if (event.data.output !== undefined) output = { value: event.data.output };
        changes = listedChanges(event.data);
        break;
      default:
        if (NOTES.has(event.type)) said.push({ what: "note", seq, at, type: event.type, data: { ...event.data } });
    }
  }
  return {
    said: said.slice(-MOST_SAID),
    stdout: printed.stdout.shown(run.redactor),
    stderr: printed.stderr.shown(run.redactor),
    exit_code: exitCode,
    ...(output ? { output: output.value } : {}),
    changes: changes ?? null,
    ...usageOf(used),
    verdicts,
  };
}

interface Usages {
  readonly calls: Usage[];
  summary: Usage | undefined;
}
type Usage = Partial<EventData<"agent_usage">>;

/** Events of a step have its key, or its name and, in a group, its item. */
function isOf({ key, node, path, itemKey }: VisitRecord, event: RunEvent): boolean {
  if (event.path.length !== path.length || event.path.some((slot, index) => slot !== path[index])) return false;
  const data = event.data as unknown as Readonly<Record<string, unknown>>;
  if (data.key !== undefined) return data.key === key;
  return (data.agent_name ?? data.node) === node && (data.item_key === undefined || data.item_key === itemKey);
}

/** Pieces of one message are one message. */
function speak(said: Spoken[], next: Spoken & { readonly what: "message" | "reasoning" }): void {
  const before = said.at(-1);
  if (before?.what === next.what && typeof before.text === "string" && typeof next.text === "string")
    said[said.length - 1] = { ...before, text: before.text + next.text };
  else said.push(next);
}

function toolEnded(said: Spoken[], { tool_name, result, failed }: EventData<"agent_tool_complete">, at: string): void {
  const call = said.findLast(
    (one): one is Extract<Spoken, ToolCall> => one.what === "tool" && one.tool === tool_name && one.ended_at === null,
  );
  if (call) Object.assign(call, { result, ended_at: at, ...(failed === undefined ? {} : { failed }) });
}

function usageOf({ calls, summary }: Usages) {
  const counted = calls.length > 0 ? calls : summary?.model === undefined ? [] : [summary];
  if (counted.length === 0) return { tokens: null, cost_usd: null, models: [] };
  const sum = (field: "input_tokens" | "output_tokens" | "cache_read_tokens" | "reasoning_tokens"): number =>
    counted.reduce((total, call) => total + (call[field] ?? 0), 0);
  const isPriced = counted.every(({ cost_usd }) => typeof cost_usd === "number");
  return {
    tokens: {
      input: sum("input_tokens"),
      output: sum("output_tokens"),
      cached: sum("cache_read_tokens"),
      reasoning: sum("reasoning_tokens"),
    },
    cost_usd: isPriced ? counted.reduce((total, { cost_usd }) => total + (cost_usd ?? 0), 0) : null,
    models: [...new Set(counted.flatMap(({ model }) => model ?? []))],
  };
}

const SHOWN_CHARACTERS = 64 * 1024;
/** So much more is searched: a secret that begins before what is shown must be seen whole. */
const BEFORE = 64 * 1024;

/** The end of what a stream printed. Secrets are hidden in it alone: megabytes are not searched at each look. */
class PrintedTail {
  #chunks: string[] = [];
  #first = 0;
  #characters = 0;
  #bytes = 0;
  #firstSeq: number | null = null;
  #lastSeq: number | null = null;
  #isCut = false;

  add(text: string, seq: number): void {
    this.#chunks.push(text);
    this.#characters += text.length;
    this.#bytes += Buffer.byteLength(text);
    this.#firstSeq ??= seq;
    this.#lastSeq = seq;
    for (let oldest = this.#chunks[this.#first]; oldest !== undefined; oldest = this.#chunks[this.#first]) {
      if (this.#characters - oldest.length < SHOWN_CHARACTERS + BEFORE) break;
      this.#characters -= oldest.length;
      this.#first += 1;
      this.#isCut = true;
    }
    if (this.#first < 1000) return;
    this.#chunks = this.#chunks.slice(this.#first);
    this.#first = 0;
  }

  /** How much it was in all, once the process has ended: the log has the first 10 MiB. */
  count(bytes: number): void {
    if (bytes <= MOST_IN_MEMORY) return;
    this.#bytes = bytes;
    this.#isCut = true;
  }

  shown(redactor: Redactor) {
    const stream = redactor.stream();
    const text = stream.push(this.#chunks.slice(this.#first).join("")) + stream.end();
    return {
      text: text.slice(-SHOWN_CHARACTERS),
      bytes: this.#bytes,
      is_cut: this.#isCut || text.length > SHOWN_CHARACTERS,
      first_seq: this.#firstSeq,
      last_seq: this.#lastSeq,
    };
  }
}
