// `segno breakers reset`: closes a circuit breaker by hand.
import { resetBreaker } from "../../services/governance/breakers.ts";
import { answerWith } from "../answer-with.ts";
import type { Call } from "../command.ts";

export default async function breakersReset({ asked, output }: Call): Promise<number> {
  const answer = await resetBreaker({ ...asked.surroundings, name: asked.required(0) });
  return answerWith(
    answer,
    output,
    ({ breakers: [breaker] }) => `${output.outColors.green("✓")} ${breaker?.name} is closed.\n`,
  );
}
