// An eval for other programs and for pull requests: CSV with every run, Markdown with the summary.
import type { EvalAnswer, OneEval } from "../../../services/eval/run-eval.ts";
import type { EvalRow } from "../../../services/eval/summary.ts";
import { money } from "../../text/phrases.ts";
import { errorsText, percent, rateText, reasonOf } from "./eval-text.ts";

const COLUMNS = [
  "eval",
  "id",
  "variant",
  "repeat",
  "passed",
  "status",
  "kind",
  "cost_usd",
  "duration_ms",
  "run_id",
  "why",
];

export function evalCsv({ evals }: EvalAnswer): string {
  const lines = evals.flatMap(({ name, rows }) =>
    rows.map((row) =>
      [
        name,
        row.id,
        row.variant,
        row.repeat,
        row.passed,
        row.status,
        row.kind,
        row.cost_usd,
        row.duration_ms,
        row.run_id,
        reasonOf(row),
      ]
        .map(csvCell)
        .join(","),
    ),
  );
  return `${[COLUMNS.join(","), ...lines].join("\n")}\n`;
}

/** A cell that begins like a formula is one to a spreadsheet. */
function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value);
  const harmless = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export const evalMarkdown = ({ evals }: EvalAnswer): string => evals.map(oneMarkdown).join("\n");

function oneMarkdown({ name, summary, rows, differences, compare = [] }: OneEval): string {
  const hasRepeats = summary.some(({ k }) => k !== undefined);
  const failed = rows.filter(({ passed }) => passed !== true);
  return [
    `## ${cell(name)}`,
    "",
    ...table(
      [
        "variant",
        "passed",
        "rate (95 %)",
        ...(hasRepeats ? ["pass@k", "pass^k"] : []),
        "not measured",
        "cost",
        "errors",
      ],
      summary.map((one) => [
        one.variant,
        `${one.passed} of ${one.measured}`,
        rateText(one),
        ...(hasRepeats ? [percent(one.pass_at_k ?? null), percent(one.pass_all_k ?? null)] : []),
        String(one.not_measured),
        money(one.cost_usd),
        errorsText(one.errors),
      ]),
    ),
    ...(summary.some(({ tags }) => tags.length > 0)
      ? [
          "",
          ...table(
            ["tag", "variant", "passed", "rate (95 %)"],
            summary.flatMap(({ variant, tags }) =>
              tags.map((tag) => [tag.tag, variant, `${tag.passed} of ${tag.measured}`, rateText(tag)]),
            ),
          ),
        ]
      : []),
    ...compare.flatMap(({ variant, was, now, broken, fixed, significantly_worse }) => [
      "",
      `**${cell(variant)}**: ${percent(was)} → ${percent(now)}, ${broken.length} rows broken, ${fixed.length} fixed${significantly_worse ? ": significantly worse" : ""}.`,
    ]),
    ...(differences.length > 0
      ? [
          "",
          ...table(
            ["row that differs", ...summary.map(({ variant }) => variant)],
            differences.map(({ id, passed }) => [
              id,
              ...summary.map(({ variant }) => percent(passed[variant] ?? null)),
            ]),
          ),
        ]
      : []),
    ...(failed.length > 0 ? ["", ...table(["row", "variant", "passed", "why", "run"], failed.map(failedCells))] : []),
    "",
  ].join("\n");
}

const failedCells = (row: EvalRow): readonly string[] => [
  ...[row.id, `${row.variant}${row.repeat > 1 ? ` #${row.repeat}` : ""}`],
  ...[row.passed === null ? "not measured" : "no", reasonOf(row), row.run_id],
];

const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`);

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replace(/\s+/g, " ");
