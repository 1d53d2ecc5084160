// `segno eval`: a line while rows are measured, then the report in the form that was asked for.
import { leaveProcess } from "../../errors/leave-process.ts";
import { type EvalAnswer, runEval } from "../../services/eval/run-eval.ts";
import type { EvalRow } from "../../services/eval/summary.ts";
import type { Call } from "../command.ts";
import { interrupts } from "../drive.ts";
import { evalCsv, evalHtml, evalMarkdown } from "../report/eval/eval-files.ts";
import { evalText, reasonOf } from "../report/eval/eval-text.ts";
import type { ReportedCheck } from "../report/reporters/checks-of.ts";
import { reported } from "../report/reporters/index.ts";
import { writeFindings } from "../show-findings.ts";
import { plainLineOf } from "../text/harmless.ts";
import { WHOLE_LINES } from "../text/width.ts";
import { refuse } from "../usage-error.ts";

export default async function evalCommand({ asked, output, version }: Call): Promise<number> {
  const path = asked.required(0);
  const isLive = output.format === "text" && output.stderr.isTTY === true && !output.quiet;
  const counts = { passed: 0, failed: 0, unmeasured: 0 };
  const onRow = ({ passed }: EvalRow, done: number, total: number): void => {
    counts[passed === null ? "unmeasured" : passed ? "passed" : "failed"] += 1;
    if (isLive)
      output.stderr.write(
        `\r${bar(done, total)} ${done} of ${total} runs, ${counts.passed} passed, ${counts.failed} failed\x1b[K`,
      );
  };
  const { signal, release } = interrupts({
    first: () => output.say(output.colors.dim("Stopping; Ctrl-C again leaves at once.")),
    second: () => void leaveProcess(130),
  });
  const request = {
    ...{ path, onRow, dryRun: asked.flag("dry-run"), resume: asked.flag("resume") },
    ...{ compare: asked.text("compare"), parallel: asked.number("parallel") },
  };
  const listeners = { signal, said: (text: string) => output.say(text) };
  const answer = await runEval(asked.session, request, listeners).finally(release);
  if (isLive) output.stderr.write("\r\x1b[K");
  const reporter = asked.text("reporter");
  const report = reported(reporter, () => checksOfEval(answer), { version, asked });
  const [first] = answer.errors;
  if (output.format !== "text") output.json(answer);
  else if (first?.location) writeFindings({ errors: answer.errors, warnings: [] }, { asked, output });
  else if (answer.evals.length === 0) refuse(answer, output);
  else if (report !== undefined) output.report(report);
  else {
    output.stdout.write(textOf(reporter, answer));
    if (answer.error !== null && answer.exit_code === 1) refuse({ error: answer.error, errors: [] }, output);
    if (answer.exit_code === 130) output.say(`Stopped. Go on with: segno eval ${plainLineOf(path)} --resume`);
  }
  return answer.exit_code ?? 1;

  function textOf(name: string | undefined, evaluation: EvalAnswer): string {
    switch (name) {
      case "csv":
        return evalCsv(evaluation);
      case "markdown":
        return evalMarkdown(evaluation);
      case "html":
        return evalHtml(evaluation, asked.session.page);
      default:
        return evalText(evaluation, output.outColors, output.stdout.columns ?? WHOLE_LINES);
    }
  }
}

const WIDTH = 20;

function bar(done: number, total: number): string {
  const full = Math.round((done / Math.max(1, total)) * WIDTH);
  return `${"█".repeat(full)}${"░".repeat(WIDTH - full)}`;
}

/** What was not measured is skipped: it says nothing about the workflow. */
const checksOfEval = ({ evals }: EvalAnswer): readonly ReportedCheck[] =>
  evals.flatMap(({ file, rows, problems }) => [
    ...rows.map((row): ReportedCheck => {
      const name = `${row.id} ${row.variant}${row.repeat > 1 ? ` #${row.repeat}` : ""}`;
      const notes =
        row.passed === false
          ? [{ level: "error" as const, rule: "grade", message: `${reasonOf(row)} (run ${row.run_id})` }]
          : [];
      return {
        ...{ suite: file, name, notes, duration_ms: row.duration_ms ?? 0 },
        ...(row.passed === null ? { skipped: row.why ?? "not measured" } : {}),
      };
    }),
    ...problems.map((message): ReportedCheck => {
      return { suite: file, name: file, notes: [{ level: "error", rule: "eval", message }] };
    }),
  ]);
