// An eval for other programs and for pull requests: CSV with every run, Markdown with the summary, and one HTML file.

import { duration, money } from "../../../frontends/cli/text/phrases.ts";
import { measureWords } from "../measures.ts";
import type { EvalAnswer, OneEval } from "../run-eval.ts";
import type { EvalRow, VariantSummary } from "../summary.ts";
import { errorsText, percent, rateText, reasonOf } from "./eval-text.ts";

const STYLE = `:root{color-scheme:light dark;--line:#8884;--good:#2a8a4a;--bad:#c33;--dim:#888}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{text-align:left;padding:.35rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}.dim{color:var(--dim)}code{font-size:.85em}
.bar{position:relative;height:.6rem;min-width:9rem;background:var(--line);border-radius:.3rem}
.bar i{position:absolute;top:0;bottom:0;background:var(--dim);border-radius:.3rem}.bar b{position:absolute;top:-.15rem;bottom:-.15rem;width:.2rem;background:currentColor}
details{margin:.2rem 0}summary{cursor:pointer}`;

/** One HTML file: no script, no picture, no address but `page`, the address of the page that has the runs. */
export function evalHtml({ evals, file }: EvalAnswer, page: string | undefined): string {
  const title = evals.map(({ name }) => name).join(", ") || file;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${html(title)}</title><style>${STYLE}</style></head><body>
${evals.map((one) => oneHtml(one, page)).join("\n")}
</body></html>
`;
}

function oneHtml(one: OneEval, page: string | undefined): string {
  const { name, workflow, summary, differences, rows, compare = [] } = one;
  const words = measureWords(summary);
  return `<h1>${html(name)}</h1><p class="dim">${html(workflow)} · ${rows.length} runs</p>
${htmlTable(["variant", "passed", "rate, 95 % interval", "", "pass@k", "pass^k", "cost", "time: median, p95", "errors"], summary.flatMap(summaryRows))}
${words === undefined ? "" : `<p class="dim">${html(words)}</p>`}
${compare.map(({ variant, was, now, broken, fixed, significantly_worse }) => `<p>${html(variant)} against the earlier eval: ${percent(was)} → ${percent(now)}, ${broken.length} rows broken${list(broken)}, ${fixed.length} fixed${list(fixed)}${significantly_worse ? ', <strong class="bad">significantly worse</strong>' : ""}.</p>`).join("\n")}
${
  differences.length === 0
    ? ""
    : `<h2>Rows that differ between variants</h2>${htmlTable(
        ["row", ...summary.map(({ variant }) => html(variant))],
        differences.map(({ id, passed }) => [
          html(id),
          ...summary.map(({ variant }) => percent(passed[variant] ?? null)),
        ]),
      )}`
}
<h2>Rows</h2>
${htmlTable(
  ["row", "variant", "passed", "grades", "cost", "time", "run"],
  rows.map((row) => rowCells(row, page)),
)}`;
}

const list = (ids: readonly string[]): string => (ids.length === 0 ? "" : ` (${html(ids.join(", "))})`);

function summaryRows(one: VariantSummary): readonly (readonly string[])[] {
  const { variant, passed, measured, not_measured, low, high, rate, cost_usd, duration_ms, errors, tags } = one;
  const bar = (from: number | null, to: number | null, at: number | null): string =>
    from === null || to === null || at === null
      ? ""
      : `<div class="bar"><i style="left:${from * 100}%;width:${(to - from) * 100}%"></i><b style="left:${at * 100}%"></b></div>`;
  return [
    [
      `<strong>${html(variant)}</strong>`,
      `${passed} of ${measured}${not_measured > 0 ? ` <span class="dim">${not_measured} not measured</span>` : ""}`,
      rateText(one),
      bar(low, high, rate),
      one.k === undefined ? "" : percent(one.pass_at_k ?? null),
      one.k === undefined ? "" : percent(one.pass_all_k ?? null),
      money(cost_usd),
      duration_ms ? `${duration(duration_ms.median)}, ${duration(duration_ms.p95)}` : "",
      html(errorsText(errors)),
    ],
    ...tags.map((tag) => [
      `<span class="dim">${html(tag.tag)}</span>`,
      `${tag.passed} of ${tag.measured}`,
      rateText(tag),
      bar(tag.low, tag.high, tag.rate),
      "",
      "",
      "",
      "",
      "",
    ]),
  ];
}

function rowCells(row: EvalRow, page: string | undefined): readonly string[] {
  const { id, variant, repeat, passed, grades, cost_usd, duration_ms, run_id } = row;
  const word =
    passed === null
      ? '<span class="dim">not measured</span>'
      : passed
        ? '<span class="good">yes</span>'
        : '<span class="bad">no</span>';
  const detail = grades
    .map(
      ({ name, passed: has, score, why }) =>
        `${has === null ? "–" : has ? "✓" : "✗"} ${html(name)}${score !== null && score !== 0 && score !== 1 ? ` ${score}` : ""}${why ? `: ${html(why)}` : ""}`,
    )
    .join("<br>");
  const outcome =
    passed === true
      ? `<details><summary>${grades.length} grades</summary>${detail}</details>`
      : detail || html(reasonOf(row));
  const address = page === undefined ? undefined : `${page.replace(/\/$/, "")}/#/runs/${encodeURIComponent(run_id)}`;
  return [
    html(id),
    `${html(variant)}${repeat > 1 ? ` #${repeat}` : ""}`,
    word,
    outcome,
    cost_usd === null ? "" : money(cost_usd),
    duration_ms === null ? "" : duration(duration_ms),
    address && /^https?:/.test(address)
      ? `<a href="${html(address)}"><code>${html(run_id)}</code></a>`
      : `<code>${html(run_id)}</code>`,
  ];
}

