// Skills that a file names but that are not there: a warning, since an agent can work without one.
import { resolve } from "node:path";
import type { LoadedWorkflow, LoadWorld, NodePath } from "./loaded.ts";
import type { Page } from "./page.ts";

/** Where a skill that is named, not pathed, may live, beside the workflow file. */
const SHELVES: readonly string[] = [".", "skills", ".claude/skills", ".github/skills"];

export function warnMissingSkills({ definition, dir, pathOf }: LoadedWorkflow, world: LoadWorld, page: Page): void {
  const isThere = (name: string): boolean => SHELVES.some((shelf) => world.exists(resolve(dir, shelf, name)));
  const look = (names: readonly string[], path: NodePath, node?: string): void =>
    names.forEach((name, index) => {
      if (name.includes("{{") || isThere(name)) return;
      page.report(
        "missing-skill",
        [...path, index],
        `The skill \`${name}\` cannot be found in \`${dir}\` or its \`skills\` folders. Agents will work without it.`,
        { severity: "warning", node },
      );
    });
  look(definition.workflow.runtime.skills, ["workflow", "runtime", "skills"]);
  const steps = [...definition.agents, ...definition.for_each.map((group) => group.agent)];
  for (const step of steps)
    if (step.type === "agent" && step.skills) look(step.skills, [...pathOf(step.name), "skills"], step.name);
}
