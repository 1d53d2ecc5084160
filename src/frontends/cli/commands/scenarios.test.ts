// Scenarios at the command line: `test` and `run --scenario`, strict and not.
import { afterEach, beforeEach, expect, it } from "vitest";
import { Playground } from "../../../../test/support/play.ts";
import { test } from "../../../features/scenarios/cli/commands.ts";
import type { CommandSpec } from "../command.ts";
import { Output, type Sink } from "../output.ts";
import { parse } from "../parse.ts";
import { COMMANDS } from "../table/index.ts";
import { runCommand } from "./run.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
  ground.write({
    "flow.yaml": `workflow: { name: f, entry_point: a }
agents:
  - { name: a, type: script, command: echo, args: [real], routes: [{ to: b }] }
  - { name: b, type: script, command: make }
`,
    "one.scenario.yaml":
      "workflow: flow.yaml\ncli_scripts: [{ step: b, stdout: ok }]\nexpected_trace: { status: completed }\n",
  });
});
afterEach(() => ground.close());

let said = "";
let printed = "";

const specOf = (name: string): CommandSpec => COMMANDS.find((spec) => spec.name === name)!;
const [testSpec, runSpec] = [specOf("test"), specOf("run")];

async function exitOf(spec: CommandSpec, command: typeof runCommand, ...args: string[]): Promise<number> {
  said = "";
  printed = "";
  const stdout: Sink = {
    write: (text) => {
      printed += text;
      return true;
    },
  };
  const stderr: Sink = {
    write: (text) => {
      said += text;
      return true;
    },
  };
  const settings = { format: "text", quiet: false, verbose: false, plain: true, env: {} } as const;
  const output = new Output(settings, { stdout, stderr });
  const { cwd, env, home } = ground.session;
  const asked = parse(spec, [...args, "--home", home], { cwd, env });
  return command({ asked, output, faces: {} as never, version: "0", commands: [] });
}

it.each([
  ["test", testSpec, test, ["one.scenario.yaml"]],
  ["run", runSpec, runCommand, ["flow.yaml", "--scenario", "one.scenario.yaml"]],
] as const)("%s lets what is not scripted run for real only with --no-strict", async (_, spec, command, args) => {
  expect(await exitOf(spec, command, ...args)).toBe(1);
  expect(await exitOf(spec, command, ...args, "--no-strict")).toBe(0);
});

it("--no-strict without a scenario is refused: it would do nothing", async () => {
  await expect(exitOf(runSpec, runCommand, "flow.yaml", "--no-strict")).rejects.toThrow(/--scenario/);
});

it("test says once what it is about to run for real, to people and to readers of TAP", async () => {
  const line = "# one.scenario.yaml does not script these steps, so they run for real: a runs echo real\n";
  await exitOf(testSpec, test, "one.scenario.yaml");
  expect(said).toBe("");
  await exitOf(testSpec, test, "one.scenario.yaml", "--no-strict");
  expect(said).toBe(line);
  await exitOf(testSpec, test, "one.scenario.yaml", "--no-strict", "--reporter", "tap");
  expect(said).toBe(line);
  await exitOf(testSpec, test, "one.scenario.yaml", "--no-strict", "--reporter", "junit");
  expect(said).toBe("");
});

it("test names the commands, addresses and servers of steps that it does not script", async () => {
  ground.write({
    "all.yaml": `workflow: { name: all, entry_point: a, runtime: { mcp_servers: { git: { command: "false" } } } }
agents:
  - { name: a, type: script, command: echo, args: [real], routes: [{ to: b }] }
  - { name: b, type: http, url: "http://127.0.0.1:1/x", routes: [{ to: c }, { on_error: true, to: c }] }
  - { name: c, type: mcp, server: git, tool: log, routes: [{ to: $end }, { on_error: true, to: $end }] }
`,
    "all.scenario.yaml": "workflow: all.yaml\n",
  });
  await exitOf(testSpec, test, "all.scenario.yaml");
  expect(said).toContain("a runs echo real; b sends GET http://127.0.0.1:1/x; c calls the MCP server git");
});

it("test does not name what it scripts by command, address or server", async () => {
  ground.write({
    "by.yaml": `workflow: { name: by, entry_point: a }
agents:
  - { name: a, type: script, command: echo, args: [real, "{{ workflow.name }}"], routes: [{ to: b }] }
  - { name: b, type: http, url: "http://127.0.0.1:1/{{ workflow.name }}", routes: [{ to: c }, { on_error: true, to: c }] }
  - { name: c, type: http, method: POST, url: "http://127.0.0.1:1/c", routes: [{ to: $end }, { on_error: true, to: $end }] }
`,
    "by.scenario.yaml": `workflow: by.yaml
strict: false
cli_scripts: [{ command: echo, args: [real], stdout: scripted }]
http_scripts: [{ url: "http://127.0.0.1:1/*", method: GET, body: {} }]
`,
  });
  await exitOf(testSpec, test, "by.scenario.yaml");
  expect(said).toBe(
    "# by.scenario.yaml does not script these steps, so they run for real: c sends POST http://127.0.0.1:1/c\n",
  );
});

it("test points reporters at the line where a problem stands, and says the place once", async () => {
  ground.write({
    "stranger.scenario.yaml": "workflow: flow.yaml\ncli_scripts:\n  - step: bb\n    stdout: ok\n",
    "broken.scenario.yaml": "workflow: flow.yaml\n\ncli_script: []\n",
    "bad.scenario.yaml": "workflow: bad.yaml\n",
    "bad.yaml": "workflow: { name: bad, entry_point: a }\nagents:\n  - { name: a, type: script }\n",
  });
  const files = ["stranger.scenario.yaml", "broken.scenario.yaml", "bad.scenario.yaml"];
  await exitOf(testSpec, test, ...files, "--reporter", "github");
  expect(printed).toContain("::error file=stranger.scenario.yaml,line=3,col=11,");
  expect(printed).toContain("::error file=broken.scenario.yaml,line=3,col=1,");
  expect(printed).toContain("::error file=bad.yaml,line=3,col=");
  await exitOf(testSpec, test, ...files, "--reporter", "junit");
  expect(printed).toContain('"stranger.scenario.yaml:3:11: stranger: cli_scripts[0] names bb, and no step');
});