/** Cells are HTML already. */
const htmlTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<table><thead><tr>${head.map((one) => `<th>${one}</th>`).join("")}</tr></thead><tbody>${rows
    .map((row) => `<tr>${row.map((one) => `<td>${one}</td>`).join("")}</tr>`)
    .join("\n")}</tbody></table>`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const html = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

const COLUMNS = "eval id variant repeat passed status kind cost_usd duration_ms run_id why".split(" ");

export function evalCsv({ evals }: EvalAnswer): string {
  const lines = evals.flatMap(({ name, rows }) =>
    rows.map((row) => {
      const cells: Readonly<Record<string, unknown>> = { ...row, eval: name, why: reasonOf(row) };
      return COLUMNS.map((column) => csvCell(cells[column])).join(",");
    }),
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
  const words = measureWords(summary);
  const failed = rows.filter(({ passed }) => passed !== true);
  return [
    `## ${cell(name)}`,
    ...markdownTable(
      [
        "variant",
        "passed",
        "rate (95 %)",
        ...(hasRepeats ? ["pass@k", "pass^k"] : []),
        "not measured",
        "cost",
        "time: median, p95",
        "errors",
      ],
      summary.map((one) => [
        one.variant,
        `${one.passed} of ${one.measured}`,
        rateText(one),
        ...(hasRepeats ? [percent(one.pass_at_k ?? null), percent(one.pass_all_k ?? null)] : []),
        String(one.not_measured),
        money(one.cost_usd),
        one.duration_ms ? `${duration(one.duration_ms.median)}, ${duration(one.duration_ms.p95)}` : "",
        errorsText(one.errors),
      ]),
    ),
    ...(words === undefined ? [] : ["", words]),
    ...someRows(
      ["tag", "variant", "passed", "rate (95 %)"],
      summary.flatMap(({ variant, tags }) =>
        tags.map((tag) => [tag.tag, variant, `${tag.passed} of ${tag.measured}`, rateText(tag)]),
      ),
    ),
    ...compare.flatMap(({ variant, was, now, broken, fixed, significantly_worse }) => [
      "",
      `**${cell(variant)}**: ${percent(was)} → ${percent(now)}, ${broken.length} rows broken, ${fixed.length} fixed${significantly_worse ? ": significantly worse" : ""}.`,
    ]),
    ...someRows(
      ["row that differs", ...summary.map(({ variant }) => variant)],
      differences.map(({ id, passed }) => [id, ...summary.map(({ variant }) => percent(passed[variant] ?? null))]),
    ),
    ...someRows(["row", "variant", "passed", "why", "run"], failed.map(failedCells)),
    "",
  ].join("\n");
}

const failedCells = (row: EvalRow): readonly string[] => [
  row.id,
  `${row.variant}${row.repeat > 1 ? ` #${row.repeat}` : ""}`,
  row.passed === null ? "not measured" : "no",
  reasonOf(row),
  row.run_id,
];

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] => [
  "",
  ...[head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`),
];

/** Nothing without rows. */
const someRows: typeof markdownTable = (head, rows) => (rows.length === 0 ? [] : markdownTable(head, rows));

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replace(/\s+/g, " ");
