// Hands over an answer that is no run's result: the object, or its own text, or why there is none.
import type { Head } from "../results/result.ts";
import type { Output } from "./output.ts";
import { refuse } from "./usage-error.ts";

export function answerWith<Answer extends Head>(
  answer: Answer,
  output: Output,
  text: (answer: Answer) => string,
): number {
  if (output.format !== "text") output.json(answer);
  else if (answer.success) output.stdout.write(text(answer));
  if (!answer.success) refuse(answer, output);
  return answer.exit_code ?? 1;
}
