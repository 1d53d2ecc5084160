// `segno test --generate FILE`: a scenario for each error route that none takes yet.
import { generateScenarios } from "../../services/scenarios/generate-scenarios.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/harmless.ts";
import { amount } from "../text/phrases.ts";
import { answerWith } from "../usage-error.ts";

export default async function testGenerate({ asked, output }: Call, file: string): Promise<number> {
  const answer = await generateScenarios(asked.session, { file, paths: asked.arguments });
  const { green, yellow, dim } = output.outColors;
  return answerWith(answer, output, ({ generated, skipped, unfinished }) => {
    if (generated.length + unfinished.length === 0)
      return `${green("✓")} Every error route of ${plain(file)} is taken by a scenario already.\n`;
    const lines = [...generated, ...unfinished].map(({ file: path, route, skip }) =>
      skip === undefined
        ? `${green("✓")} ${path}  ${dim(plain(route))}`
        : `${yellow("-")} ${path}  ${dim(`${plain(route)}; ${plain(skip)}`)}`,
    );
    const left = skipped > 0 ? `, ${skipped} of them marked \`skip:\` for you to finish` : "";
    const written =
      generated.length > 0 ? `${amount(generated.length, "scenario")} written${left}. segno test runs them.\n` : "";
    const still =
      unfinished.length > 0
        ? `Not written again: ${amount(unfinished.length, "earlier scenario")} marked \`skip:\`, for you to finish.\n`
        : "";
    return `${lines.join("\n")}\n${written}${still}`;
  });
}
