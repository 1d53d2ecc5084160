// `segno test`: a line for each scenario, what differed, and what no scenario ever took. With --generate a scenario for each error
// route that none takes yet; with --record one that plays a run again.
import { watch } from "node:fs";
import type { Call } from "../../../frontends/cli/command.ts";
import type { Colors } from "../../../frontends/cli/output.ts";
import { answerReported, notesOf, type ReportedCheck } from "../../../frontends/cli/report/reporters/index.ts";
import { plain, plainLineOf } from "../../../frontends/cli/text/harmless.ts";
import { amount } from "../../../frontends/cli/text/phrases.ts";
import { table } from "../../../frontends/cli/text/width.ts";
import { answerWith, refuse } from "../../../frontends/cli/usage-error.ts";
import { type TestAnswer, testScenarios } from "../test.ts";

export async function test(call: Call): Promise<number> {
  const { asked, output } = call;
  const workflow = asked.text("generate");
  if (workflow !== undefined) return generate(call, workflow);
  const run = asked.text("record");
  if (run !== undefined) return record(call, run);
  const reportedFiles = new Set<string>();
  const once = async (): Promise<number> => {
    const reporter = asked.text("reporter") ?? "text";
    const isShown = output.format === "text" && !output.quiet;
    const colors = output.outColors;
    // Each file once, also with --watch.
    const onRealCalls = (file: string, calls: readonly string[]): void => {
      if (reportedFiles.has(file)) return;
      reportedFiles.add(file);
      output.say(output.colors.dim(realCallsLine(file, calls)));
    };
    const answer = await testScenarios(asked.session, {
      paths: asked.arguments,
      coverage: asked.flag("coverage"),
      minErrorCoverage: asked.number("min-error-coverage"),
      ...(asked.flag("strict") ? {} : { strict: false }),
      onRealCalls: isShown && (reporter === "text" || reporter === "tap") ? onRealCalls : undefined,
      onScenario:
        isShown && reporter === "text" ? (report) => output.stdout.write(scenarioLine(report, colors)) : undefined,
    });
    return answerReported(
      answer,
      call,
      () => checksOfScenarios(answer),
      () => {
        if (answer.exit_code === 2 && answer.passed + answer.failed + answer.skipped === 0)
          return refuse(answer, output);
        if (answer.coverage) output.stdout.write(coverageText(answer.coverage, colors));
        output.stdout.write(testSummary(answer, colors));
      },
    );
  };
  const code = await once();
  return asked.flag("watch") ? watched(call, once) : code;
}

const SETTLE_MS = 150;

