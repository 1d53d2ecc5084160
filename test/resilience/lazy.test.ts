// A run whose files have neither resilience nor policies loads nothing of either.
import { build, type Metafile } from "esbuild";
import { beforeAll, expect, test } from "vitest";

let outputs: Metafile["outputs"];

beforeAll(async () => {
  const { metafile } = await build({
    entryPoints: ["src/services/runs/run.ts", "src/services/runs/resume.ts"],
    outdir: "unused",
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: ["libsql", "@libsql/*", "node:sqlite", "@github/copilot-sdk"],
    logLevel: "silent",
  });
  outputs = metafile.outputs;
});

function loadedWith(chunk: string, seen = new Set<string>()): readonly string[] {
  const output = outputs[chunk];
  if (!output || seen.has(chunk)) return [];
  seen.add(chunk);
  const next = output.imports.filter(({ kind }) => kind === "import-statement");
  return [...Object.keys(output.inputs), ...next.flatMap(({ path }) => loadedWith(path, seen))];
}

test.each(["src/services/runs/run.ts", "src/services/runs/resume.ts"])("%s", (entry) => {
  const chunk = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entry) ?? "";
  const files = loadedWith(chunk);
  expect(files).toContain("src/services/drive/to-its-end.ts");
  const governed = /engine\/guard\/(?!policy-retries)|governance\/(?!needed)/;
  // How often a policy retried is counted by every visit, and what names a letter's place a resume may need.
  expect(files.filter((file) => governed.test(file) && !file.endsWith("/dead-letter.ts"))).toEqual([]);
});
