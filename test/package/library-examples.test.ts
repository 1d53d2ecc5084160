// Every example in a doc comment of the public surface, and on its page, is compiled as a user would write it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { packedOnce } from "./pack-copy.ts";

const SOURCES = [
  ...["src/frontends/library", "src/features/resilience-alone", "src/features/typescript/library"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  ),
  ...["retry-policy", "circuit-breaker", "error-handler", "policy"].map(
    (name) => `src/engine/guard/resilience/${name}.ts`,
  ),
  "src/base/errors/raise.ts",
].filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));

interface Example {
  readonly file: string;
  readonly code: string;
}

/** The lines after `@example`, up to the next tag or the end of the comment. */
function* examplesIn(file: string): Iterable<Example> {
  for (const [comment] of readFileSync(file, "utf8").matchAll(/\/\*\*[\s\S]*?\*\//g))
    for (const part of comment.split("@example").slice(1)) {
      const lines = part
        .replace(/\*\/$/, "")
        .split("\n")
        .map((line) => line.replace(/^\s*\* ?/, ""));
      const end = lines.findIndex((line) => line.startsWith("@"));
      yield {
        file,
        code: lines
          .slice(0, end === -1 ? undefined : end)
          .join("\n")
          .trim(),
      };
    }
}

/** The TypeScript in a page. */
const blocksIn = (file: string): readonly Example[] =>
  [...readFileSync(file, "utf8").matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => ({ file, code }));

const PAGES = readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []));

const NAMES = Object.keys(await import("../../src/index.ts"));

/** What an example does not bring along is imported for it. */
const asModule = ({ code }: Example): string => {
  const imported = [...code.matchAll(/^import .* from "(?:segno(?:\/\w+)?|zod|node:[\w/]+)";$/gm)].map(
    ([line]) => line,
  );
  const body = code.replace(/^import .*$/gm, "");
  const taken = new Set(
    imported.flatMap(
      (line) =>
        /\{([^}]*)\}/
          .exec(line)?.[1]
          ?.split(",")
          .map((name) => name.trim()) ?? [],
    ),
  );
  const own = new Set([
    ...[...body.matchAll(/\b(?:const|let|function|class)\s+(\w+)/g)].map(([, name]) => name),
    // `const { errors: findings, runs = [] }` makes `findings` and `runs`.
    ...[...body.matchAll(/\bconst\s+\{([^}]*)\}/g)].flatMap(([, names = ""]) =>
      names.split(",").map((name) => /(\w+)\s*(?:=.*)?$/.exec(name.trim())?.[1]),
    ),
  ]);
  const missing = NAMES.filter((name) => new RegExp(`\\b${name}\\b`).test(body) && !taken.has(name) && !own.has(name));
  const types = ["RunEvent", "EventOf"].filter(
    (name) => new RegExp(`\\b${name}\\b`).test(body) && !taken.has(`type ${name}`),
  );
  return [
    ...imported,
    `import { ${[...missing, ...types.map((name) => `type ${name}`)].join(", ")} } from "segno";`,
    body,
    "export {};",
  ].join("\n");
};

describe("examples", () => {
  const examples = [...SOURCES.flatMap((file) => [...examplesIn(file)]), ...PAGES.flatMap(blocksIn)];

  it("are there for everything that is called", () => {
    const all = examples.map(({ code }) => code).join("\n");
    const called = NAMES.filter((name) => /^[a-z]/.test(name));
    expect(called.filter((name) => !new RegExp(`\\b${name}\\(|\\b${name}<|\\b${name}\\.\\w+\\(`).test(all))).toEqual(
      [],
    );
  });

  it("compile", { timeout: 600_000 }, async () => {
    const { inside } = await packedOnce();
    const folder = mkdtempSync(join(tmpdir(), "segno-examples-"));
    try {
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(inside, join(folder, "node_modules/segno"));
      symlinkSync(resolve("node_modules/zod"), join(folder, "node_modules/zod"));
      writeFileSync(join(folder, "package.json"), '{"type":"module"}');
      for (const [index, example] of examples.entries())
        writeFileSync(join(folder, `example-${index}.ts`), asModule(example));
      const config = {
        extends: resolve("tsconfig.json"),
        compilerOptions: { noEmit: true, noUnusedLocals: false, typeRoots: [resolve("node_modules/@types")] },
        include: [],
        files: examples.map((_, index) => `example-${index}.ts`),
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      const { stdout } = spawnSync(
        process.execPath,
        ["node_modules/typescript/bin/tsc", "--singleThreaded", "-p", folder],
        { encoding: "utf8" },
      );
      // Each line names its example; the code is what has to be mended.
      const told = stdout.replace(
        /(\S*example-(\d+)\.ts)/g,
        (_, _path, index: string) => examples[Number(index)]?.file ?? "",
      );
      expect(told.split("\n").filter((line) => line.includes("error TS"))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
