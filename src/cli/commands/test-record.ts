// `segno test --record RUN`: a scenario that plays the run again.
import { recordScenario } from "../../services/history/record.ts";
import type { Call } from "../command.ts";
import { plain, plainLineOf } from "../text/harmless.ts";
import { answerWith } from "../usage-error.ts";

export default async function testRecord({ asked, output }: Call, run: string): Promise<number> {
  const answer = await recordScenario(asked.session, {
    run,
    to: asked.text("to"),
    extends: asked.text("extends"),
    until: asked.text("until"),
  });
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
