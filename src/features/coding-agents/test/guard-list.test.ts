// One list of guards: each path has one mode, and every adapter renders the same. What bwrap makes of it is tried.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testTask } from "../../../../test/support/coding-task.ts";
import { confined } from "../acp/sandbox.ts";
import type { CodingTask } from "../agent.ts";
import { claudeOptions } from "../claude/options.ts";
import { writeSettings } from "../codex/settings.ts";
import { decide } from "../copilot/options.ts";
import { guardedIn, repositoriesBelow } from "../guarded.ts";
import { permissionsOf } from "../permissions.ts";
import { standInFile } from "./acp-stand-in.ts";
import { codingPlayground, hasSandbox, told } from "./workshop.ts";

type Mode = "hidden" | "read-only" | "writable";

/** By path below the agent's folder. Segno's home is in both lists, and wins as hidden. */
const PATHS: Readonly<Record<string, Mode>> = {
  ".segno/runs/secret": "hidden",
  "kept/here/secret": "hidden",
  "main.yaml": "read-only",
  "policies/p.mjs": "read-only",
  "segno.yaml": "read-only",
  ".git/config": "read-only",
  ".git/hooks/pre-commit": "read-only",
  ".husky/pre-commit": "read-only",
  "shared.gitconfig": "read-only",
  "shared-hooks/pre-commit": "read-only",
  "node_modules/.bin/tool": "read-only",
  "node_modules/pkg/index.js": "writable",
  "src/a.ts": "writable",
};
const NAMES = Object.entries(PATHS);

let folder: string;
let cwd: string;
let task: CodingTask;

beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "segno-guards-")));
  cwd = join(folder, "work");
  for (const path of Object.keys(PATHS)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), `content of ${path}\n`);
  }
  mkdirSync(join(cwd, ".husky/_"));
  writeFileSync(join(cwd, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(cwd, ".git/config"), "[core]\n\thooksPath = .husky/_\n[include]\n\tpath = ../shared.gitconfig\n");
  writeFileSync(join(cwd, "shared.gitconfig"), '[core]\n\thooksPath = "shared-hooks"\n');
  const home = join(folder, "home");
  mkdirSync(home);
  task = await taskWith(home, {});
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function taskWith(home: string, asked: Record<string, unknown>): Promise<CodingTask> {
  const permissions = permissionsOf(asked);
  const { guarded, bins } = await repositoriesBelow(cwd);
  return testTask({
    cwd,
    home,
    project: cwd,
    permissions,
    env: { PATH: process.env.PATH, HOME: join(folder, "user") },
    guarded: {
      readOnly: [
        ...["main.yaml", "policies/p.mjs"].map((path) => join(cwd, path)),
        ...guarded,
        ...(permissions.mayInstall ? [] : bins),
      ],
      unreadable: [".segno", "kept/here"].map((path) => join(cwd, path)),
    },
  });
}

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((one) => path === one || path.startsWith(`${one}/`));

it("has each path once, by its strongest mode", () => {
  const { readOnly, unreadable } = guardedIn(task);
  const modes = NAMES.map(([name]): [string, Mode] => {
    const path = join(cwd, name);
    return [name, isIn(path, unreadable) ? "hidden" : isIn(path, readOnly) ? "read-only" : "writable"];
  });
  expect(Object.fromEntries(modes)).toEqual(PATHS);
  expect(readOnly.filter((path) => isIn(path, unreadable))).toEqual([]);
  expect(new Set(readOnly).size).toBe(readOnly.length);
});

it("guards a home that is not there yet from being made", () => {
  rmSync(join(cwd, ".segno"), { recursive: true });
  const { readOnly, unreadable } = guardedIn(task);
  expect(unreadable).toEqual([join(cwd, "kept/here")]);
  expect(readOnly).toContain(join(cwd, ".segno"));
});

it("lets agents that install packages write where these put commands, when the step says so", async () => {
  const asked = await taskWith(task.home, { allow: ["node_modules", "Bash(npm install)"] });
  expect(asked.permissions.allow).toEqual(["Bash(npm install)"]);
  expect(isIn(join(cwd, "node_modules/.bin/tool"), guardedIn(asked).readOnly)).toBe(false);
});

it("is what Claude gets, for its tools and for its commands", async () => {
  const access = { env: {}, withheld: [] };
  const { settings, sandbox } = claudeOptions(task, access, { ready: true, message: "" }) as {
    settings: { permissions: { deny: string[] } };
    sandbox: { filesystem: { denyWrite: string[]; denyRead: string[] } };
  };
  const { denyWrite, denyRead } = sandbox.filesystem;
  const rules = (tool: string): string[] =>
    settings.permissions.deny.flatMap((rule) => (rule.startsWith(`${tool}(/`) ? rule.slice(tool.length + 2, -1) : []));
  for (const [name, mode] of NAMES) {
    const path = join(cwd, name);
    const seen = { read: !isIn(path, denyRead), write: !isIn(path, [...denyRead, ...denyWrite]) };
    const byTools = { read: !isIn(path, rules("Read")), write: !isIn(path, rules("Edit")) };
    const wanted = { read: mode !== "hidden", write: mode === "writable" };
    expect([name, seen, byTools]).toEqual([name, wanted, wanted]);
  }
});

it("is what Codex gets, where the nearest rule wins", async () => {
  await writeSettings(task, "/bin", "");
  const config = readFileSync(join(task.home, "config.toml"), "utf8");
  const rules = new Map<string, string>([[cwd, "write"]]);
  for (const [, name = "", mode = ""] of config.matchAll(/"([^"]+)" = "(read|write|deny)"/g))
    if (name === ":root") rules.set("/", mode);
    else {
      const path = name.startsWith("/") ? name : join(cwd, name);
      // A path that has two rules would depend on their order.
      expect([path, rules.get(path) ?? mode]).toEqual([path, mode]);
      rules.set(path, mode);
    }
  for (const [name, mode] of NAMES) {
    // Codex mounts all of .git read-only by itself.
    if (name.startsWith(".git/")) continue;
    let at = join(cwd, name);
    while (!rules.has(at)) at = dirname(at);
    expect([name, rules.get(at)]).toEqual([name, { hidden: "deny", "read-only": "read", writable: "write" }[mode]]);
  }
});

it("is what Copilot may do by itself", () => {
  for (const [name, mode] of NAMES) {
    const asked = (kind: string) => decide({ kind, fileName: join(cwd, name) } as Parameters<typeof decide>[0], task);
    expect([name, asked("read"), asked("write")]).toEqual([
      name,
      mode === "hidden" ? "ask" : "allow",
      mode === "writable" ? "allow" : "ask",
    ]);
  }
});

describe.skipIf(!hasSandbox)("in bubblewrap", () => {
  it("is what an agent by ACP can read and write", async () => {
    const own = join(folder, "own");
    mkdirSync(own);
    const tries = NAMES.flatMap(([name]) => [
      `if cat ${name} >/dev/null 2>&1; then echo "READ ${name}"; fi`,
      `if (echo evil >> ${name}) 2>/dev/null; then echo "WROTE ${name}"; fi`,
      `rm -f ${name} 2>/dev/null; mv -f $(dirname ${name}) moved 2>/dev/null && mv moved $(dirname ${name})`,
    ]);
    const launch = { title: "a", known: undefined, command: "/bin/sh", args: [], access: undefined, program: [] };
    const line = ["/bin/sh", "-c", `${tries.join("; ")}; true`];
    const [program = "", ...args] = await confined(task, launch, line, { folder: own, proxy: join(own, "proxy") });
    const said = execFileSync(program, args, { encoding: "utf8" });
    for (const [name, mode] of NAMES) {
      expect([name, said.includes(`READ ${name}\n`)]).toEqual([name, mode !== "hidden"]);
      if (mode === "writable") expect(said).toContain(`WROTE ${name}\n`);
      else expect([name, readFileSync(join(cwd, name), "utf8")]).toEqual([name, expect.not.stringContaining("evil")]);
    }
  });

  const play = codingPlayground();

  it("hides every home of Segno, and guards what a run executes and goes by", async () => {
    const at = play();
    const policy =
      'export default { name: "p", description: "", evaluate: () => ({ allowed: true, policyName: "p" }) };';
    at.session.env.HOME = at.folder;
    at.write({
      ".segno/trusted.json": "what-the-user-trusts",
      "runs-of-project/old.txt": "what-the-project-keeps",
      "segno.yaml": "home: ./runs-of-project\n",
      "p.mjs": policy,
    });
    const tries = [
      "cat .segno/trusted.json runs-of-project/old.txt",
      "echo evil >> p.mjs; rm -f p.mjs; echo evil > p.mjs",
      "echo evil >> segno.yaml",
      "echo evil > runs-of-project/old.txt; echo evil > .segno/trusted.json",
      "echo done",
    ];
    const act = { run: tries.map((one) => `(${one})`).join("; ") };
    const text = standInFile({ acts: [act, { say: "done" }], workingDir: "." });
    at.write({ "main.yaml": text.replace(/^( +)entry_point: .*$/m, "$&\n$1policies: [{ module: ./p.mjs }]") });
    expect(readFileSync(join(at.folder, "main.yaml"), "utf8")).toContain("p.mjs");
    const { result, events } = await at.run("main.yaml");
    expect(result.errors).toEqual([]);
    const said = String(told(events, "agent_tool_complete")[0]?.result);
    expect(said).toContain("done");
    expect(said).not.toMatch(/what-the-user-trusts|what-the-project-keeps/);
    expect(readFileSync(join(at.folder, "p.mjs"), "utf8")).toBe(policy);
    for (const name of [".segno/trusted.json", "runs-of-project/old.txt", "segno.yaml"])
      expect(readFileSync(join(at.folder, name), "utf8")).not.toContain("evil");
  });
});
