import type { Finding } from "../loaded.ts";
import { type CodingStep, codingSteps } from "./parts-of-file.ts";
import { code, defineRule, listed, type RuleContext } from "./rule.ts";

export const sharedWorkingDir = defineRule({
  name: "shared-working-dir",
  severity: "warning",
  description: "Agents of a group that run at the same time and change files have working directories of their own.",
  example: "parallel:\n  - { name: both, agents: [one, two] }   # two coding agents, one folder",
  *check(context) {
    const changing = [...codingSteps(context)].filter(({ sandbox }) => sandbox !== "read-only");
    yield* membersOfGroups(context, changing);
    yield* itemsOfGroups(context, changing);
  },
});

function* membersOfGroups(context: RuleContext, changing: readonly CodingStep[]): Generator<Finding> {
  for (const group of context.facts.nodes.all) {
    if (group.kind !== "group" || group.type !== "parallel" || group.group.max_concurrent === 1) continue;
    const folders = new Map<string, string[]>();
    for (const { node, workingDir } of changing)
      if (group.members.includes(node.name)) folders.set(workingDir, [...(folders.get(workingDir) ?? []), node.name]);
    for (const names of folders.values())
      if (names.length > 1)
        yield context.about(
          group,
          [],
          `${listed(names, "and")} run at the same time in one folder, and may change files under each other's hands. Give each a \`working_dir\` of its own, such as a git worktree, or run them one after the other.`,
        );
  }
}

/** Items differ in what their templates read, so a folder without a template is one for all. */
function* itemsOfGroups(context: RuleContext, changing: readonly CodingStep[]): Generator<Finding> {
  for (const group of context.facts.nodes.all) {
    if (group.kind !== "group" || group.type !== "for_each" || group.group.max_concurrent === 1) continue;
    const shared = changing.find(
      ({ node, workingDir }) => group.members.includes(node.name) && !workingDir.includes("{{"),
    );
    if (shared)
      yield context.about(
        group,
        [],
        `up to ${group.group.max_concurrent} items of ${code(group.name)} run at the same time, and ${code(shared.node.name)} works in one folder for all of them. Give each item a \`working_dir\` of its own with a template, or say \`max_concurrent: 1\`.`,
      );
  }
}
