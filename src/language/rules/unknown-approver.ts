import { closest, code, defineRule, didYouMean } from "./rule.ts";

export const unknownApprover = defineRule({
  name: "unknown-approver",
  severity: "error",
  description:
    "`approvers` names people and `@groups` of segno.yaml, or a user and host (`alex@box`). Others could never answer.",
  example: "approvers: [alx]",
  *check(context) {
    const { people, groups } = context.people;
    const known = [...people, ...groups.map((group) => `@${group}`)];
    for (const node of context.facts.nodes.all) {
      if (node.kind !== "step" || (node.step.type !== "human_gate" && node.step.type !== "questions")) continue;
      for (const [index, approver] of (node.step.approvers ?? []).entries()) {
        if (known.includes(approver) || /^[^@\s]+@[^@\s]+$/.test(approver)) continue;
        const suggestions = closest(approver, known);
        const where = approver.startsWith("@") ? "`groups`" : "`people`";
        yield context.about(
          node,
          ["approvers", index],
          `There is no ${code(approver)} in the project, so the gate would wait for an answer that cannot come.${didYouMean(suggestions)} Add them under ${where} of segno.yaml, or name a user and host (\`alex@box\`).`,
          { suggestions },
        );
      }
    }
  },
});
