import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { memoryWorld } from "../../../test/support/engine/memory-world.ts";
import { loadWorkflow } from "../../language/load.ts";
import type { LoadedWorkflow } from "../../language/loaded.ts";
import { agentFoldersLast, scriptsEnvironment } from "./places.ts";

it.each([
  [
    "/a/node_modules/.bin:/usr/bin:/b/node_modules/.bin/:/bin",
    "/usr/bin:/bin:/a/node_modules/.bin:/b/node_modules/.bin/",
  ],
  ["bin::/usr/bin", "/usr/bin:bin:"],
  ["/usr/bin:/home/me/.venv/bin", "/usr/bin:/home/me/.venv/bin"],
  ["/project/.venv/bin:/project2/bin:/project:/usr/bin", "/project2/bin:/usr/bin:/project/.venv/bin:/project"],
])("folders of packages, of an agent's folder, and relative ones come last: %s", (path, ordered) => {
  expect(agentFoldersLast(path, ["/project"])).toBe(ordered);
});

function place(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "segno-path-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("a folder that links lead to through an agent's folder comes last", () => {
  const at = place();
  for (const name of ["work", "tools", "other"]) mkdirSync(join(at, name));
  symlinkSync(join(at, "tools"), join(at, "work/here"));
  symlinkSync(join(at, "work/here"), join(at, "chain"));
  symlinkSync(join(at, "work"), join(at, "into"));
  symlinkSync(join(at, "tools"), join(at, "harmless"));
  const folders = ["chain", "into/.venv/bin", "work/here", "harmless", "other"].map((name) => join(at, name));
  const ordered = agentFoldersLast(folders.join(delimiter), [join(at, "work")]).split(delimiter);
  expect(ordered).toEqual([3, 4, 0, 1, 2].map((one) => folders[one]));
});

const workflowOf = (agent: string): LoadedWorkflow => {
  const text = `
workflow: { name: w, entry_point: call }
agents: [{ name: call, type: workflow, workflow: ./child/child.yaml }]
`;
  const child = `
workflow: { name: c, entry_point: fix }
agents: [{ name: fix, prompt: Fix it., ${agent} }]
`;
  const files = memoryWorld({ "main.yaml": text, "child/child.yaml": child });
  const { workflow } = loadWorkflow("/w/main.yaml", files);
  if (!workflow) throw new Error("the workflow does not load");
  return workflow;
};

const PATH = "/w/child/repo/.venv/bin:/w/child/bin:/w/bin:/elsewhere/repo/bin:/usr/bin";

it.each([
  ["provider: codex, working_dir: repo", [1, 2, 3, 4, 0]],
  ["provider: codex", [2, 3, 4, 0, 1]],
  ['provider: codex, working_dir: "{{ workflow.input.repo }}"', [2, 3, 4, 0, 1]],
  ["provider: anthropic, working_dir: repo", [0, 1, 2, 3, 4]],
])("the folders of agents are those that files say, of sub-workflows too: %s", (agent, order) => {
  const { PATH: ordered } = scriptsEnvironment({ PATH }, workflowOf(agent), {
    provider: undefined,
    agentFolders: new Set(),
  });
  expect(ordered?.split(":")).toEqual(order.map((one) => PATH.split(":")[one]));
});

it("a folder that a template gave counts from the moment in which the agent starts to work there", () => {
  const agentFolders = new Set<string>();
  const workflow = workflowOf('provider: codex, working_dir: "{{ workflow.input.repo }}"');
  const env = scriptsEnvironment({ PATH, EMPTY: undefined }, workflow, { provider: undefined, agentFolders });
  const before = { ...env };
  agentFolders.add("/elsewhere/repo");
  const after = { ...env };
  expect(Object.keys(env)).toEqual(["PATH"]);
  expect(before.PATH?.split(":").at(-1)).toBe("/w/child/bin");
  expect(after.PATH?.split(":").at(-1)).toBe("/elsewhere/repo/bin");
});
