// An eval as text for a terminal: the variants as a table, then what differs, what failed, and what was not measured.

import type { Colors } from "../../../frontends/cli/output.ts";
import { plainLineOf } from "../../../frontends/cli/text/harmless.ts";
import { amount, compact, duration, money } from "../../../frontends/cli/text/phrases.ts";
import { columns } from "../../../frontends/cli/text/width.ts";
import { measureWords } from "../measures.ts";
import type { VariantComparison } from "../past-evals.ts";
import type { EvalAnswer, EvalPreview, OneEval } from "../run-eval.ts";
import type { EvalRow, Rate, VariantSummary } from "../summary.ts";

/** So many rows of a sort are shown; the other reports have all. */
const MOST_ROWS = 20;

export const percent = (share: number | null): string => (share === null ? "–" : `${Math.round(share * 1000) / 10} %`);

/** `66.7 % (9.4 % to 99.2 %)`. */
export const rateText = ({ rate, low, high }: Pick<Rate, "rate" | "low" | "high">): string =>
  rate === null ? "not measured" : `${percent(rate)} (${percent(low)} to ${percent(high)})`;

export const errorsText = (errors: Readonly<Record<string, number>>): string =>
  Object.entries(errors)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");

/** What made a row fail, or kept it from being measured. */
export const reasonOf = ({ why, grades }: EvalRow): string =>
  why ??
  grades.flatMap(({ name, passed, why: said }) => (passed === false ? [`${name}: ${said ?? "no"}`] : [])).join("; ");

export function evalText({ evals }: EvalAnswer, colors: Colors, width: number): string {
  const texts = evals.map((one) => (one.preview ? previewText(one, one.preview, colors) : oneText(one, colors, width)));
  const words = measureWords(evals.flatMap(({ summary }) => summary));
  return [...texts, ...(words === undefined ? [] : [colors.dim(`${words}\n`)])].join("\n");
}

function oneText(one: OneEval, colors: Colors, width: number): string {
  const { name, rows, summary, differences, compare = [] } = one;
  const { dim, bold } = colors;
  const ids = new Set(rows.map(({ id }) => id)).size;
  const failed = rows.filter(({ passed }) => passed === false);
  const unmeasured = rows.filter(({ passed }) => passed === null);
  const parts = [
    `${bold(plainLineOf(name))}  ${dim(`${amount(ids, "row")}, ${amount(rows.length, "run")}`)}`,
    columns(
      summary.flatMap((variant) => variantRows(variant, colors)),
      width,
    ),
    ...section(
      "Rows that differ between variants",
      differences.map(({ id, passed }) => [
        `  ${plainLineOf(id)}`,
        Object.entries(passed)
          .map(([variant, share]) => `${variant} ${percent(share)}`)
          .join(", "),
      ]),
      { colors, width },
    ),
    ...section("Failed", failed.map(rowCells(colors)), { colors, width }),
    ...section("Not measured", unmeasured.map(rowCells(colors)), { colors, width }),
    ...compare.map((compared) => comparisonText(compared, colors)),
  ];
  return `${parts.join("\n")}\n`;
}

const rowCells =
  ({ dim }: Colors) =>
  (row: EvalRow): readonly string[] => [
    `  ${plainLineOf(row.id)}`,
    `${plainLineOf(row.variant)}${row.repeat > 1 ? ` #${row.repeat}` : ""}`,
    dim(row.run_id),
    plainLineOf(reasonOf(row)),
  ];

function section(
  heading: string,
  rows: readonly (readonly string[])[],
  { colors, width }: { readonly colors: Colors; readonly width: number },
): readonly string[] {
  if (rows.length === 0) return [];
  const more = rows.length > MOST_ROWS ? [colors.dim(`  and ${rows.length - MOST_ROWS} more`)] : [];
  return ["", heading, columns(rows.slice(0, MOST_ROWS), width), ...more];
}

