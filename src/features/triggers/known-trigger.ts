// A trigger with the project that it belongs to (several may share one home), and what may be shown of it: a project
// file may put `${NAME}` anywhere, and values of the environment reach no sender, store or terminal.
import { resolve } from "node:path";
import { nearest } from "../../base/errors/nearest.ts";
import {
  createRedactor,
  givenByName,
  type Redactor,
  secretsFromEnvironment,
  secretsFromHeaders,
} from "../../base/redact/index.ts";
import { environmentNames } from "../../language/environment.ts";
import type { NodePath } from "../../language/loaded.ts";
import type { PlacedTrigger, Project } from "../../services/project/read-project.ts";
import { refusal } from "../../services/refusals.ts";
import type { Session } from "../../services/session/session.ts";
import type { UnreadableTrigger } from "./context.ts";

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

/** A `cell` that each firing renders says nothing about the trigger itself. */
export const isRendered = (cell = ""): boolean => cell.includes("{");

export type Concealing = Pick<Redactor, "text" | "value">;

/** What a delivery brought, or what was made of it. */
export interface Brought {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly inputs?: unknown;
}

/**
 * Hides secrets of the environment, the values of all variables that the trigger itself names, and what a delivery brought
 * under secret-looking names.
 */
export function concealing(
  trigger: KnownTrigger,
  env: Session["env"],
  { body, headers = {}, inputs: made }: Brought = {},
): Concealing {
  const { when, dedupe, concurrency, inputs, webhook, written } = trigger;
  const texts = stringsIn([], { when, dedupe, concurrency, inputs, webhook }).map(({ path }) => written(path));
  const named = environmentNames(texts).flatMap((name) => env[name] ?? []);
  return createRedactor({
    secrets: [...secretsFromEnvironment(env), ...named],
    shortSecrets: [
      ...(webhook?.secret ? [webhook.secret] : []),
      ...givenByName([body, headers, made]),
      ...secretsFromHeaders(headers as Record<string, string>),
    ],
  });
}

/** The template as the file has it, with its variables unread. */
export const unreadableText = (
  { path, field, message, hint }: UnreadableTrigger,
  { written }: KnownTrigger,
): string => {
  const template = written(path);
  return `its \`${field}\`${template === undefined ? "" : `, \`${template}\`,`} could not be read: ${message}${hint === undefined ? "" : ` ${hint}`}`;
};

/** What a trigger says, as the file has it. */
export function asWritten<Said>({ written }: Pick<KnownTrigger, "written">, path: NodePath, said: Said): Said {
  const shown = (at: NodePath, value: unknown): unknown => {
    if (typeof value === "string") return written(at) ?? value;
    if (Array.isArray(value)) return value.map((one, index) => shown([...at, index], one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown([...at, key], one)]));
  };
  return shown(path, said) as Said;
}

/** Every text of a trigger, with where it stands. */
export function stringsIn(path: NodePath, value: unknown): { readonly path: NodePath; readonly text: string }[] {
  if (typeof value === "string") return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((one, index) => stringsIn([...path, index], one));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => stringsIn([...path, key], one));
}
