// What people did with a dead letter: kept in its body, where letters of an older Segno have nothing.
import type { Letter, LetterAct } from "./shared-state.ts";

/** Oldest first. */
export const actsOn = ({ body }: Pick<Letter, "body">): readonly LetterAct[] =>
  (body as { readonly acts?: readonly LetterAct[] }).acts ?? [];

export const withAct = (body: Letter["body"], act: LetterAct): Letter["body"] => ({
  ...body,
  acts: [...actsOn({ body }), act],
});
