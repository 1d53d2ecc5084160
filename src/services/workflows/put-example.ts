// Copies an example of the package to where workflows can be started: a first run for users without workflows.
import { cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { isBelow } from "../access/path-inside.ts";
import { refusal } from "../refusals.ts";
import { packageFolder } from "../session/package-folder.ts";

/** What belongs to an example, below `examples/`. */
const EXAMPLES = { release: ["release.yaml", "release"] } as const;
export type ExampleName = keyof typeof EXAMPLES;

const FOLDER = "segno-example";
/** Made by a run of the example. */
const MADE_BY_RUNS: ReadonlySet<string> = new Set(["work"]);

/** Gives the file, relative to the root. An existing copy is not overwritten: the user may have changed it. */
export function putExample(name: ExampleName, root: string): string {
  const home = packageFolder();
  const from = home === undefined ? undefined : join(home, "examples");
  if (from === undefined || !existsSync(join(from, `${name}.yaml`)))
    throw refusal("this copy of Segno came without its examples");
  const to = join(root, FOLDER);
  const stray = strayIn(to, root);
  if (stray !== undefined)
    throw refusal(`the example is not put into ${to}: ${stray} leads out of ${root}. Remove that link, then ask again`);
  if (!existsSync(join(to, `${name}.yaml`))) {
    mkdirSync(to, { recursive: true });
    for (const part of EXAMPLES[name])
      cpSync(join(from, part), join(to, part), {
        recursive: true,
        filter: (source) => !MADE_BY_RUNS.has(basename(source)),
      });
  }
  return `${FOLDER}/${name}.yaml`;
}

/** The folder itself, or what is in it already, when it is a link to elsewhere: what is copied would be written there. */
function strayIn(folder: string, root: string): string | undefined {
  if (!isBelow(folder, root)) return folder;
  if (!existsSync(folder)) return undefined;
  const links = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isSymbolicLink());
  return links.map((one) => join(one.parentPath, one.name)).find((link) => !isBelow(link, root));
}
