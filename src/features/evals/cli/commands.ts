// `segno eval`: a line while rows are measured, then the report in the form that was asked for. `segno eval add`: a run becomes
// a row; at a terminal the user says what is expected of it.

import { leaveProcess } from "../../../base/errors/leave-process.ts";
import { parseJson } from "../../../base/json/bounded.ts";
import type { Call } from "../../../frontends/cli/command.ts";
import { answerReported, type ReportedCheck } from "../../../frontends/cli/report/reporters/index.ts";
import { writeFindings } from "../../../frontends/cli/show-findings.ts";
import { plainLineOf } from "../../../frontends/cli/text/harmless.ts";
import { answerWith, refuse } from "../../../frontends/cli/usage-error.ts";
import { refusal } from "../../../services/refusals.ts";
import type { EvalAnswer } from "../run-eval.ts";
import type { EvalRow } from "../summary.ts";
import { evalCsv, evalHtml, evalMarkdown } from "./eval-files.ts";
import { evalText, reasonOf } from "./eval-text.ts";

export async function evalCommand(call: Call): Promise<number> {
  const { asked, output } = call;
  const [{ runEval }, { interrupts }] = await Promise.all([
    import("../run-eval.ts"),
    import("../../../frontends/cli/drive.ts"),
  ]);
  const path = asked.required(0);
  const counts = { passed: 0, failed: 0, unmeasured: 0 };
  const onRow = ({ passed }: EvalRow, done: number, total: number): void => {
    counts[passed === null ? "unmeasured" : passed ? "passed" : "failed"] += 1;
    output.count(`${bar(done, total)} ${done} of ${total} runs, ${counts.passed} passed, ${counts.failed} failed`);
  };
  const { signal, release } = interrupts({
    first: () => output.say(output.colors.dim("Stopping; Ctrl-C again leaves at once.")),
    second: () => void leaveProcess(130),
  });
  const request = {
    path,
    onRow,
    dryRun: asked.flag("dry-run"),
    resume: asked.flag("resume"),
    compare: asked.text("compare"),
    parallel: asked.number("parallel"),
  };
  const listeners = { signal, said: (text: string) => output.say(text) };
  const answer = await runEval(asked.session, request, listeners).finally(release);
  output.count("");
  if (output.format === "text" && answer.errors[0]?.location) {
    writeFindings({ errors: answer.errors, warnings: [] }, call);
    return answer.exit_code ?? 1;
  }
  if (output.format === "text" && answer.evals.length === 0) {
    refuse(answer, output);
    return answer.exit_code ?? 1;
  }
  return answerReported(
    answer,
    call,
    () => checksOfEval(answer),
    () => {
      output.stdout.write(textOf(answer, call));
      if (answer.error !== null && answer.exit_code === 1) refuse({ error: answer.error, errors: [] }, output);
      if (answer.exit_code === 130)
        output.say(`Stopped. Go on with: ${asked.program} eval ${plainLineOf(path)} --resume`);
    },
  );
}

function textOf(answer: EvalAnswer, { asked, output }: Call): string {
  switch (asked.text("reporter")) {
    case "csv":
      return evalCsv(answer);
    case "markdown":
      return evalMarkdown(answer);
    case "html":
      return evalHtml(answer, asked.session.page);
    default:
      return evalText(answer, output.outColors, output.width);
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
      const message = `${reasonOf(row)} (run ${row.run_id})`;
      return {
        suite: file,
        name,
        notes: row.passed === false ? [{ level: "error", rule: "grade", message }] : [],
        duration_ms: row.duration_ms ?? 0,
        skipped: row.passed === null ? (row.why ?? "not measured") : undefined,
      };
    }),
    ...problems.map(
      (message): ReportedCheck => ({ suite: file, name: file, notes: [{ level: "error", rule: "eval", message }] }),
    ),
  ]);

export async function evalAdd({ asked, output }: Call): Promise<number> {
  const { addEvalRow } = await import("../eval-rows.ts");
  const given = asked.text("expected");
  const tags = asked.list("tag");
  const answer = await addEvalRow(asked.session, {
    run: asked.required(0),
    to: asked.text("to") ?? "dataset.jsonl",
    id: asked.text("id"),
    step: asked.text("step"),
    ...(tags.length > 0 ? { tags } : {}),
    ...(given === undefined ? await asking() : { expected: async () => ({ value: readValue(given) }) }),
  });
  const { green, dim } = output.outColors;
  return answerWith(answer, output, ({ file, row }) => {
    const expected = plainLineOf(JSON.stringify(row?.expected ?? null));
    return `${green("✓")} ${plainLineOf(file ?? "")} has the row ${plainLineOf(row?.id ?? "")}\n${dim(`  expected ${expected}`)}\n`;
  });

  /** Without a terminal to ask on, the run's own outcome is what is expected. */
  async function asking() {
    const { canAskAtTerminal } = await import("../../../frontends/cli/ask/terminal-asker.ts");
    if (output.format !== "text" || !canAskAtTerminal(output)) return {};
    const { clackPrompts } = await import("../../../frontends/cli/ask/prompts.ts");
    const prompts = await clackPrompts(new AbortController().signal);
    return {
      expected: async (came: unknown) => {
        const initial = JSON.stringify(came);
        const question = "What is expected of it? (JSON; Enter takes what the run came to)";
        const said = await prompts.write(question, { initial });
        return typeof said !== "string" ? undefined : { value: said.trim() === "" ? came : readValue(said) };
      },
    };
  }
}

/** JSON, or the text itself where it does not begin as an object or a list. */
function readValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch (problem) {
    if (/^\s*[{[]/.test(text)) throw refusal(`what is expected is no JSON: ${(problem as Error).message}`);
    return text;
  }
}
