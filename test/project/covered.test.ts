// What trust covers: once a project is trusted, nothing is executed but what was there when somebody looked at it.
import { chmodSync, chownSync, existsSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const FLOW =
  "workflow: { name: f, entry_point: a }\nagents: [{ name: a, type: say }]\noutput: { a: '{{ a.output }}' }\n";
const STEP = (said: string) => `
import { defineStep, succeeded } from "segno";
export const say = defineStep({ type: "say", description: "says it", schema: { type: "object" }, execute: () => succeeded(${said}) });
`;
const SETTLED = { mjs: 'export const word = "old";\n', cjs: 'exports.word = "old";\n' };
/** Leaves a file behind when it is executed. */
const CHANGED = {
  mjs: 'import { writeFileSync } from "node:fs";\nwriteFileSync(process.env.TRAP, "x");\nexport const word = "new";\n',
  cjs: 'require("node:fs").writeFileSync(process.env.TRAP, "x");\nexports.word = "new";\n',
};
const fileOf = (work: Workshop, path: string): string => join(work.dir, path);

async function after(work: Workshop, ...args: string[]) {
  const trap = join(work.home, "..", "trap");
  const ended = await work.programIn(".", { TRAP: trap }, ...args);
  return { ...ended, isTrapped: existsSync(trap) };
}

function project(plugin: string, more: Readonly<Record<string, string>> = {}): Workshop {
  return new Workshop({ "segno.yaml": "plugins: [./p/plugin.mjs]\n", "p/plugin.mjs": plugin, "f.yaml": FLOW, ...more });
}

/** Below p/ where nothing else is said. */
const WAYS: readonly (readonly [name: string, takenIn: string, late?: string])[] = [
  ["behind a comment", 'import /* */ { word } from /* */ "./late.mjs";'],
  ["as a template", "const { word } = await import(`./late.mjs`);"],
  ["with a query", 'import { word } from "./late.mjs?v=1";'],
  ["percent-encoded", 'import { word } from "./%6cate.mjs";'],
  ["escaped", 'import { word } from "./l\\x61te.mjs";'],
  ["put together", 'const { word } = await import("./la" + "te.mjs");'],
  ["as an address", 'const { word } = await import(new URL("late.mjs", import.meta.url).href);'],
  ["by a name of package.json", 'import { word } from "#late";'],
  ["from a package", 'import { word } from "dep";', "node_modules/dep/late.mjs"],
  ["from a package, unseen", 'const { word } = await import("d" + "ep");', "node_modules/dep/late.mjs"],
  ["from outside", 'import { word } from "../../late.mjs";', "../late.mjs"],
  ["through a link", 'import { word } from "./link.mjs";', "../late.mjs"],
  [
    "by require",
    'import { createRequire } from "node:module";\nconst { word } = createRequire(import.meta.url)("./late.cjs");',
    "p/late.cjs",
  ],
  [
    "by require, unseen",
    'import { createRequire } from "node:module";\nconst { word } = createRequire(import.meta.url)("./" + "late.cjs");',
    "p/late.cjs",
  ],
  [
    "by require, from elsewhere",
    'import { createRequire } from "node:module";\nconst { word } = createRequire("/elsewhere/x.js")(process.cwd() + "/p/late.cjs");',
    "p/late.cjs",
  ],
  [
    "from code in an address",
    'const at = new URL("late.mjs", import.meta.url).href;\nconst { word } = await import("data:text/javascript,export * from " + JSON.stringify(at));',
  ],
];

describe("code that changed after it was trusted", () => {
  it.each(WAYS)("is not executed when it is taken in %s", async (_, takenIn, late = "p/late.mjs") => {
    const ending = late.endsWith(".cjs") ? "cjs" : "mjs";
    const work = project(`${takenIn}\n${STEP("word")}`, {
      [late]: SETTLED[ending],
      "package.json": '{ "imports": { "#late": "./p/late.mjs" } }',
      "node_modules/dep/package.json": '{ "name": "dep", "version": "1.2.3", "exports": "./late.mjs" }',
    });
    symlinkSync(fileOf(work, "../late.mjs"), fileOf(work, "p/link.mjs"));
    expect((await work.segno("trust", "--yes")).stdout).toContain("is trusted");
    work.write(late, CHANGED[ending]);
    const { isTrapped, code, stderr } = await after(work, "validate", "f.yaml");
    expect(isTrapped).toBe(false);
    expect(code).toBe(2);
    expect(stderr).toMatch(/is not trusted|is not among the files|is not below the project/);
  });
});

describe("a plugin that is trusted", () => {
  it("takes in files and packages of the project, by import and by require", async () => {
    const work = project(
      `import { createRequire } from "node:module";
import { a } from "dep";
import b from "./b.json" with { type: "json" };
const c = createRequire(import.meta.url)("./c");
const d = await import("./d.mjs?v=1");
${STEP("[a, b.word, c.word, d.word].join(' ')")}`,
      {
        "p/b.json": '{ "word": "b" }',
        "p/c.js": 'exports.word = require("./inner.json").word + require("deeper").word;\n',
        "p/inner.json": '{ "word": "c" }',
        "p/d.mjs": 'export const word = "d";\n',
        "node_modules/dep/package.json":
          '{ "name": "dep", "version": "1.2.3", "type": "module", "main": "lib/a.js", "dependencies": { "deeper": "*" } }',
        "node_modules/dep/lib/a.js": 'import deeper from "deeper";\nexport const a = "a" + deeper.word;\n',
        "node_modules/deeper/package.json": '{ "name": "deeper", "version": "4.5.6" }',
        "node_modules/deeper/index.js": 'exports.word = "!";\n',
      },
    );
    const { stdout } = await work.segno("trust", "--yes");
    for (const one of ["p/b.json", "p/c.js", "p/inner.json", "p/d.mjs", "dep 1.2.3", "deeper 4.5.6"])
      expect(stdout).toContain(one);
    const ran = await work.program("run", "f.yaml");
    expect(ran.stderr).not.toContain("could not");
    expect(ran.stdout).toContain('"a": "a! b c! d"');
  });

  it("cannot take in more than every command could read", async () => {
    const work = project(`import "dep";\n${STEP("'x'")}`, { "node_modules/dep/package.json": '{ "name": "dep" }' });
    for (let file = 0; file < 5; file++) {
      work.write(`node_modules/dep/${file}.js`, "");
      truncateSync(fileOf(work, `node_modules/dep/${file}.js`), 20 * 1024 * 1024);
    }
    const { code, stderr } = await work.segno("trust", "--yes");
    expect(code).toBe(2);
    expect(stderr).toContain("its plugins take in more than 5000 files or 64 MiB");
  });

  it("is told in a sentence that a file is too large to be read", async () => {
    const work = project(`import "./late.mjs";\n${STEP("'x'")}`, { "p/late.mjs": "" });
    truncateSync(fileOf(work, "p/late.mjs"), 65 * 1024 * 1024);
    const { code, stderr } = await work.segno("trust", "--yes");
    expect(code).toBe(2);
    expect(stderr).toContain("its plugins take in more than");
  });

  it("is told in a sentence what it took in that nobody was shown", async () => {
    const work = project(`const { word } = await import("./la" + "te.mjs");\n${STEP("word")}`, {
      "p/late.mjs": SETTLED.mjs,
    });
    await work.segno("trust", "--yes");
    expect((await work.program("validate", "f.yaml")).stderr).toContain(
      "the plugin ./p/plugin.mjs of segno.yaml could not be loaded: p/late.mjs is not among the files that `segno trust` covers",
    );
  });

  it("is executed as it was hashed, also when its files are others by then", async () => {
    // The first file changes the second between its hash and its import.
    const swap = `import { renameSync } from "node:fs";
renameSync(new URL("./late.new", import.meta.url), new URL("./late.mjs", import.meta.url));
renameSync(new URL("./late2.new", import.meta.url), new URL("./late.cjs", import.meta.url));
const { word } = await import("./late.mjs");
const late = (await import("./late.cjs")).default;
`;
    const work = project(`${swap}${STEP("word + late.word")}`, {
      "p/late.mjs": SETTLED.mjs,
      "p/late.new": CHANGED.mjs,
      "p/late.cjs": SETTLED.cjs,
      "p/late2.new": CHANGED.cjs,
    });
    await work.segno("trust", "--yes");
    const { isTrapped, stdout } = await after(work, "run", "f.yaml");
    expect(stdout).toContain("oldold");
    expect(isTrapped).toBe(false);
  });
});

describe("a plugin that others may change", () => {
  const guarded = () => project(STEP("'x'"));
  const refuses = async (work: Workshop, why: string) => {
    const { code, stderr } = await work.segno("trust", "--yes");
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot be trusted: ${why}`);
  };

  it("cannot be trusted, and what was trusted before is left out", async () => {
    const work = guarded();
    expect((await work.segno("trust", "--yes")).code).toBe(0);
    chmodSync(fileOf(work, "p"), 0o777);
    await refuses(work, `${fileOf(work, "p")} can be written by others`);
    const { code, stderr } = await work.program("validate", "f.yaml");
    expect(code).toBe(2);
    expect(stderr).toMatch(/left out: plugins\. It cannot be trusted: .* can be written by others/);
    chmodSync(fileOf(work, "p"), 0o755);
    chmodSync(fileOf(work, "p/plugin.mjs"), 0o666);
    await refuses(work, `${fileOf(work, "p/plugin.mjs")} can be written by others`);
  });

  it.runIf(process.geteuid?.() === 0)("cannot be trusted when its folder is another user's", async () => {
    const work = guarded();
    chownSync(fileOf(work, "p"), 65534, 65534);
    await refuses(work, `${fileOf(work, "p")} belongs to another user`);
  });
});
