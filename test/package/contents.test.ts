// What is inside the tarball: whose code, under which licences, how large, and the same bytes each time.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, packedOnce } from "./pack-copy.ts";

let folder: string;
let packed: Packed;
let inside: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "segno-contents-"));
  packed = await packedOnce();
  inside = packed.inside;
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (path: string): string => readFileSync(join(inside, path), "utf8");

/** `name version` of the package that each file belongs to. */
function packagesOf(sources: readonly string[]): string[] {
  const found = new Set<string>();
  for (const source of sources) {
    const path = /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(source)?.[0];
    if (path === undefined) continue;
    const { name, version } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Record<string, string>;
    found.add(`${name} ${version}`);
  }
  return [...found].sort();
}

/** From the maps of the scripts, and from one of the page that is made here: not from what the build went by. */
async function sourcesInside(): Promise<string[]> {
  const maps = readdirSync(join(inside, "dist/parts")).filter((name) => name.endsWith(".map"));
  const ofScripts = maps.flatMap((name) => (JSON.parse(textOf(`dist/parts/${name}`)) as Map).sources);
  const { outputFiles } = await build({
    entryPoints: [
      "src/frontends/page/main.tsx",
      "src/frontends/page/api/stream-worker.ts",
      "src/frontends/page/views/run/graph/layout-worker.ts",
    ],
    bundle: true,
    write: false,
    minify: true,
    outdir: "out",
    sourcemap: "external",
    sourcesContent: false,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    external: ["segno:look"],
    alias: { react: "preact/compat", "react-dom": "preact/compat", "react/jsx-runtime": "preact/jsx-runtime" },
  });
  const ofPage = outputFiles
    .filter(({ path }) => path.endsWith(".js.map"))
    .flatMap(({ text }) => (JSON.parse(text) as Map).sources);
  return [...ofScripts, ...ofPage];
}

interface Map {
  readonly sources: readonly string[];
  readonly sourcesContent?: unknown;
  readonly mappings: string;
}

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses: readonly unknown[];
  readonly "bom-ref": string;
  readonly properties: readonly { readonly value: string }[];
}

const components = (): readonly Component[] =>
  (JSON.parse(textOf("sbom.cdx.json")) as { readonly components: readonly Component[] }).components;

/** The parts of THIRD_PARTY_LICENSES, by `name version`. */
function licenses(): ReadonlyMap<string, string> {
  const parts = textOf("THIRD_PARTY_LICENSES").split(/^={80}\n/m);
  return new globalThis.Map(
    parts.slice(1).flatMap((part) => {
      const [title = "", license = "", ...rest] = part.split("\n");
      return license.startsWith("Licence: ") ? [[title, rest.join("\n")]] : [];
    }),
  );
}

describe("other people's code", () => {
  it("is all named, and nothing is named that is not there", async () => {
    expect([...licenses().keys()].sort()).toEqual(packagesOf(await sourcesInside()));
  });

  it("has the text of its licence, whole", () => {
    const whole = textOf("THIRD_PARTY_LICENSES");
    for (const [name, text] of licenses())
      expect([name, /copyright|permission is hereby granted|apache license/i.test(text)]).toEqual([name, true]);
    expect(whole).toContain("TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION");
  });

  it("is in the bill of materials, with what npm installs beside it", () => {
    const named = components().map(({ group, name, version }) => `${group ? `${group}/` : ""}${name} ${version}`);
    const manifest = JSON.parse(textOf("package.json")) as { readonly dependencies: Readonly<Record<string, string>> };
    const installed = Object.entries(manifest.dependencies).map(([name, version]) => `${name} ${version}`);
    expect([...named].sort()).toEqual([...new Set([...licenses().keys(), ...installed])].sort());
    expect(new Set(components().map((one) => one["bom-ref"])).size).toBe(named.length);
    expect(components().every(({ licenses: under }) => under.length === 1)).toBe(true);
  });

  it("is listed by `segno doctor --licenses`", () => {
    const doctor = (...more: readonly string[]) =>
      spawnSync(process.execPath, [join(inside, "dist/main.cjs"), "doctor", "--licenses", ...more], {
        env: { ...process.env, SEGNO_HOME: join(folder, "home") },
        encoding: "utf8",
      }).stdout;
    expect(doctor()).toMatch(/^zod +\d[\d.]* +MIT$|^zod \d[\d.]* +MIT$/m);
    expect(JSON.parse(doctor("--output-format", "json"))).toEqual(JSON.parse(textOf("sbom.cdx.json")));
  });
});

