// `segno dlq drop`: gives dead letters up.
import { dropLetters } from "../../services/letters/letters.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";
import { amount } from "../text/phrases.ts";
import { filtersOf } from "./dlq-list.ts";

export default async function dlqDrop({ asked, output }: Call): Promise<number> {
  const answer = await dropLetters({ ...asked.surroundings, ids: asked.arguments, ...filtersOf(asked) });
  return answerWith(answer, output, ({ letters }) => `${amount(letters.length, "letter")} dropped.\n`);
}
