// `segno validate segno.yaml`: the file itself, and its triggers with the workflows that they start.
import type { Finding } from "../../language/loaded.ts";
import type { Session } from "../session/session.ts";
import { checkTriggers } from "../triggers/check-triggers.ts";
import { readProject } from "./read-project.ts";

/** `brokenPlugin`: why one could not be loaded. What workflows take from it is not known then, so they are not judged. */
export function checkProject(
  file: string,
  where: Pick<Session, "env" | "extensions" | "overlay">,
  brokenPlugin?: string,
): readonly Finding[] {
  const { project, findings } = readProject(file, where.env, where.overlay);
  if (!project || project.lacksPlugin) return findings;
  if (brokenPlugin === undefined) return [...findings, ...checkTriggers(project, where)];
  const named = project.plugins.find(({ name }) => brokenPlugin.includes(` ${name} `)) ?? project.plugins[0];
  const location = named?.place ?? { file, line: 1, column: 1 };
  const message = `${brokenPlugin.slice(0, 1).toUpperCase()}${brokenPlugin.slice(1)}.`;
  return [...findings, { rule: "broken-plugin", severity: "error", message, location, suggestions: [] }];
}
