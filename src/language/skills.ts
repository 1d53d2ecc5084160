// Skills: folders with a SKILL.md that are put before the prompts of agents. One that is named and not there is a
// warning, since an agent can work without it.
import { basename, join, resolve } from "node:path";
import type { Skill } from "../steps/caller.ts";
import type { FileReading } from "./include.ts";
import type { LoadedWorkflow, LoadWorld, NodePath } from "./loaded.ts";
import type { Page } from "./page.ts";
import { readSource } from "./source-file.ts";

/** Where a skill that is named, not pathed, may live, beside the workflow file. */
const SHELVES: readonly string[] = [".", "skills", ".claude/skills", ".github/skills"];

type Place = Pick<LoadedWorkflow, "definition" | "dir" | "pathOf">;

/** Every skill that the file names, by that name; one name may stand for a folder of several. */
export function readSkills(place: Place, reading: FileReading, page: Page): ReadonlyMap<string, readonly Skill[]> {
  const { definition, dir, pathOf } = place;
  const found = new Map<string, readonly Skill[]>();
  const read = (names: readonly string[], path: NodePath, node?: string): void =>
    names.forEach((name, index) => {
      const skills = found.get(name) ?? skillsAt(name, dir, reading);
      found.set(name, skills);
      if (skills.length > 0) return;
      page.report(
        "missing-skill",
        [...path, index],
        `The skill \`${name}\` cannot be found: no folder of that name with a SKILL.md in \`${dir}\` or its \`skills\` folders. Agents will work without it.`,
        { severity: "warning", node },
      );
    });
  read(definition.workflow.runtime.skills, ["workflow", "runtime", "skills"]);
  const steps = [...definition.agents, ...definition.for_each.map((group) => group.agent)];
  for (const step of steps)
    if (step.type === "agent" && step.skills) read(step.skills, [...pathOf(step.name), "skills"], step.name);
  return found;
}

function skillsAt(name: string, dir: string, reading: FileReading): readonly Skill[] {
  const { world } = reading;
  const home = name.startsWith("~/") ? world.env.HOME : undefined;
  const folders = home ? [resolve(home, name.slice(2))] : SHELVES.map((shelf) => resolve(dir, shelf, name));
  for (const folder of folders.filter((one) => world.exists(one))) {
    const own = skillIn(folder, reading);
    if (own) return [own];
    const inside = listed(folder, world).flatMap((inner) => skillIn(join(folder, inner), reading) ?? []);
    if (inside.length > 0) return inside;
  }
  return [];
}

function skillIn(folder: string, reading: FileReading): Skill | undefined {
  const text = textOf(join(folder, "SKILL.md"), reading);
  if (text === undefined) return undefined;
  const references = join(folder, "references");
  const more = listed(references, reading.world)
    .filter((name) => name.endsWith(".md"))
    .flatMap((name) => textOf(join(references, name), reading) ?? []);
  return { name: basename(folder), text: [text, ...more].map((one) => one.trim()).join("\n\n") };
}

function textOf(file: string, { world, sources }: FileReading): string | undefined {
  if (!world.exists(file)) return undefined;
  const read = readSource(file, world);
  if (!read.ok) return undefined;
  sources.set(file, read.source.text);
  return read.source.text;
}

function listed(folder: string, world: LoadWorld): readonly string[] {
  return world.exists(folder) ? [...(world.list?.(folder) ?? [])].sort() : [];
}
