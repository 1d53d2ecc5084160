// The variables from which a project takes what lets somebody in: tokens of people, secrets of webhooks. Whoever holds one
// can answer gates in that person's name, so nothing that a run starts is handed them.
import { environmentNames } from "../../language/environment.ts";
import type { NodePath } from "../../language/loaded.ts";
import type { Surroundings } from "../request.ts";
import type { ProjectSettings } from "./schema.ts";

type Written = (path: NodePath) => string | undefined;

/** `written` gives a value as the file has it, its `${NAME}` in place. */
export const confidentialInPeople = ({ people }: Pick<ProjectSettings, "people">, written: Written): string[] =>
  Object.keys(people).flatMap((name) =>
    environmentNames([written(["people", name, "token"]), written(["people", name, "token_sha256"])]),
  );

export const confidentialInTriggers = (triggers: readonly unknown[], written: Written): string[] =>
  environmentNames(triggers.map((_, index) => written(["triggers", index, "webhook", "secret"])));

/** A variable may itself be made of others. */
export function withThoseInside(names: readonly string[], env: Surroundings["env"]): readonly string[] {
  const all = new Set(names);
  for (const name of all) for (const inside of environmentNames(env[name])) all.add(inside);
  return [...all].sort();
}
