// How a run ended, in one line. It is always the last thing said on stderr.

import { endingWords } from "../../../base/errors/who-handles.ts";
import { shortRunId } from "../../../base/events/typeable.ts";
import { type Result, resultStatusWord } from "../../../base/results/index.ts";
import type { Colors } from "../output.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { amount, compact, GLYPHS, type Glyph, money, paint, signOf, tookAtLeast } from "../text/phrases.ts";
import { hang } from "../text/width.ts";

function sayingOf(result: Result, isExplained: boolean): readonly [Glyph, words: string] {
  // `dlq retry`: the run has ended well without the item, but what was asked for did not happen.
  if (!result.success && result.error && (result.status === "completed" || result.status === "degraded"))
    return [GLYPHS.failed, `${result.status}, but ${result.error}`];
  if (result.status === "terminated" && result.exit_code === 3 && result.degraded)
    return [GLYPHS.failed, `terminated, and ${result.error}`];
  switch (result.status) {
    case "completed":
    case "valid":
      return [GLYPHS.done, result.status];
    case "degraded":
      return [GLYPHS.recovered, "degraded: members of a group were lost"];
    case "terminated": {
      const { reason = "", terminated_by: by = "" } = result.termination ?? {};
      const lost = result.degraded ? ", and members of a group were lost" : "";
      const glyph = !result.success ? GLYPHS.failed : result.degraded ? GLYPHS.recovered : GLYPHS.done;
      return [glyph, `terminated by ${by}: ${reason}${lost}`];
    }
    case "paused":
      return [GLYPHS.asks, `paused at ${waitingAt(result)}, which ${isOne(result) ? "waits" : "wait"} for an answer`];
    case "cancelled":
      return [GLYPHS.cancelled, "cancelled"];
    case "queued":
      return [GLYPHS.start, "queued: a worker takes it when one is free"];
    case "running":
      return [GLYPHS.start, "running"];
    case "failed":
      return [GLYPHS.failed, isExplained ? failedAt(result) : `${resultStatusWord(result)}: ${result.error ?? ""}`];
    case "invalid":
      return [GLYPHS.failed, `${result.file ?? "the inputs"}: nothing ran`];
    default:
      return result.status satisfies never;
  }
}

/** @example "failed at publish: external.git.drift" */
function failedAt(result: Result): string {
  const [first, ...others] = result.errors;
  const status = resultStatusWord(result);
  if (!first) return status;
  const name = first.kind ?? (first.error_type === undefined ? first.category : endingWords(first.error_type));
  const more = others.length === 0 ? "" : `, and ${amount(others.length, "more error")}`;
  return `${status}${first.node_id === null ? "" : ` at ${first.node_id}`}: ${name}${more}`;
}

const isOne = ({ gates = [] }: Result): boolean => gates.length <= 1;

function waitingAt({ gate, gates = [] }: Result): string {
  const name = gate?.name ?? "a gate";
  return gates.length > 1 ? `${name} and ${gates.length - 1} more` : name;
}

/** What belongs together is not torn apart where a line ends: `run 01M7…`. */
const unbroken = (text: string): string => text.replaceAll(" ", "\u00a0");

interface StatusView {
  readonly colors: Colors;
  /** How many columns there are to break at; a log has one line. */
  readonly terminal?: number | undefined;
  /** The errors stand in the same report, with their messages. */
  readonly isExplained?: boolean;
}

export function statusLine(result: Result, { colors, terminal, isExplained = false }: StatusView): string {
  const [glyph, words] = sayingOf(result, isExplained);
  const called = result.name === undefined ? "" : `"${plainLineOf(result.name)}" `;
  const name = result.workflow ? `${colors.bold(plainLineOf(result.workflow))} ${called}` : "";
  const facts = [
    result.execution?.duration_ms != null && tookAtLeast(result.execution.duration_ms, isCutOff(result)),
    result.execution && `${result.execution.nodes_executed} of ${amount(result.execution.nodes_total, "step")}`,
    cost(result),
    result.run_id && `run ${terminal === undefined ? result.run_id : shortRunId(result.run_id)}`,
  ].filter((fact) => typeof fact === "string");
  const tail = facts.length > 0 ? colors.dim(`  ${facts.map(unbroken).join("\u00a0· ")}`) : "";
  const said = `${name}${paint(glyph.tone, plain(words).replaceAll("\n", " "), colors)}${tail}`;
  return hang(signOf(glyph, colors), said, terminal).replaceAll("\u00a0", " ");
}

const isCutOff = ({ errors }: Result): boolean => errors.some(({ error_type }) => error_type === "Interrupted");

export function cost({ metrics }: Result): string | undefined {
  if (!metrics) return undefined;
  const tokens = metrics.tokens.input + metrics.tokens.output;
  if (tokens === 0 && !metrics.total_cost_usd) return undefined;
  const price =
    metrics.total_cost_usd === null
      ? `cost unknown (${metrics.unpriced_models.join(", ")})`
      : `${metrics.estimated_models ? "about " : ""}${money(metrics.total_cost_usd)}`;
  return `${compact(tokens)} tokens, ${price}`;
}
