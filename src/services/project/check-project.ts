// `segno validate segno.yaml`: the file itself, and its triggers with the workflows that they start.
import type { Finding } from "../../language/loaded.ts";
import type { Surroundings } from "../request.ts";
import { readProject } from "./read-project.ts";

export function checkProject(file: string, { env }: Pick<Surroundings, "env" | "extensions">): readonly Finding[] {
  return readProject(file, env).findings;
}
