// An example of the package, copied to where workflows can be started: a first run for somebody who has none of their own.
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { packageFolder } from "./package-folder.ts";
import { refusal } from "./refusals.ts";

/** What belongs to an example, below `examples/`. */
const EXAMPLES = { release: ["release.yaml", "release"] } as const;
export type ExampleName = keyof typeof EXAMPLES;

const FOLDER = "segno-example";
/** Made by a run of the example. */
const MADE_BY_RUNS: ReadonlySet<string> = new Set(["work"]);

/** Gives the file, relative to the root. A copy that is there already stays as it is: somebody may have changed it. */
export function putExample(name: ExampleName, root: string): string {
  const home = packageFolder();
  const from = home === undefined ? undefined : join(home, "examples");
  if (from === undefined || !existsSync(join(from, `${name}.yaml`)))
    throw refusal("this copy of Segno came without its examples");
  const to = join(root, FOLDER);
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
