// Files, and the folders of a wing, depend on each other in one direction only.
import { describe, expect, it } from "vitest";
import { circlesIn } from "./circles.ts";
import { exceptionsFile, readExceptions } from "./exceptions.ts";
import { importsOf, sourceFiles, styleSheets } from "./imports.ts";

const imports = [...sourceFiles(), ...styleSheets()].flatMap(importsOf);

/** The folder on the second level, such as `services/runs`. Files directly in a wing are its vocabulary and count for none. */
function folderOf(file: string): string | undefined {
  const [wing, folder, ...inside] = file.split("/");
  return inside.length === 0 ? undefined : `${wing}/${folder}`;
}

const betweenFolders = imports.flatMap((one) => {
  const [from, to] = [folderOf(one.from), folderOf(one.to)];
  return from === undefined || to === undefined || from === to
    ? []
    : [{ from, to, example: `${one.from} → ${one.to}` }];
});

/** For each folder that joined a circle, an import that leads into it and one that leads out of it. */
function howItJoined(joined: readonly string[], circle: readonly string[]): string {
  const inCircle = betweenFolders.filter(({ from, to }) => circle.includes(from) && circle.includes(to));
  return joined
    .map((folder) => {
      const into = inCircle.find(({ to }) => to === folder)?.example;
      const out = inCircle.find(({ from }) => from === folder)?.example;
      return `${folder} by ${into} and ${out}`;
    })
    .join("; ");
}

describe("imports", () => {
  it("form no circle of files, types and lazy ones included", () => {
    expect(circlesIn(imports)).toEqual([]);
  });

  it("form no circle of folders, but for the listed ones", () => {
    const found = circlesIn(betweenFolders).map((circle) => circle.join(" "));
    const listed = readExceptions("circles");
    const file = exceptionsFile("circles");
    const unlisted = found.filter((circle) => !listed.includes(circle));
    const needless = listed.filter((circle) => !found.includes(circle));
    const shares = (one: string, other: string): boolean =>
      one.split(" ").some((folder) => other.split(" ").includes(folder));
    const sentences = unlisted.map((circle) => {
      const folders = circle.split(" ");
      const known = needless.filter((line) => shares(line, circle));
      const joined = folders.filter((folder) => !known.some((line) => line.split(" ").includes(folder)));
      if (joined.length > 0) return `A circle of folders is new or has grown: ${howItJoined(joined, folders)}.`;
      if (known.length > 1) return `These circles have become one: ${known.join("; ")}.`;
      return `The circle "${known}" has shrunk. Write this in place of its line in ${file}: ${circle}`;
    });
    const gone = needless.filter((line) => !unlisted.some((circle) => shares(circle, line)));
    expect([...sentences, ...gone.map((line) => `The circle "${line}" is gone. Delete its line in ${file}.`)]).toEqual(
      [],
    );
  });
});
