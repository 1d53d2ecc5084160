// The gallery of the package: workflows from real use that `segno init --template` copies, each with its scenarios.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { didYouMean, nearest } from "../../errors/nearest.ts";
import { isBelow } from "../access/path-inside.ts";
import { refusal } from "../refusals.ts";
import { packageFolder } from "../session/package-folder.ts";

export interface GalleryEntry {
  readonly name: string;
  readonly about: string;
}

/** By name, each with the description of its workflow. */
export function templates(): readonly GalleryEntry[] {
  const folder = gallery();
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name, `${name}.yaml`), "utf8");
      return { name, about: /^ {2}description: (.*)$/m.exec(text)?.[1] ?? "" };
    });
}

/** The files of one, by their path in it with `/`. */
export function templateFiles(name: string): Readonly<Record<string, string>> {
  const names = templates().map((one) => one.name);
  if (!names.includes(name)) {
    throw refusal(
      `There is no template \`${name}\`.${didYouMean(nearest(name, names))} List them with: segno init --list`,
    );
  }
  const folder = join(gallery(), name);
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name: file }) => {
      const path = join(parentPath, file);
      return [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")];
    }),
  );
}

function gallery(): string {
  const folder = join(packageFolder() ?? "", "examples", "gallery");
  if (!existsSync(folder))
    throw refusal("This copy of Segno came without its gallery. Install it again: npm install segno");
  return folder;
}

// Copies an example of the package to where workflows can be started: a first run for users without workflows.

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
