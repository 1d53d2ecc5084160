// A command that stands in a project: what `segno.yaml` adds to it, and what is left out of it, said in a line.
import { resolve } from "node:path";
import { openProject } from "../services/project/open-project.ts";
import { Refused } from "../services/refusals.ts";
import type { Asked } from "./asked.ts";
import type { Output } from "./output.ts";
import { plain } from "./text/harmless.ts";

export async function inProject(asked: Asked, file: string, output: Output): Promise<Asked> {
  try {
    const { part, notices, project, isTrusted } = await openProject(file, asked);
    if (!output.quiet) for (const notice of notices) output.say(output.colors.dim(plain(notice)));
    const drives = isTrusted && project && project.triggers.length > 0 ? project : undefined;
    return asked.in({ ...part, ...(drives ? { drives } : {}) });
  } catch (problem) {
    // The command is about this very file, and says itself what is wrong with it.
    if (problem instanceof Refused && asked.arguments.some((given) => resolve(asked.cwd, given) === file)) return asked;
    throw problem;
  }
}
