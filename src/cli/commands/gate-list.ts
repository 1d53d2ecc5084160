// `segno gate list`: the questions that runs wait on, with the command that answers each.
import { listGates } from "../../services/gates.ts";
import { answerWith } from "../answer-with.ts";
import { renderMarkdown } from "../ask/markdown.ts";
import type { Call } from "../command.ts";
import { plain } from "../text/width.ts";

export default async function gateList({ asked, output }: Call): Promise<number> {
  const answer = await listGates(asked.surroundings);
  const { bold, dim, cyan } = output.outColors;
  const width = Math.min(output.stdout.columns ?? 100, 100);
  return answerWith(answer, output, ({ gates }) => {
    if (gates.length === 0) return "Nobody is being asked anything.\n";
    const blocks = gates.map(({ run_id, workflow, node_id, prompt, options }) => {
      const question = renderMarkdown(prompt, output.outColors, width - 4).split("\n");
      const choices = options.map(
        ({ value, label, prompt_for }) =>
          `    ${cyan(plain(value))}  ${plain(label)}${prompt_for ? dim(`  (--input ${prompt_for}=…)`) : ""}`,
      );
      return [
        `${cyan("?")} ${bold(plain(node_id))}  ${dim(`${workflow ?? ""} · run ${run_id}`)}`,
        ...question.map((line) => `    ${line}`),
        ...choices,
        dim(`    segno gate answer ${run_id} VALUE --gate ${node_id}`),
      ].join("\n");
    });
    return `${blocks.join("\n\n")}\n`;
  });
}
