// `segno validate segno.yaml`: the file itself, and its triggers with the workflows that they start.
import type { Finding } from "../../language/loaded.ts";
import type { Surroundings } from "../request.ts";
import { checkTriggers } from "../triggers/check-triggers.ts";
import { readProject } from "./read-project.ts";

export function checkProject(file: string, where: Pick<Surroundings, "env" | "extensions">): readonly Finding[] {
  const { project, findings } = readProject(file, where.env);
  return project ? [...findings, ...checkTriggers(project, where)] : findings;
}
