import type { Placed } from "./parts-of-file.ts";
import { code, defineRule, type RuleContext } from "./rule.ts";

interface Named extends Placed {
  readonly what: string;
}

const INLINE = "inline step of a for_each";
const MEMBER = "member of this group";
const OPTION = "option of this gate";
const LISTS: readonly string[] = [MEMBER, OPTION];

function* scopes({ facts }: RuleContext): Generator<readonly Named[]> {
  yield facts.nodes.written.map(({ name, path, what }) => ({
    name,
    what: what === "inline step" ? INLINE : what,
    path: [...path, "name"],
    node: name,
  }));
  for (const node of facts.nodes.all) {
    if (node.type === "parallel")
      yield node.members.map((name, index) => ({
        name,
        what: MEMBER,
        path: [...node.path, "agents", index],
        node: node.name,
      }));
    if (node.kind !== "step") continue;
    const { step, path } = node;
    if (step.type === "human_gate")
      yield step.options.map((option, index) => ({
        name: option.value,
        what: OPTION,
        path: [...path, "options", index],
        node: node.name,
      }));
    if (step.type === "questions")
      yield (step.questions ?? []).flatMap((question, index) =>
        question.id === undefined
          ? []
          : [{ name: question.id, what: "question", path: [...path, "questions", index, "id"], node: node.name }],
      );
  }
}

export const duplicateName = defineRule({
  name: "duplicate-name",
  severity: "error",
  mayWarn: true,
  description:
    "Steps, groups and inline steps of a file share one set of names, each used once. So do the options of a gate, the ids of questions and the members of a group. In a file with `agents:` inline steps may share a name, and an option or a member that is listed twice is a warning: the first one counts.",
  example:
    "steps:\n  - { name: build, type: script, command: make }\n  - { name: build, type: script, command: ninja }",
  *check(context) {
    const { allowsUnreadableNames } = context.workflow.definition.semantics;
    for (const scope of scopes(context)) {
      const seen = new Map<string, Named>();
      for (const entry of scope) {
        const first = seen.get(entry.name);
        if (!first) {
          seen.set(entry.name, entry);
          continue;
        }
        if (allowsUnreadableNames && entry.what === INLINE && (first.what === INLINE || first.what === "step"))
          continue;
        const line = context.workflow.positions.at(first.path).line;
        const both = first.what === entry.what ? `another ${entry.what}` : `a ${first.what}`;
        yield context.finding(
          entry.path,
          `${code(entry.name)} is already the name of ${both}, at line ${line}. Whatever says ${code(entry.name)} could mean either. Give one of them another name.`,
          { node: entry.node, severity: allowsUnreadableNames && LISTS.includes(entry.what) ? "warning" : undefined },
        );
      }
    }
  },
});
