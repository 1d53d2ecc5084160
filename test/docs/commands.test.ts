// Every `segno` line of the tutorials is run, in order, in a folder with the files that the page shows, and prints what
// the page says it prints.
//
// A block ```sh whose first line begins with `segno` or `npx segno` is run, but for ```sh example; others are run as
// ```sh run. A hidden `<!-- run: … -->` only does what the text asks for: an edit, or a command of another terminal.
// `# exit 3` after a command is the exit code it must end with. RUN stands for the newest run's id. A ```text or ```json
// block right below shows the output: its lines must be in it, in order; times and run ids may differ, and `…` stands for
// anything.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTogether } from "../support/command-line.ts";
import { KEPT_CODE } from "../support/program.ts";
import { blocksOf, isRun, pages, root } from "./markdown.ts";

const base = mkdtempSync(join(tmpdir(), "segno-docs-run-"));
const bin = join(base, "bin");
/** Another build than dist/, for when that is being rebuilt. */
const program = process.env.SEGNO_DOCS_PROGRAM ?? join(root, "dist/main.js");

beforeAll(() => {
  expect(existsSync(program), "build first: node scripts/build.mjs").toBe(true);
  mkdirSync(bin);
  writeFileSync(join(bin, "segno"), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  chmodSync(join(bin, "segno"), 0o755);
  // Where the package is installed, `npx segno` is the program; here it is the build.
  writeFileSync(join(bin, "npx"), '#!/bin/sh\nnpm_command=exec exec "$@"\n');
  chmodSync(join(bin, "npx"), 0o755);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

/** A command alone, whose words need no shell but for quotes. */
const PLAIN = /^(npx )?segno ((?:[\w@:/.,=-]|"[^"$`\\]*"|'[^']*'| )+)$/;

/** In this process what needs neither a shell nor a process of its own. */
async function carryOut(line: string, cwd: string, home: string, loadsCode: boolean): Promise<Ended> {
  const PATH = `${bin}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, HOME: home, SEGNO_HOME: home, NO_COLOR: "1" };
  const [, npx, rest] = PLAIN.exec(line.trim()) ?? [];
  if (rest === undefined || loadsCode) return sh(line, cwd, env);
  const words = (rest.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) => word.replace(/["']/g, ""));
  return readTogether(words, { cwd, env: npx ? { ...env, npm_command: "exec" } : env });
}

function sh(line: string, cwd: string, given: Readonly<Record<string, string | undefined>>): Promise<Ended> {
  const env = { ...given, ...KEPT_CODE };
  // One pipe for both, so that lines come in the order in which they were written.
  const child = spawn("bash", ["-c", `exec 2>&1; ${line}`], { cwd, env, stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.on("data", (data) => (text += data));
  return new Promise((done) => child.on("close", (code) => done({ code, text })));
}

const RUN_ID = /\b01[0-9A-HJKMNP-TV-Z]{24}\b/g;

/** What differs from run to run looks the same. */
const plain = (text: string): string =>
  text
    .replace(RUN_ID, "RUN")
    .replace(/just now|\d+ (?:s|min) ago/g, "AGO")
    .replace(/\b(?:\d+[hm] )*\d+(\.\d+)? ?(ms|[smh])\b/g, "TIME")
    .replace(/"(duration_ms|response_time|elapsed)": [\d.]+/g, '"$1": TIME')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?/g, "DATE")
    .replace(/\b(pid|group) \d+/g, "$1 N")
    .replace(/\s+/g, " ")
    .trim();

/** The first line that the output does not have where it should. Where lines are broken does not matter. */
function missingLine(shown: string, output: string): string | undefined {
  const flat = plain(output);
  let at = 0;
  for (const line of shown.split("\n"))
    for (const part of line.split("…").map(plain).filter(Boolean)) {
      const found = flat.indexOf(part, at);
      if (found < 0) return line;
      at = found + part.length;
    }
  return undefined;
}

describe("the commands of", () => {
  for (const page of pages.filter(({ name }) => name !== "README.md")) {
    const blocks = blocksOf(page);
    if (!blocks.some(isRun)) continue;
    // A plugin changes the process that loads it.
    const loadsCode = blocks.some(({ file, text }) => file === "segno.yaml" && /^plugins:/m.test(text));
    it(`${page.name} do what it says`, async () => {
      // A place of its own for each try: what a try before it left must not be met.
      const place = mkdtempSync(join(base, page.name.replaceAll("/", "-")));
      const cwd = join(place, "work");
      const home = join(place, "home");
      mkdirSync(cwd, { recursive: true });
      let last: Ended | undefined;
      let run = "RUN";
      for (const block of blocks) {
        const where = `${page.name}:${block.line}`;
        if (!["text", "json"].includes(block.language)) last = undefined;
        if (block.file) {
          const path = join(cwd, block.file);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, block.text);
          chmodSync(path, 0o755);
        } else if (isRun(block)) {
          let text = "";
          for (const line of block.text.split("\n").filter((one) => one.trim() !== "" && !one.startsWith("#"))) {
            const [, wanted = "0"] = /# exit (\d+)/.exec(line) ?? [];
            const ended = await carryOut(line.replace(/\s+# .*$/, "").replace(/\bRUN\b/g, run), cwd, home, loadsCode);
            run = ended.text.match(RUN_ID)?.[0] ?? run;
            text += ended.text;
            if (block.language !== "hidden")
              expect(`exit ${ended.code}`, `${where}: ${line}\n${ended.text}`).toBe(`exit ${wanted}`);
          }
          last = { code: 0, text };
        } else if (last && block.follows && ["text", "json"].includes(block.language)) {
          const missing = missingLine(block.text, last.text);
          expect(missing, `${where} shows a line that is not in the output:\n${last.text}`).toBeUndefined();
        }
      }
    });
  }
});
