import { stepNodes } from "./parts-of-file.ts";
import { closest, code, defineRule, didYouMean, listed } from "./rule.ts";

export const gateTimeout = defineRule({
  name: "gate-timeout",
  severity: "error",
  description: "`on_timeout` of a gate is the value of one of its options.",
  example: "timeout: 2h\non_timeout: yse\noptions: [{ value: yes }, { value: no }]",
  *check(context) {
    for (const node of stepNodes(context, "human_gate")) {
      const { on_timeout, options } = node.step;
      const values = options.map(({ value }) => value);
      // A value that is a template is known only when it is asked.
      if (on_timeout === undefined || values.includes(on_timeout) || values.some((value) => value.includes("{")))
        continue;
      const suggestions = closest(on_timeout, values);
      yield context.about(
        node,
        ["on_timeout"],
        `${code(on_timeout)} is none of the options of ${code(node.name)}.${didYouMean(suggestions)} They are ${listed(values, "and")}.`,
        { suggestions },
      );
    }
  },
});
