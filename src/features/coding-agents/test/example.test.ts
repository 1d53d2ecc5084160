// The example for coding agents, for real: red tests, an agent in its sandbox, green tests.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codingPlayground, describeAgent, hasSandbox, told } from "./workshop.ts";

const play = codingPlayground();

describeAgent("claude-agent-sdk", "in examples/fix-test.yaml", () => {
  it.skipIf(!hasSandbox)("reads what failed, fixes it at the second try, and is shown to have done so", async () => {
    const at = play();
    cpSync("examples", at.folder, { recursive: true });
    const project = join(at.folder, "fix-test/project");
    const edit = (old_string: string, new_string: string) => ({
      tools: [{ name: "Edit", input: { file_path: join(project, "sum.mjs"), old_string, new_string } }],
    });
    const read = { tools: [{ name: "Read", input: { file_path: join(project, "sum.mjs") } }] };
    const calls = [
      read,
      edit("total - number", "total * number"),
      { json: { answer_or_error: { summary: "It multiplied." } } },
      read,
      edit("total * number", "total + number"),
      { tools: [{ name: "Bash", input: { command: "node --test", description: "run the tests" } }] },
      { json: { answer_or_error: { summary: "It adds now." } } },
    ];
    at.play = ({ index }) => calls[index] ?? "done";
    const { result, events } = await at.run("fix-test.yaml");
    expect(result).toMatchObject({ status: "completed", output: { tests: "green" } });
    expect(readFileSync(join(project, "sum.mjs"), "utf8")).toContain("total + number");
    expect(told(events, "error_raised").map(({ error }) => error.kind)).toEqual(["tests.red", "tests.red"]);
    expect(at.requests[0]?.prompt).toContain("adds up: Expected values to be strictly equal:");
    expect(at.requests[0]?.prompt).toContain("-6 !== 6");
    const fixed = told(events, "agent_completed").filter(({ agent_name }) => agent_name === "fix");
    expect(fixed).toMatchObject([
      {
        output: { summary: "It multiplied." },
        changes: { files: [{ path: "sum.mjs", change: "modified", added: 1, removed: 1 }] },
      },
      { output: { summary: "It adds now." }, changes: { added: 1, removed: 1 } },
    ]);
    expect(String(told(events, "agent_tool_complete").at(-1)?.result)).toContain("pass 2");
  });
});

/** Servers as a machine has them: on a port, on files, and on a name that is no file. Those that may be made here. */
async function listeners(): Promise<{ port: number; places: string[]; close(): void }> {
  const name = `segno-test-${process.pid}.sock`;
  const servers = await Promise.all(
    [
      { port: 0, host: "127.0.0.1" },
      ...[`/run/${name}`, `/var/tmp/${name}`, `\0${name}`].map((path) => ({ path })),
    ].map(
      (place) =>
        new Promise<Server | undefined>((resolve) => {
          const server = createServer((socket) => socket.destroy());
          server.once("error", () => resolve(undefined)).listen(place, () => resolve(server));
        }),
    ),
  );
  const addresses = servers.flatMap((server) => server?.address() ?? []);
  return {
    port: addresses.flatMap((address) => (typeof address === "string" ? [] : [address.port]))[0] ?? 0,
    places: addresses.filter((address) => typeof address === "string"),
    close: () => {
      for (const server of servers) server?.close();
    },
  };
}

describeAgent("claude-agent-sdk", "that does not finish in examples/fix-test.yaml", () => {
  it.skipIf(!hasSandbox).each([
    [
      "it is refused",
      { status: 400 },
      /^The agent did not finish, and the tests were not run after it: .*claude-agent-sdk/,
    ],
    [
      "it gives up",
      { json: { answer_or_error: { conductor_error: true, kind: "fix.impossible", message: "It cannot be." } } },
      /^The agent did not finish.*: It cannot be\.$/,
    ],
  ])("asks with what happened, and not as if the tests had run again: %s", async (_, answer, asked) => {
    const at = play();
    cpSync("examples", at.folder, { recursive: true });
    at.play = () => answer;
    const { result, events } = await at.run("fix-test.yaml");
    expect(result.status).toBe("paused");
    expect(told(events, "gate_presented").map(({ prompt }) => prompt.trim())).toEqual([expect.stringMatching(asked)]);
    expect(told(events, "error_raised").map(({ error }) => error.kind)).toContain("tests.red");
  });
});

