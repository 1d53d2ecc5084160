// A command that stands in a project: what `segno.yaml` adds to it, and what is left out of it, said in a line.
import { resolve } from "node:path";
import { openProject } from "../../services/project/open-project.ts";
import { isNewToday } from "../../services/project/trust.ts";
import { Refused } from "../../services/refusals.ts";
import type { Asked } from "./asked.ts";
import type { CommandSpec } from "./command.ts";
import type { Output } from "./output.ts";
import { plain } from "./text/harmless.ts";

/** Commands that keep running with the project's settings: each start says what is left out. */
const LASTING: ReadonlySet<string> = new Set(["serve", "worker", "mcp"]);

export async function inProject(
  asked: Asked,
  file: string,
  output: Output,
  { name, needsNoPlugin }: Pick<CommandSpec, "name" | "needsNoPlugin">,
): Promise<Asked> {
  // An editor shows what is wrong with the file as well.
  const isAboutIt = name === "lsp" || asked.arguments.some((given) => resolve(asked.cwd, given) === file);
  try {
    const { part, notices, project, isTrusted, broken } = await openProject(file, asked, {
      needsNoPlugin: needsNoPlugin === true,
      print: (text) => void output.stderr.write(text),
    });
    if (broken && !needsNoPlugin && !isAboutIt) throw broken;
    // Of one that is not there the notice tells.
    if (broken && !isAboutIt && !project?.lacksPlugin)
      output.say(output.colors.dim(plain(`${broken.message}. This goes on without it.`)));
    const isNew = (notice: string): boolean =>
      LASTING.has(name) || isNewToday(file, notice, { env: asked.env, now: Date.now() });
    const said = notices.join("\n");
    if (!output.quiet && said !== "" && isNew(said)) output.say(output.colors.dim(plain(said)));
    const isDriven = project && (project.triggers.length > 0 || project.settings.retention !== undefined);
    return asked.in({ ...part, drives: isTrusted && isDriven ? project : undefined, brokenPlugin: broken?.message });
  } catch (problem) {
    // The command is about this very file, and says itself what is wrong with it.
    if (problem instanceof Refused && isAboutIt) return asked;
    throw problem;
  }
}
