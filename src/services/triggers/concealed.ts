// What may be said of a trigger: a project file puts `${NAME}` anywhere, so that a sentence about a template, or about what
// it came to, may hold whatever the environment gave. None of it reaches a sender, the store or the terminal.
import { environmentNames } from "../../language/environment.ts";
import type { NodePath } from "../../language/loaded.ts";
import { createRedactor, type Redactor, secretsFromEnvironment } from "../../redact/index.ts";
import type { UnreadableTrigger } from "../../triggers/context.ts";
import type { Session } from "../session/session.ts";
import type { KnownTrigger } from "./known-trigger.ts";

export type Concealing = Pick<Redactor, "text" | "value">;

/** Hides secrets of the environment, and the values of all variables that the trigger itself names. */
export function concealing(trigger: KnownTrigger, env: Session["env"]): Concealing {
  const { when, dedupe, concurrency, inputs, webhook, written } = trigger;
  const texts = stringsIn([], { when, dedupe, concurrency, inputs, webhook }).map(({ path }) => written(path));
  const named = environmentNames(texts).flatMap((name) => env[name] ?? []);
  return createRedactor({
    secrets: [...secretsFromEnvironment(env), ...named],
    shortSecrets: webhook?.secret ? [webhook.secret] : [],
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
