// A trigger with the project that it belongs to: several projects may share one home.
import { resolve } from "node:path";
import { nearest } from "../../errors/nearest.ts";
import type { PlacedTrigger, Project } from "../project/read-project.ts";
import { refusal } from "../refusals.ts";

export interface KnownTrigger extends PlacedTrigger {
  /** Its name in the store. */
  readonly id: string;
  /** The workflow's file, absolute. */
  readonly file: string;
}

/** By the project's name, which is the same on every machine of a fleet, else by its path. */
export const triggersOf = ({ triggers, file, dir, settings }: Project): readonly KnownTrigger[] =>
  triggers.map((trigger) => ({
    ...trigger,
    id: `${settings.name ?? file}#${trigger.name}`,
    file: resolve(dir, trigger.workflow),
  }));

export function triggerNamed(name: string, project: Project): KnownTrigger {
  const all = triggersOf(project);
  const found = all.find((trigger) => trigger.name === name);
  if (found) return found;
  const names = all.map((trigger) => trigger.name);
  throw refusal(`there is no trigger ${name}; the project has ${names.join(", ") || "none"}`, {
    suggestions: nearest(name, names),
  });
}

/** A schedule that is still busy with its last moment skips the next one, unless it says otherwise. */
export const overlapOf = ({ overlap, schedule }: KnownTrigger): KnownTrigger["overlap"] =>
  overlap ?? (schedule === undefined ? undefined : "skip");

/** Several workers look after them: they begin at different ones, so that each does a part. */
export function inAnyOrder<Item>(items: readonly Item[], isShared: boolean): readonly Item[] {
  if (!isShared) return items;
  const from = Math.floor(Math.random() * items.length);
  return [...items.slice(from), ...items.slice(0, from)];
}