describe("the tests of examples/fix-test.yaml, which run what an agent wrote", () => {
  const tested = (source: string, env: Record<string, string> = {}, ...more: string[]) => {
    const at = play();
    cpSync("examples", at.folder, { recursive: true });
    writeFileSync(join(at.folder, "fix-test/project/sum.mjs"), source);
    const raisedIn = join(at.folder, "raised.json");
    const { stderr, status } = spawnSync(process.execPath, ["fix-test/run-tests.mjs", "fix-test/project", ...more], {
      cwd: at.folder,
      encoding: "utf8",
      env: { ...process.env, CONDUCTOR_ERROR_OUT: raisedIn, ...env },
    });
    const raised = existsSync(raisedIn) ? JSON.parse(readFileSync(raisedIn, "utf8")) : undefined;
    return { at, stderr, status, raised };
  };
  const hostile = (folder: string): string => `
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
const tried = (what) => { try { return what(); } catch (error) { return error.code; } };
const pids = readdirSync("/proc").filter((name) => Number(name) > 0);
const environments = pids.map((pid) => tried(() => readFileSync("/proc/" + pid + "/environ", "utf8")));
tried(() => writeFileSync(${JSON.stringify(join(folder, "escaped.txt"))}, "x"));
throw new Error(JSON.stringify(environments));
`;

  it.skipIf(!hasSandbox)("see no secret, write nothing outside, and say what was wrong", () => {
    const { at, raised } = tested(hostile(play().folder), { MY_SECRET: "the-secret-of-somebody" });
    expect(raised).toMatchObject({ kind: "tests.red", details: { failures: [{ message: expect.any(String) }] } });
    expect(JSON.stringify(raised)).not.toContain("the-secret-of-somebody");
    expect(existsSync(join(at.folder, "escaped.txt"))).toBe(false);
  });

  it.skipIf(!hasSandbox)("leave nothing in the project that would run later", () => {
    const source = `
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
const left = ["segno.yaml", "p.mjs", ".git/hooks/pre-commit", "node_modules/.bin/git", "sum.test.mjs"];
const codes = left.map((path) => {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "x");
    return "written";
  } catch (error) {
    return error.code;
  }
});
writeFileSync(tmpdir() + "/scratch", "x");
export const sum = () => { throw new Error(codes.join(" ")); };
`;
    const { at, raised } = tested(source);
    expect(raised.details.failures[0].message).toMatch(/^(?:(?:EROFS|ENOENT) ?){5}$/);
    const project = readdirSync(join(at.folder, "fix-test/project"));
    expect(project.sort()).toEqual(readdirSync("examples/fix-test/project").sort());
  });

  it.skipIf(!hasSandbox)("change nothing of what is there already, and nothing of the machine", () => {
    const at = play();
    const acting = ["segno.yaml", ".git/hooks/pre-commit", "node_modules/.bin/tool", "sum.test.mjs.orig"];
    at.write(Object.fromEntries(acting.map((path) => [join("fix-test/project", path), "as it was"])));
    const elsewhere = ["/usr/evil", "/etc/evil", "/evil", "/run/evil", "/var/evil"];
    const source = `
import { appendFileSync, renameSync } from "node:fs";
const tried = (what) => { try { what(); return "done"; } catch { return "refused"; } };
const said = [
  ...${JSON.stringify([...acting, ...elsewhere])}.map((path) => tried(() => appendFileSync(path, "evil"))),
  tried(() => renameSync(".git", "away")),
];
export const sum = () => { throw new Error([...new Set(said)].join(" ")); };
`;
    const { raised } = tested(source);
    expect(raised.details.failures[0].message).toBe("refused");
    expect(acting.map((path) => at.read(join("fix-test/project", path)))).toEqual(acting.map(() => "as it was"));
    expect(elsewhere.filter((path) => existsSync(path))).toEqual([]);
  });

  it.skipIf(!hasSandbox)(
    "reach no program that listens on this machine, and see nothing of it but its programs",
    async () => {
      const { port, close, places } = await listeners();
      try {
        const source = `
import { readdirSync } from "node:fs";
import { connect } from "node:net";
const places = ${JSON.stringify([{ port, host: "127.0.0.1" }, ...places.map((path) => ({ path }))])};
const reached = await Promise.all(places.map((place) => new Promise((resolve) => {
  const socket = connect(place);
  const said = (what) => { socket.destroy(); resolve(what); };
  socket.on("connect", () => said(place)).on("error", () => said(undefined));
})));
const seen = ["/run", "/var", "/home", "/root", "/srv", "/tmp"].flatMap((folder) => {
  try { return readdirSync(folder).map((name) => folder + "/" + name); } catch { return []; }
});
export const sum = () => { throw new Error(JSON.stringify({ reached: reached.filter(Boolean), seen })); };
`;
        const { raised, at } = tested(source);
        const { reached, seen } = JSON.parse(raised.details.failures[0].message);
        expect(reached).toEqual([]);
        // The way to the project is there, and nothing beside it.
        expect(seen.filter((path: string) => !at.folder.startsWith(path))).toEqual([]);
      } finally {
        close();
      }
    },
  );

  it.skipIf(!hasSandbox)("raise the whole message of each test that failed", () => {
    const { raised } = tested("export const sum = (numbers) => numbers.reduce((a, b) => a - b, 0);\n");
    expect(raised.details.failures).toEqual([
      { test: "adds up", message: "Expected values to be strictly equal:\n\n-6 !== 6" },
    ]);
  });

  it.skipIf(!hasSandbox)("are not started by a bwrap of the project", () => {
    const at = play();
    const bin = join(at.folder, "fix-test/project/node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "bwrap"), `#!/bin/sh\ntouch ${at.folder}/escaped.txt\n`, { mode: 0o755 });
    const { status } = tested("export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);\n", {
      PATH: `${bin}:${process.env.PATH}`,
    });
    expect([status, existsSync(join(at.folder, "escaped.txt"))]).toEqual([0, false]);
  });

  it("do not run where nothing confines them, unless they are told to", () => {
    const bare = { PATH: "/nowhere" };
    const { status, stderr, at } = tested(hostile(play().folder), bare);
    expect([status, existsSync(join(at.folder, "escaped.txt"))]).toEqual([1, false]);
    expect(stderr).toContain("-i unconfined=true");
    expect(tested("export const sum = () => 7;\n", bare, "unconfined").raised).toMatchObject({ kind: "tests.red" });
  });
});