/** Runs again whenever a YAML file below here changes; ends with Ctrl-C. */
async function watched({ asked, output }: Call, once: () => Promise<unknown>): Promise<number> {
  output.say(output.colors.dim("Watching; Ctrl-C ends it."));
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(asked.cwd, { recursive: true }, (_, name) => {
    if (!name || !/\.(ya?ml|m?js|sh|py)$/.test(name) || /node_modules|\.git\//.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void once(), SETTLE_MS);
  });
  await new Promise((resolve) => process.once("SIGINT", resolve));
  watcher.close();
  return 130;
}

/** Scenario results for people. */
export function scenarioLine(
  { name, passed, skipped, problems, refused = [], duration_ms }: TestAnswer["scenarios"][number],
  colors: Colors,
): string {
  const { green, red, yellow, dim } = colors;
  if (skipped !== undefined) return `${yellow("-")} ${plainLineOf(name)}  ${dim(`skipped: ${plainLineOf(skipped)}`)}\n`;
  const head = `${passed ? green("✓") : red("✗")} ${plainLineOf(name)}  ${dim(`${duration_ms} ms`)}\n`;
  const said = passed ? refused.map((one) => dim(plain(one))) : problems.map((problem) => red(plain(problem)));
  return head + said.map((text) => `    ${text.replaceAll("\n", "\n    ")}\n`).join("");
}

/** What is about to run for real, in one line that is also a comment of TAP. */
const realCallsLine = (file: string, calls: readonly string[]): string =>
  plainLineOf(`# ${file} does not script these steps, so they run for real: ${calls.join("; ")}`);

export function coverageText(
  { files, error_routes_percent }: NonNullable<TestAnswer["coverage"]>,
  colors: Colors,
): string {
  const { bold, dim, red, green } = colors;
  const share = ({ taken, total }: { readonly taken: number; readonly total: number }): string =>
    total === 0 ? dim("none") : (taken === total ? green : red)(`${taken}/${total}`);
  const hasPolicies = files.some(({ denials }) => denials.total > 0);
  const rows = files.map(({ file, steps, success_routes, error_routes, denials }) => [
    bold(plainLineOf(file)),
    ...[steps, success_routes, error_routes, ...(hasPolicies ? [denials] : [])].map(share),
  ]);
  const heads = ["FILE", "STEPS", "ROUTES", "ERROR ROUTES", ...(hasPolicies ? ["DENIALS"] : [])];
  const untaken = files.flatMap(({ file, untaken: list }) =>
    list.map(({ what, node, line, route }) => {
      const said = what === "step" ? `step ${node}` : `${what} of ${node}: ${route}`;
      return `  ${what === "error route" ? red("✗") : dim("·")} ${plainLineOf(file)}:${line}  ${plainLineOf(said)}`;
    }),
  );
  const missed = untaken.length > 0 ? `\nNever taken:\n${untaken.join("\n")}\n` : "";
  const verdict =
    error_routes_percent === null ? "there are no error routes" : `${error_routes_percent} % of error routes taken`;
  return `\n${table(heads, rows, colors, 120)}\n${missed}\n${verdict}\n`;
}

function testSummary({ passed, failed, skipped, error }: TestAnswer, { red, green }: Colors): string {
  const counts = [
    `${amount(passed, "scenario")} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  if (!error) return `${green("✓")} ${counts.join(", ")}\n`;
  return `${red("✗")} ${counts.join(", ")}${failed === 0 ? `; ${error}` : ""}\n`;
}

async function generate({ asked, output }: Call, file: string): Promise<number> {
  const { generateScenarios } = await import("../generate-scenarios.ts");
  const answer = await generateScenarios(asked.session, { file, paths: asked.arguments });
  const { green, yellow, dim } = output.outColors;
  return answerWith(answer, output, ({ generated, skipped, unfinished }) => {
    if (generated.length + unfinished.length === 0)
      return `${green("✓")} Every error route of ${plain(file)} is taken by a scenario already.\n`;
    const lines = [...generated, ...unfinished].map(({ file: path, route, skip }) =>
      skip === undefined
        ? `${green("✓")} ${path}  ${dim(plain(route))}`
        : `${yellow("-")} ${path}  ${dim(`${plain(route)}; ${plain(skip)}`)}`,
    );
    const left = skipped > 0 ? `, ${skipped} of them marked \`skip:\` for you to finish` : "";
    const written =
      generated.length > 0
        ? `${amount(generated.length, "scenario")} written${left}. ${asked.program} test runs them.\n`
        : "";
    const still =
      unfinished.length > 0
        ? `Not written again: ${amount(unfinished.length, "earlier scenario")} marked \`skip:\`, for you to finish.\n`
        : "";
    return `${lines.join("\n")}\n${written}${still}`;
  });
}

async function record({ asked, output }: Call, run: string): Promise<number> {
  const { recordScenario } = await import("../../history/record.ts");
  const place = { to: asked.text("to"), extends: asked.text("extends"), until: asked.text("until") };
  const answer = await recordScenario(asked.session, { run, ...place });
  const { green, red, dim } = output.outColors;
  if (answer.file !== null && !answer.passed && output.format === "text") {
    const why = answer.problems.map((problem) => `  ${plainLineOf(problem)}\n`).join("");
    output.stdout.write(`${red("✗")} ${answer.file} was written, and does not pass:\n${why}`);
    return answer.exit_code ?? 1;
  }
  return answerWith(answer, output, ({ file, notes }) => {
    const said = notes.map((note) => dim(`  ${plain(note)}\n`)).join("");
    return `${green("✓")} ${file} plays the run again, and passes.\n${said}`;
  });
}

function checksOfScenarios({ scenarios, failed, error, errors }: TestAnswer): readonly ReportedCheck[] {
  if (scenarios.length === 0) return [{ suite: "scenarios", name: "scenarios", notes: notesOf(errors, []) }];
  // When every scenario passed, what is wrong is that they take too few error routes.
  const coverage = (message: string): ReportedCheck => ({
    suite: "coverage",
    name: "error routes",
    notes: [{ level: "error", rule: "error-coverage", message }],
  });
  const checks = scenarios.map(
    ({ file, workflow: suite, name, findings, skipped, duration_ms }): ReportedCheck => ({
      suite,
      name,
      duration_ms,
      skipped,
      notes: findings.map(({ message, place = { file, line: 1, column: 1 } }) => ({
        level: "error",
        rule: "scenario",
        message: `${name}: ${message}`,
        place,
      })),
    }),
  );
  return failed === 0 && error !== null ? [...checks, coverage(error)] : checks;
}
