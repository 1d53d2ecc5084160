import { stepNodes } from "./parts-of-file.ts";
import { code, defineRule } from "./rule.ts";

export const rawOutputSchema = defineRule({
  name: "raw-output-schema",
  severity: "error",
  description: "`output_mode: raw` keeps an agent's text as it is, so it does not go together with an `output` schema.",
  example: "output_mode: raw\noutput: { score: { type: number } }",
  *check(context) {
    for (const node of stepNodes(context, "agent")) {
      const { output, output_mode } = node.step;
      if (output_mode === "raw" && output && Object.keys(output).length > 0)
        yield context.about(
          node,
          ["output_mode"],
          `${code(node.name)} keeps its text as it is (\`output_mode: raw\`) and also has an \`output\` schema, which would have no fields to check. Remove one of the two.`,
        );
    }
  },
});
