// `segno dlq retry`: tries dead letters again, each in its run, and shows how the run went on.
import { type RetryAnswer, retryLetters } from "../../services/letters/letters.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { drive, sayWhoseHome } from "../drive.ts";
import { amount } from "../text/phrases.ts";
import { filtersOf } from "./dlq-list.ts";

export default function dlqRetry(call: Call): Promise<number> {
  const { asked, output } = call;
  const maxIterations = asked.number("max-iterations");
  sayWhoseHome(call);
  return drive(call, async (driving, say) => {
    const answer = await retryLetters({
      ...driving,
      ids: asked.arguments,
      ...filtersOf(asked),
      ...(maxIterations === undefined ? {} : { maxIterations }),
    });
    if (!("status" in answer)) {
      answerWith(answer, output, () => "No open letter is like that.\n");
      return undefined;
    }
    if (output.format === "text" && answer.letters.length > 0) say(output.colors.dim(tally(answer)));
    return answer;
  });
}

function tally({ letters, results }: RetryAnswer): string {
  const resolved = letters.filter(({ status }) => status === "resolved").length;
  const runs = results ? ` in ${amount(results.length, "run")}` : "";
  return `${resolved} of ${amount(letters.length, "letter")} resolved${runs}`;
}
