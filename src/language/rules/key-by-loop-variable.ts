import { code, defineRule } from "./rule.ts";

export const keyByLoopVariable = defineRule({
  name: "key-by-loop-variable",
  severity: "warning",
  description:
    "`key_by` names a field of each item: `id`, or `item.id`. The loop variable alone is no field, and the index would be the key.",
  example: "for_each:\n  - name: each\n    as: item\n    key_by: item",
  *check({ facts, finding }) {
    for (const node of facts.nodes.all) {
      if (node.kind !== "group" || node.type !== "for_each") continue;
      const { as, key_by, name } = node.group;
      if (key_by === undefined || key_by !== as) continue;
      yield finding(
        [...node.path, "key_by"],
        `\`key_by\` of ${code(name)} is ${code(as)}, the loop variable itself. It names a field of each item, so unless the items have a field ${code(as)}, their index is their key. Write \`${as}.FIELD\`, or leave \`key_by\` out: then outputs are a list, and keys are indices.`,
        { node: name },
      );
    }
  },
});
