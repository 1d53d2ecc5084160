// `segno test`: a line for each scenario, what differed, and what no scenario ever took.
import { watch } from "node:fs";
import { type TestAnswer, testScenarios } from "../../services/test.ts";
import type { Call } from "../command.ts";
import { refuse } from "../refuse.ts";
import { checksOfScenarios } from "../report/reporters/checks-of.ts";
import { reported } from "../report/reporters/index.ts";
import { coverageText, realCallsLine, scenarioLine, testSummary } from "../report/test-text.ts";

export default async function test(call: Call): Promise<number> {
  const { asked, output, version } = call;
  const workflow = asked.text("generate");
  if (workflow !== undefined) return (await import("./test-generate.ts")).default(call, workflow);
  const run = asked.text("record");
  if (run !== undefined) return (await import("./test-record.ts")).default(call, run);
  const told = new Set<string>();
  const once = async (): Promise<TestAnswer> => {
    const reporter = asked.text("reporter") ?? "text";
    const isText = output.format === "text" && reporter === "text";
    const colors = output.outColors;
    // Each file once, also while it is watched: whoever reads along knows what the first time did.
    const onRealCalls = (file: string, calls: readonly string[]): void => {
      if (told.has(file)) return;
      told.add(file);
      output.say(output.colors.dim(realCallsLine(file, calls)));
    };
    const minimum = asked.number("min-error-coverage");
    const answer = await testScenarios({
      ...asked.surroundings,
      paths: asked.arguments,
      coverage: asked.flag("coverage"),
      ...(minimum === undefined ? {} : { minErrorCoverage: minimum }),
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
