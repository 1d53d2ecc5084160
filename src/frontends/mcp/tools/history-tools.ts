// What proves a repair: the runs there were, a test made of one, the tests there are, and what an edited file would have
// done to past runs.
import { resolve } from "node:path";
import { z } from "zod";
import { listedStatusWord, RUN_STATUSES } from "../../../base/results/index.ts";
import { beside, readEvalFile } from "../../../features/evals/eval-file.ts";
import { evalsShown } from "../../../features/evals/past-evals.ts";
import { type EvalPreview, runEval } from "../../../features/evals/run-eval.ts";
import { backtest } from "../../../features/history/backtest.ts";
import { recordScenario } from "../../../features/history/record.ts";
import {
  discoverScenarios,
  loadScenario,
  ScenarioError,
  scenarioJsonSchema,
} from "../../../features/scenarios/file.ts";
import { type TestAnswer, testScenarios } from "../../../features/scenarios/test.ts";
import { confinedFiles, confineFamily, confinePlace, requireRunBelow } from "../../../services/runs/roots.ts";
import { statsOfRuns } from "../../../services/runs/stats.ts";
import type { Percentiles, WorkflowStats } from "../../../services/runs/stats-sums.ts";
import { isBelow } from "../../../services/session/path-inside.ts";
import { answered, type ToolUse } from "../answer.ts";
import { runsBelow } from "../resources.ts";
import { arrayOf, defineTool, file, headOutput, run_id } from "../tool.ts";

const COUNT = { type: "integer" };

const givenTexts = z.record(z.string(), z.string()).optional().describe("only runs that were given these");

const list = defineTool({
  name: "run_list",
  description: "Past and present runs, newest first.",
  input: z.strictObject({
    status: z.enum(RUN_STATUSES).optional(),
    workflow: z.string().optional().describe("its name"),
    inputs: givenTexts,
    limit: z.int().min(1).max(100).default(20),
  }),
  output: headOutput({ runs: arrayOf() }),
  async run({ limit, ...wanted }, { session, roots }) {
    const answer = await runsBelow(roots, session, wanted);
    const runs = answer.runs.slice(0, limit);
    const lines = runs.map(
      ({ run_id, workflow, name, status, exit_code, kind, started_at }) =>
        `${run_id} ${workflow}${name === null ? "" : ` "${name}"`} ${listedStatusWord({ status, exit_code })}${kind ? ` (${kind})` : ""} ${started_at}`,
    );
    const { cells = [] } = answer.incomplete ?? {};
    if (cells.length > 0) lines.push(`Not in this list: runs of ${cells.join(", ")}, where no database answers.`);
    return answered({ ...answer, runs } as typeof answer, lines.join("\n") || "There are no runs.");
  },
});

const stats = defineTool({
  name: "run_stats",
  description: "How past runs ended, their time and cost (p50, p90) and errors, by workflow and step.",
  input: z.strictObject({
    file: file.optional(),
    since: z.string().optional().describe("30d when left out"),
    status: z.enum(["completed", "degraded", "terminated", "failed", "cancelled"]).optional(),
    inputs: givenTexts,
  }),
  output: headOutput({ workflows: arrayOf("with their steps") }),
  async run({ file: given, ...wanted }, { session, roots }) {
    const confined = given === undefined ? undefined : confinePlace(given, roots);
    const answer = await statsOfRuns(session, { ...wanted, file: confined }, (one) =>
      roots.some((root) => isBelow(one, root)),
    );
    return answered(answer, answer.workflows.flatMap(figuresLines).join("\n") || "No run has ended in that time.");
  },
});

function figuresLines(one: WorkflowStats): readonly string[] {
  const { workflow, runs, completed, failed, degraded, cancelled, resumed, seconds, cost_usd, kinds, steps } = one;
  const others = Object.entries({ degraded, cancelled, resumed }).filter(([, count]) => count > 0);
  const ends = [`${completed} completed`, `${failed} failed`, ...others.map(([name, count]) => `${count} ${name}`)];
  return [
    `${workflow}: ${runs} runs, ${ends.join(", ")}; ${spread(seconds, cost_usd)}${kindsText(kinds)}`,
    ...steps.map(
      ({ step, ...own }) =>
        `  ${step}: ${own.runs} runs, ${own.failed} failed; ${spread(own.seconds, own.cost_usd)}${kindsText(own.kinds)}`,
    ),
  ];
}

