import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule, listed } from "./rule.ts";

export const rawOutputSchema = defineRule({
  name: "raw-output-schema",
  severity: "error",
  mayWarn: true,
  description:
    "`output_mode: raw` keeps an agent's text as it is, so it does not go together with an `output` schema, and kinds in `raises` are never raised by its answer.",
  example: "output_mode: raw\noutput: { score: { type: number } }",
  *check(context) {
    for (const node of stepNodes(context, "agent")) {
      const { output, output_mode, raises = [], raise_when } = node.step;
      const byAnswer = raises.filter((kind) => !raise_when.some((rule) => rule.kind === kind));
      if (output_mode === "raw" && byAnswer.length > 0)
        yield context.about(
          node,
          ["raises"],
          `${code(node.name)} keeps its text as it is (\`output_mode: raw\`), so no error is looked for in its answer, and it cannot raise ${listed(byAnswer)}. Remove \`output_mode\`, or take the kinds out of \`raises\`.`,
          { severity: "warning" },
        );
      if (output_mode === "raw" && output && Object.keys(output).length > 0)
        yield context.about(
          node,
          ["output_mode"],
          `${code(node.name)} keeps its text as it is (\`output_mode: raw\`) and also has an \`output\` schema, which would have no fields to check. Remove one of the two.`,
        );
    }
  },
});