describe("the tarball", () => {
  it("has at most 2.4 MB, and 8.6 MB unpacked", () => {
    expect(packed.size).toBeLessThanOrEqual(2_400_000);
    expect(packed.unpackedSize).toBeLessThanOrEqual(8_600_000);
  });

  it("has the engine once", () => {
    const texts = readdirSync(join(inside, "dist/parts"))
      .filter((name) => name.endsWith(".js"))
      .map((name) => textOf(`dist/parts/${name}`));
    expect(texts.filter((text) => text.includes("internal.step_error")).length).toBeGreaterThan(0);
    const sources = readdirSync(join(inside, "dist/parts"))
      .filter((name) => name.endsWith(".map"))
      .flatMap((name) => (JSON.parse(textOf(`dist/parts/${name}`)) as Map).sources);
    const ofEngine = sources.filter((source) => source.includes("/src/engine/"));
    // If the engine stood elsewhere, nothing of it could be found twice here.
    expect(ofEngine.length).toBeGreaterThan(0);
    expect(ofEngine.filter((source, at) => ofEngine.indexOf(source) !== at)).toEqual([]);
  });

  it("has the same bytes when it is built again", () => {
    const { copy } = packed;
    const built = packed.packed.filter((path) => /^(dist\/(?!types)|sbom|THIRD_PARTY)/.test(path));
    expect(spawnSync(process.execPath, ["scripts/build.mjs"], { cwd: copy, encoding: "utf8" }).stderr).toBe("");
    expect(built.filter((path) => !readFileSync(join(copy, path)).equals(readFileSync(join(inside, path))))).toEqual(
      [],
    );
    expect(readdirSync(join(copy, "dist/parts")).sort()).toEqual(readdirSync(join(inside, "dist/parts")).sort());
  });

  it("is what publint and arethetypeswrong expect of a package", () => {
    const tool = (...args: readonly string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
      return [status, status === 0 ? "" : stdout + stderr];
    };
    expect(tool(resolve("node_modules/publint/src/cli.js"), "--strict", packed.tarball)).toEqual([0, ""]);
    const attw = resolve("node_modules/@arethetypeswrong/cli/dist/index.js");
    expect(tool(attw, packed.tarball, "--profile", "esm-only", "--no-color")).toEqual([0, ""]);
  });
});

describe("a stack trace", () => {
  it("names the files of the source with --enable-source-maps, and no text of theirs is shipped", () => {
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(inside, join(folder, "node_modules/segno"));
    writeFileSync(
      join(folder, "wrong.mjs"),
      'import { run } from "segno";\nawait run(3).catch((error) => console.log(error.stack));\n',
    );
    const { stdout } = spawnSync(process.execPath, ["--enable-source-maps", join(folder, "wrong.mjs")], {
      encoding: "utf8",
    });
    const file = "src/frontends/library/wrong-call.ts";
    const source = readFileSync(file, "utf8").split("\n");
    const line = source.findIndex((text) => text.includes("export function checkWorkflow"));
    const at = stdout.split(`segno/${file}:`)[1] ?? "";
    expect(Number.parseInt(at, 10)).toBeGreaterThan(line);
    expect(Number.parseInt(at, 10)).toBeLessThan(line + 8);
    const maps = readdirSync(join(inside, "dist/parts")).filter((name) => name.endsWith(".map"));
    expect(maps.filter((name) => "sourcesContent" in JSON.parse(textOf(`dist/parts/${name}`)))).toEqual([]);
  });
});