const spread = (seconds: Percentiles, cost: Percentiles | null): string =>
  `half within ${seconds.p50} s, nine of ten within ${seconds.p90} s${cost === null ? "" : `; half for $${cost.p50}, nine of ten for $${cost.p90}`}`;

function kindsText(kinds: Readonly<Record<string, number>>): string {
  const counts = Object.entries(kinds).map(([kind, count]) => `${kind} in ${count}`);
  return counts.length === 0 ? "" : `; errors: ${counts.join(", ")}`;
}

const test = defineTool({
  name: "workflow_test",
  description:
    "Plays scenarios (*.scenario.yaml) offline and says what differed. What is not scripted, or listed under `live`, fails.",
  input: z.strictObject({
    path: z.string().optional().describe("a scenario file or a folder; left out: all"),
    coverage: z.boolean().default(false).describe("also which error routes no scenario takes"),
  }),
  output: headOutput({ passed: COUNT, failed: COUNT, scenarios: arrayOf("each with its problems") }),
  annotations: { readOnlyHint: true },
  async run({ path, coverage }, { session, roots }) {
    const paths = path === undefined ? roots : [confinePlace(path, roots)];
    for (const scenario of discoverScenarios(paths, session.cwd)) confineScenario(scenario, { session, roots });
    const answer = await testScenarios(session, { paths, coverage, strict: true });
    const lines = answer.scenarios.flatMap(({ file, passed, skipped, problems }) => [
      `${file}: ${skipped ?? (passed ? "passed" : "failed")}`,
      ...problems.map((problem) => `  ${problem}`),
    ]);
    const measured = answer.coverage ? coverageLines(answer.coverage) : [];
    const text = [...lines, ...measured, ...(answer.error ? [answer.error] : [])].join("\n");
    return { ...answered(answer, ""), text };
  },
});

function coverageLines({ files, error_routes_percent }: NonNullable<TestAnswer["coverage"]>): readonly string[] {
  const share = ({ taken, total }: { readonly taken: number; readonly total: number }, what: string): string =>
    `${taken} of ${total} ${what}`;
  return [
    ...files.flatMap(({ file, steps, success_routes, error_routes, denials, untaken }) => [
      `${file}: taken ${[
        share(steps, "steps"),
        share(success_routes, "success routes"),
        share(error_routes, "error routes"),
        ...(denials.total > 0 ? [share(denials, "denials")] : []),
      ].join(", ")}`,
      ...untaken.map(
        ({ what, node, line, route }) =>
          `  never taken: ${what === "step" ? `step ${node}` : `${what} of ${node}: ${route}`} (line ${line})`,
      ),
    ]),
    error_routes_percent === null ? "There are no error routes." : `${error_routes_percent} % of error routes taken.`,
  ];
}

/** It, what it takes in and the workflow that it names are below the roots. */
function confineScenario(scenario: string, { session, roots }: Pick<ToolUse, "session" | "roots">): void {
  const files = confinedFiles(roots, session);
  try {
    confineFamily(loadScenario(scenario, session.cwd, files).workflow, roots, session);
  } catch (problem) {
    // One that cannot be read says why when it is played.
    if (!(problem instanceof ScenarioError)) throw problem;
  }
  for (const stray of files.strays) confinePlace(stray, roots);
}

