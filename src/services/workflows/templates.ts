// The gallery of the package: workflows from real use that `segno init --template` copies, each with its scenarios.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { didYouMean, nearest } from "../../errors/nearest.ts";
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