function variantRows(summary: VariantSummary, { dim, green, red, yellow }: Colors): readonly (readonly string[])[] {
  const { variant, measured, passed, rate, cost_usd, tokens, duration_ms, errors, tags, not_measured } = summary;
  const paint = rate === null ? yellow : rate === 1 ? green : rate === 0 ? red : (text: string) => text;
  const more = [
    not_measured > 0 && `${not_measured} not measured`,
    summary.k !== undefined && `pass@${summary.k} ${percent(summary.pass_at_k ?? null)}`,
    summary.k !== undefined && `pass^${summary.k} ${percent(summary.pass_all_k ?? null)}`,
    cost_usd > 0 && money(cost_usd),
    tokens > 0 && `${compact(tokens)} tokens`,
    duration_ms && `median ${duration(duration_ms.median)}, p95 ${duration(duration_ms.p95)}`,
    errorsText(errors),
  ].filter(Boolean);
  return [
    [`  ${plainLineOf(variant)}`, `${passed} of ${measured}`, paint(rateText(summary)), dim(more.join(", "))],
    ...tags.map((tag) => [
      ...[`    ${plainLineOf(tag.tag)}`, `${tag.passed} of ${tag.measured}`, rateText(tag)].map(dim),
      "",
    ]),
  ];
}

function comparisonText(compared: VariantComparison, { red, green, dim }: Colors): string {
  const { variant, was, now, broken, fixed, p, significantly_worse, cost_usd, errors } = compared;
  const verdict = significantly_worse ? red("significantly worse") : "no significant change for the worse";
  const kinds = Object.entries(errors).map(([kind, count]) => `${kind} ${count.was} → ${count.now}`);
  return [
    "",
    `Against the earlier eval, ${plainLineOf(variant)}: ${percent(was)} → ${percent(now)}, ${verdict} ${dim(`(p ${p.toFixed(3)})`)}`,
    ...(broken.length > 0 ? [`  ${red("broken")} ${plainLineOf(broken.join(", "))}`] : []),
    ...(fixed.length > 0 ? [`  ${green("fixed")} ${plainLineOf(fixed.join(", "))}`] : []),
    ...(cost_usd.was === cost_usd.now ? [] : [`  cost ${money(cost_usd.was)} → ${money(cost_usd.now)}`]),
    ...(kinds.length > 0 ? [`  ${plainLineOf(kinds.join(", "))}`] : []),
  ].join("\n");
}

function previewText({ name }: OneEval, preview: EvalPreview, { bold, dim }: Colors): string {
  const { runs, rows, live, answered, graders, estimate_usd, past_runs, variants } = preview;
  const cost =
    estimate_usd === null
      ? "What it would cost is not known: of a model that it asks there is no past run with a price."
      : `About ${money(estimate_usd)}, from ${amount(past_runs, "past run")}.`;
  const isSplit = variants.length > 1 || variants.some(({ models }) => models.length > 1);
  return [
    `${bold(plainLineOf(name))}  ${dim(`${amount(rows, "row")}, ${amount(runs, "run")}`)}`,
    live.length + graders.length === 0 ? "Nothing would be real." : "For real, in every run:",
    ...live.map(
      ({ step, type, model }) =>
        `  ${plainLineOf(step)}  ${dim(type === "agent" ? `asks ${model ?? "its model"}` : type)}`,
    ),
    ...graders.map((grader) => `  ${plainLineOf(grader)}`),
    ...(answered.length > 0 ? [`Answered from a recording, or the scenario: ${plainLineOf(answered.join(", "))}`] : []),
    cost,
    ...(isSplit ? variants.map((variant) => dim(`  ${estimateText(variant)}`)) : []),
    "",
  ].join("\n");
}

/** `small  20 runs, about $0.10: small $0.005 a run`. */
function estimateText({ variant, runs, estimate_usd, models }: EvalPreview["variants"][number]): string {
  const cost = estimate_usd === null ? "cost not known" : `about ${money(estimate_usd)}`;
  const each = models.map(
    ({ model, usd_per_run }) =>
      `${plainLineOf(model)} ${usd_per_run === null ? "not known" : `${money(usd_per_run)} a run`}`,
  );
  return `${plainLineOf(variant)}  ${amount(runs, "run")}, ${cost}${each.length > 0 ? `: ${each.join(", ")}` : ""}`;
}