const record = defineTool({
  name: "run_record",
  description: "Writes a scenario that plays the run again, offline, and says whether it passes.",
  input: z.strictObject({ run_id, to: z.string().optional().describe("the scenario file, or the folder for it") }),
  output: headOutput({ file: { type: ["string", "null"] }, passed: { type: "boolean" } }),
  annotations: { readOnlyHint: false, destructiveHint: false },
  async run(given, { session, roots }) {
    await requireRunBelow(given.run_id, roots, session);
    const answer = await recordScenario(session, {
      run: given.run_id,
      confine: (place) => void confinePlace(place, roots),
      to: given.to === undefined ? undefined : confinePlace(given.to, roots),
    });
    const verdict = answer.passed ? "passes" : "does not pass";
    return answered(answer, [`${answer.file}: ${verdict}`, ...answer.problems].join("\n"));
  },
});

const against = defineTool({
  name: "workflow_backtest",
  description:
    "Plays past runs through the file as it is now, offline: what would be better or worse, and by which line.",
  input: z.strictObject({
    file,
    runs: z.int().min(1).max(1000).default(100).describe("how many of the newest"),
    since: z.string().optional().describe("how old at most: 30d"),
  }),
  output: headOutput({ counts: { type: "object" }, groups: arrayOf("runs that end alike") }),
  async run(given, { session, roots }) {
    const { root, file: path } = confineFamily(given.file, roots, session);
    const here = { ...session, cwd: root };
    const answer = await backtest(here, { file: path, since: given.since, limit: given.runs });
    const lines = answer.groups.map(({ count, verdict, step, line, was, now, routes, why, example }) => {
      const both = routes ? ` (${routes.was} → ${routes.now})` : "";
      const where = `${step === null ? "" : ` from ${step} on${both}`}${line === null ? "" : `, line ${line}`}`;
      return verdict === "same"
        ? `${count} same`
        : `${count} ${verdict}: ${why ?? `${was}, now ${now}`}${where} (${example})`;
    });
    return answered(answer, lines.join("\n"));
  },
});

const evaluated = defineTool({
  name: "workflow_eval",
  description:
    "An eval (*.eval.yaml): what it would do for real and cost, and what it came to last. Runs nothing: a person starts it.",
  input: z.strictObject({ file: z.string().describe("the eval file") }),
  output: headOutput({ preview: { type: "object" }, last: { type: ["object", "null"] } }),
  async run(given, { session, roots }) {
    const path = confinePlace(given.file, roots);
    confineEval(path, { session, roots });
    const { preview, ...answer } = await runEval(session, { path, dryRun: true });
    const last = roots
      .flatMap((cwd) => evalsShown({ ...session, cwd }).map((one) => ({ ...one, cwd })))
      .find(({ file: shown, cwd }) => resolve(cwd, shown) === path);
    const { cwd: _, ...shown } = last ?? { cwd: "" };
    return answered(
      { ...answer, preview: preview ?? {}, last: last ? shown : null } as Parameters<typeof answered>[0],
      [
        ...(preview ? [previewText(preview)] : []),
        ...(last?.summary ?? []).map(
          ({ variant, passed, measured, cost_usd }) =>
            `${last?.started_at} ${variant}: ${passed} of ${measured} passed, $${cost_usd ?? 0}`,
        ),
      ].join("\n"),
    );
  },
});

/** It and what it names are below the roots. */
function confineEval(path: string, { session, roots }: Pick<ToolUse, "session" | "roots">): void {
  const { spec } = readEvalFile(path, confinedFiles(roots, session));
  if (!spec) return;
  confineFamily(beside(path, spec.workflow), roots, session);
  if (spec.scenario !== undefined) confineScenario(beside(path, spec.scenario), { session, roots });
  const named = [spec.dataset, ...spec.grade.flatMap(({ schema, script }) => [schema, script])];
  for (const name of named) if (typeof name === "string") confinePlace(beside(path, name), roots);
}

function previewText({ runs, rows, live, answered: scripted, estimate_usd }: EvalPreview): string {
  const real = live.map(({ step }) => step).join(", ") || "nothing";
  const cost = estimate_usd === null ? "" : ` About $${estimate_usd}.`;
  return `${rows} rows, ${runs} runs. For real: ${real}. Answered for: ${scripted.join(", ") || "nothing"}.${cost}`;
}

export { scenarioJsonSchema };

export const historyTools = [list, stats, record, test, against, evaluated];
