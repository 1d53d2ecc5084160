import { patternsMeet } from "../../base/errors/path-pattern.ts";
import { code, defineRule } from "./rule.ts";

export const filesPattern = defineRule({
  name: "files-pattern",
  severity: "warning",
  description:
    "`files` and `produces` are patterns, not templates, and `files` match a file that is there or is produced.",
  example: 'files: ["{{ workflow.input.dir }}/*.py"]',
  *check(context) {
    const steps = context.facts.nodes.all.filter((node) => node.kind === "step");
    const produced = steps.flatMap(({ step }) => ("produces" in step && step.produces) || []);
    for (const node of steps) {
      const { step } = node;
      const fields = {
        files: step.type === "script" ? step.files : [],
        produces: ("produces" in step && step.produces) || [],
      };
      for (const [field, patterns] of Object.entries(fields))
        for (const [index, pattern] of patterns.entries()) {
          if (/\{[{%]/.test(pattern))
            yield context.about(
              node,
              [field, index],
              `${code(field)} takes patterns, not templates: ${code(pattern)} is looked for as it stands. Write ${code("*")} where the name differs.`,
            );
          else if (
            field === "files" &&
            !context.hasFile(pattern) &&
            !produced.some((one) => patternsMeet(one, pattern))
          )
            yield context.about(
              node,
              [field, index],
              `No file matches ${code(pattern)}, relative to the folder of this file, so it changes no hash. If a step writes such files, say so there: ${code(`produces: [${pattern}]`)}.`,
            );
        }
    }
  },
});
