// Files of ours that are no workflows, by their names alone: known before anything that reads them is loaded.
import { basename } from "node:path";
import { PROJECT_FILE } from "../project/find-project.ts";

export type OtherKind = "scenario" | "eval" | "project";

/** Nothing for what may be a workflow. */
export function otherKind(file: string): OtherKind | undefined {
  const name = basename(file);
  if (name === PROJECT_FILE) return "project";
  if (/(\.scenario|^scenario)\.ya?ml$/.test(name)) return "scenario";
  return /(\.eval|^eval)\.ya?ml$/.test(name) ? "eval" : undefined;
}
