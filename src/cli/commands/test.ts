// `segno test`: a line for each scenario, what differed, and what no scenario ever took.
import { watch } from "node:fs";
import { type TestAnswer, testScenarios } from "../../services/scenarios/test.ts";
import type { Call } from "../command.ts";
import type { Colors } from "../output.ts";
import { checksOfScenarios } from "../report/reporters/checks-of.ts";
import { reported } from "../report/reporters/index.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { table } from "../text/width.ts";
import { refuse } from "../usage-error.ts";

export default async function test(call: Call): Promise<number> {
  const { asked, output, version } = call;
  const workflow = asked.text("generate");
  if (workflow !== undefined) return (await import("./test-generate.ts")).default(call, workflow);
  const run = asked.text("record");
  if (run !== undefined) return (await import("./test-record.ts")).default(call, run);
  const reportedFiles = new Set<string>();
  const once = async (): Promise<TestAnswer> => {
    const reporter = asked.text("reporter") ?? "text";
    const isText = output.format === "text" && reporter === "text";
    const colors = output.outColors;
    // Each file once, also with --watch.
    const onRealCalls = (file: string, calls: readonly string[]): void => {
      if (reportedFiles.has(file)) return;
      reportedFiles.add(file);
      output.say(output.colors.dim(realCallsLine(file, calls)));
    };
    const minimum = asked.number("min-error-coverage");
    const answer = await testScenarios(asked.session, {
      paths: asked.arguments,
      coverage: asked.flag("coverage"),
      minErrorCoverage: minimum,
      ...(asked.flag("strict") ? {} : { strict: false }),
      ...((isText || reporter === "tap") && output.format === "text" && !output.quiet ? { onRealCalls } : {}),
      ...(isText && !output.quiet ? { onScenario: (report) => output.stdout.write(scenarioLine(report, colors)) } : {}),
    });
    const report = reported(reporter, () => checksOfScenarios(answer), { version, asked });
    if (output.format !== "text") output.json(answer);
    else if (report !== undefined) output.report(report);
    else if (answer.exit_code === 2 && answer.passed + answer.failed + answer.skipped === 0) refuse(answer, output);
    else {
      if (answer.coverage) output.stdout.write(coverageText(answer.coverage, colors));
      output.stdout.write(testSummary(answer, colors));
    }
    return answer;
  };
  const answer = await once();
  if (!asked.flag("watch")) return answer.exit_code ?? 1;
  return watched(call, once);
}

const SETTLE_MS = 150;

/** Runs again whenever a YAML file below here changes; ends with Ctrl-C. */
async function watched({ asked, output }: Call, once: () => Promise<TestAnswer>): Promise<number> {
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
  const rows = files.map((file) => [
    bold(plainLineOf(file.file)),
    share(file.steps),
    share(file.success_routes),
    share(file.error_routes),
  ]);
  const untaken = files.flatMap(({ file, untaken: list }) =>
    list.map(({ what, node, line, route }) => {
      const said = what === "step" ? `step ${node}` : `${what} of ${node}: ${route}`;
      return `  ${what === "error route" ? red("✗") : dim("·")} ${plainLineOf(file)}:${line}  ${plainLineOf(said)}`;
    }),
  );
  const missed = untaken.length > 0 ? `\nNever taken:\n${untaken.join("\n")}\n` : "";
  const verdict =
    error_routes_percent === null ? "there are no error routes" : `${error_routes_percent} % of error routes taken`;
  return `\n${table(["FILE", "STEPS", "ROUTES", "ERROR ROUTES"], rows, colors, 120)}\n${missed}\n${verdict}\n`;
}

function testSummary({ passed, failed, skipped, error }: TestAnswer, { red, green }: Colors): string {
  const counts = [
    `${amount(passed, "scenario")} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const line = counts.join(", ");
  if (!error) return `${green("✓")} ${line}\n`;
  return `${red("✗")} ${line}${failed === 0 ? `; ${error}` : ""}\n`;
}
