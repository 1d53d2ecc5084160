// Places that are not as they should be: no HOME, a user whom the system does not know, a folder that was deleted. Each command
// works, or says in a sentence what to do.
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KEPT_CODE, PROGRAM as program } from "../support/program.ts";

const library = join(process.cwd(), "dist/index.js");
const COMMANDS = ["run ok.yaml", "validate ok.yaml", "runs", "--version", "mcp"];
const NOBODY = 54_321;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "segno-places-"));
  chmodSync(folder, 0o777);
  writeFileSync(
    join(folder, "ok.yaml"),
    "workflow: { name: ok, entry_point: a }\nagents: [{ name: a, type: script, command: echo, args: [fine], routes: [{ to: $end }] }]\n",
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Told {
  readonly code: number | null;
  readonly text: string;
}

function told(command: readonly string[], env: Record<string, string>, cwd = folder): Told {
  const [name = "", ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(name, args, {
    cwd,
    // Where compiled code is kept is none of the places that are meant here: test/package/first-start.test.ts has those.
    env: { PATH: process.env.PATH ?? "", ...KEPT_CODE, ...env },
    encoding: "utf8",
    input: "",
    timeout: 150_000,
  });
  return { code: status, text: `${stdout}${stderr}${error ?? ""}` };
}

const segno = (args: readonly string[], env: Record<string, string>): Told =>
  told([process.execPath, program, ...args], env);

/** Said by us, in a sentence. */
function expectSentence({ text }: Told): void {
  expect(text).not.toMatch(/itself failed|uv_|ENOENT|ENOTDIR|^\s+at .*:\d+:\d+/m);
}

// Who asks for it, asks in one place: what is empty there is as if it was not set.
describe.each([
  ["not set", {}, COMMANDS],
  ["empty", { HOME: "" }, ["run ok.yaml"]],
])("HOME %s", (_, env, commands) => {
  it.each(commands)("%s", (command) => {
    const answer = segno(command.split(" "), { ...env, SEGNO_HOME: join(folder, "home") });
    expectSentence(answer);
    expect(answer.code).toBe(0);
  });
});

// Only root may become another user, and only one whom the system does not know is what is meant.
const asNobody = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", "--"];
const canBecome =
  process.getuid?.() === 0 && spawnSync("setpriv", [...asNobody.slice(1), process.execPath, "-v"]).status === 0;

describe.skipIf(!canBecome)("a user without an entry (skipped unless root, with setpriv)", () => {
  let copy: string;
  let cache: string;
  beforeAll(() => {
    cache = join(folder, "cache-of-nobody");
    // Where the program lies may be closed to others.
    copy = mkdtempSync(join(tmpdir(), "segno-program-"));
    cpSync(join(process.cwd(), "dist"), join(copy, "dist"), { recursive: true });
    for (const name of ["libsql", "@libsql", "@neon-rs", "detect-libc", "yaml"])
      cpSync(join(process.cwd(), "node_modules", name), join(copy, "node_modules", name), { recursive: true });
    chmodSync(copy, 0o755);
    mkdirSync(cache, { mode: 0o700 });
    chownSync(cache, NOBODY, NOBODY);
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  const asked = (args: readonly string[], env: Record<string, string>): Told =>
    told([...asNobody, process.execPath, join(copy, "dist/main.cjs"), ...args], { XDG_CACHE_HOME: cache, ...env });

  it.each(COMMANDS)("%s works with a home that is named", (command) => {
    const answer = asked(command.split(" "), { SEGNO_HOME: join(folder, "of-nobody") });
    expectSentence(answer);
    expect(answer.code, answer.text).toBe(0);
  });

  it.each(["run ok.yaml", "runs"])("%s says which folder it needs, without one", (command) => {
    const answer = asked(command.split(" "), {});
    expectSentence(answer);
    expect(answer.code).toBe(2);
    expect(answer.text).toContain("Name one with --home or SEGNO_HOME");
  });

  it("is told by the library too", () => {
    const answer = told(
      [
        ...asNobody,
        process.execPath,
        "--input-type=module",
        "-e",
        `import { openStore } from ${JSON.stringify(join(copy, "dist/index.js"))};
        try { openStore(); } catch (error) { console.log(error.message); }
        console.log(openStore("given").home.endsWith("given"));`,
      ],
      {},
    );
    expect(answer.text).toBe(
      'there is no folder to keep runs in: HOME is not set, and the system knows no home folder of this user. Name one: openStore("/a/folder"), or SEGNO_HOME.\ntrue\n',
    );
  });
});

it("the library has the home of the command line", () => {
  const script = `import { openStore } from ${JSON.stringify(library)}; console.log(openStore().home);`;
  const homeWith = (env: Record<string, string>): string =>
    told([process.execPath, "--input-type=module", "-e", script], env).text.trim();
  expect(homeWith({ HOME: "/somewhere" })).toBe("/somewhere/.segno");
  expect(homeWith({ HOME: "/somewhere", SEGNO_HOME: "/else" })).toBe("/else");
  expect(homeWith({ HOME: "" })).toMatch(/^\/.+\/\.segno$/);
});

describe("a folder that was deleted", () => {
  it.each(COMMANDS)("%s", (command) => {
    const gone = join(folder, "gone");
    mkdirSync(gone);
    // A shell deletes the folder that it is in, and starts us there.
    const answer = told(
      ["sh", "-c", `rmdir "$PWD" && exec "$@"`, "sh", process.execPath, program, ...command.split(" ")],
      { HOME: folder, SEGNO_HOME: join(folder, "home") },
      gone,
    );
    expectSentence(answer);
    if (command === "--version") expect(answer.code).toBe(0);
    else {
      expect(answer.code).toBe(2);
      expect(answer.text).toContain("The folder that you are in does not exist any more");
    }
  });
});
