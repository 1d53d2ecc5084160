// `segno stats`: how runs ended, how long they took and what they cost, by workflow and step.
import { type StatsAnswer, statsOfRuns } from "../../../services/runs/stats.ts";
import type { Percentiles, WorkflowStats } from "../../../services/runs/stats-sums.ts";
import type { Call } from "../command.ts";
import { readFields } from "../inputs.ts";
import type { Colors } from "../output.ts";
import { plainLineOf } from "../text/harmless.ts";
import { amount, duration, money } from "../text/phrases.ts";
import { columns, table } from "../text/width.ts";
import { answerWith } from "../usage-error.ts";

export async function stats({ asked, output }: Call): Promise<number> {
  const [file] = asked.arguments;
  const answer = await statsOfRuns(asked.session, {
    file,
    workflow: asked.text("workflow"),
    since: asked.text("since"),
    until: asked.text("until"),
    status: asked.text("status"),
    inputs: readFields(asked.list("input")),
    limit: asked.number("limit"),
  });
  return answerWith(answer, output, (given) => statsText(given, output.outColors, output.width));
}

export function statsText(answer: StatsAnswer, colors: Colors, width: number): string {
  const { workflows, since, until, runs, more, without_steps } = answer;
  const day = (moment: string): string => moment.slice(0, 16).replace("T", " ");
  const within = `since ${day(since)}${until === null ? "" : `, until ${day(until)}`} UTC`;
  if (workflows.length === 0) return `No run has ended ${within}.\n`;
  const notes = [
    ...(more ? [`The newest ${amount(runs, "run")} are counted; --limit counts more.`] : []),
    ...(without_steps > 0
      ? [
          `${amount(without_steps, "run")} of release 0.3 ${without_steps === 1 ? "is" : "are"} counted without steps and resumes, rehearsals among them; \`segno doctor --reindex\` reads what is missing.`,
        ]
      : []),
  ];
  const parts = workflows.map((one) => workflowText(one, colors, width));
  return `${colors.dim(`Runs that ended, ${within}`)}\n\n${parts.join("\n\n")}\n${notes.map((note) => `\n${note}`).join("")}${notes.length > 0 ? "\n" : ""}`;
}

function workflowText(stats: WorkflowStats, colors: Colors, width: number): string {
  const { workflow, file, runs, completed, degraded, failed, cancelled, resumed, seconds, cost_usd, kinds, steps } =
    stats;
  const counts = [
    [completed, "completed"],
    [degraded, "degraded"],
    [failed, "failed"],
    [cancelled, "cancelled"],
  ] as const;
  const ends = counts.flatMap(([count, word]) => (count > 0 ? [`${count} ${word} (${percent(count / runs)})`] : []));
  const facts = columns(
    [
      [`  ${amount(runs, "run")}`, [...ends, ...(resumed > 0 ? [`${resumed} resumed`] : [])].join(", ")],
      ["  time", ofTimes(seconds)],
      ...(costs(cost_usd) ? [["  cost", costs(cost_usd)]] : []),
      ...(Object.keys(kinds).length > 0 ? [["  errors", kindsText(kinds)]] : []),
    ],
    width,
  );
  const rows = steps.map((step) => [
    `  ${plainLineOf(step.step)}`,
    String(step.runs),
    String(step.failed),
    duration(step.seconds.p50 * 1000),
    duration(step.seconds.p90 * 1000),
    step.cost_usd === null ? "" : money(step.cost_usd.p50),
    colors.dim(kindsText(step.kinds)),
  ]);
  const titles = ["  STEP", "RUNS", "FAILED", "P50", "P90", "COST", ""];
  const listed = rows.length === 0 ? "" : `\n${table(titles, rows, colors, width)}`;
  return `${colors.bold(plainLineOf(workflow))}  ${colors.dim(plainLineOf(file))}\n${facts}${listed}`;
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;

const ofTimes = ({ p50, p90 }: Percentiles): string =>
  `half within ${duration(p50 * 1000)}, nine of ten within ${duration(p90 * 1000)}`;

/** Nothing where no model was asked. */
const costs = (cost: Percentiles | null): string =>
  cost === null || cost.p90 === 0 ? "" : `half within ${money(cost.p50)}, nine of ten within ${money(cost.p90)}`;

const kindsText = (kinds: Readonly<Record<string, number>>): string =>
  Object.entries(kinds)
    .map(([kind, count]) => `${plainLineOf(kind)} ${count}`)
    .join(", ");
