// Every whole workflow of the pages does something: a command of its page runs it, a scenario of its page plays it, or one
// of the scenarios below does.
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { testScenarios } from "../../src/features/scenarios/test.ts";
import { Playground } from "../support/play.ts";
import { type Block, blocksOf, isRun, type Page, pages } from "./markdown.ts";

/** Of workflows that no command of their page runs, by page and name: what they would need a key, a server or a fleet for. */
const SCENARIOS: Readonly<Record<string, string>> = {
  "docs/agents.md triage": `
agent_scripts: { triage: [{ content: { number: 7, why: oldest } }] }
mcp_scripts: [{ tool: get_issue, content: { title: a bug } }]
expected_trace: { agents_executed: [triage, label], status: completed }
`,
  "docs/coding-agents.md mend": `
agent_scripts:
  fix: [{ content: { summary: a sign was wrong }, changes: { files: [src/sum.mjs] } }]
expected_trace: { agents_executed: [fix], output_contains: { summary: a sign was wrong, changed: 1 } }
`,
  "docs/coding-agents.md strict": `
agent_scripts: { fix: [{ content: done, changes: { denied: [{ what: fetch https://example.org/ }] } }] }
expected_trace: { agents_executed: [fix, look], status: completed }
`,
  "docs/coding-agents.md mend_by_acp": `
agent_scripts: { fix: [{ content: { summary: a sign was wrong } }] }
expected_trace: { agents_executed: [fix], output_contains: { summary: a sign was wrong } }
`,
  "docs/coding-agents.md other": `
agent_scripts: { fix: [{ content: done }] }
expected_trace: { agents_executed: [fix], status: completed }
`,
  "docs/editor.md hello": "expected_trace: { agents_executed: [greet], status: completed }",
  "docs/errors.md defaults": `
http_scripts: [{ url: "https://api.example.com/*", status: 404 }]
expected_trace: { agents_executed: [fetch, give_up], status: terminated, output_contains: { kind: http.status } }
`,
  "docs/others.md pay": `
inputs: { id: o-1 }
http_scripts: [{ url: "http://127.0.0.1:8080/*", body: r-3 }]
cli_scripts: [{ command: echo, args: [r-3], stdout: r-3 }]
expected_trace: { agents_executed: [charge, tell], status: completed, output_contains: { receipt: r-3 } }
`,
  "docs/mcp.md deploy": `
inputs: { environment: eu }
cli_scripts: [{ command: ./deploy.sh, args: [eu], stdout: up }]
expected_trace: { status: completed, output_contains: { said: up } }
`,
  "docs/limits.md review": `
inject:
  - { step: review, times: 1, error: { kind: provider.exhausted, message: no, details: { retry_after: 600 } } }
agent_scripts: { review: [{ content: fine }] }
expected_trace: { agents_executed: [review, review], status: completed }
`,
  "docs/scaling.md pages": `
inputs: { urls: [a, b] }
cli_scripts: [{ command: render-page, args: [a], stdout: one }, { command: render-page, args: [b], stdout: two }]
expected_trace: { status: completed }
`,
};

const ground = new Playground();
afterAll(() => ground.close());

interface Shown {
  readonly page: Page;
  readonly block: Block;
  readonly name: string;
}

/** Parts stand for the rest of a file, but for those that are named as one: a finding about them is what the page shows. */
const workflowsOf = (page: Page): readonly Shown[] =>
  blocksOf(page)
    .filter(({ language, words, file }) => language === "yaml" && (file !== undefined || !words.includes("part")))
    .flatMap((block) => {
      const value: unknown = parse(block.text, { logLevel: "silent" });
      const { workflow, ...rest } = (value ?? {}) as { workflow?: { name?: string } | string };
      return typeof workflow === "object" && ["agents", "steps", "parallel", "for_each"].some((key) => key in rest)
        ? [{ page, block, name: workflow.name ?? "" }]
        : [];
    });

/** By its own name in a command, through a scenario that `segno test` runs, or from a file that is run. */
function isRunOnItsPage({ page, block: { file } }: Shown): boolean {
  if (file === undefined) return false;
  const blocks = blocksOf(page);
  const typed = blocks
    .filter(isRun)
    .map(({ text }) => text)
    .join("\n");
  const named = blocks.filter(
    (other) => other.file !== undefined && other.file !== file && new RegExp(`workflow: \\S*${file}`).test(other.text),
  );
  return (
    typed.includes(file) ||
    named.some((other) => typed.includes(other.file ?? "") || /segno test( tests)?( --|$)/m.test(typed))
  );
}

const shown = pages.flatMap(workflowsOf);
const left = shown.filter((one) => !isRunOnItsPage(one));
// Its own test plays it, with what its sentences say.
const isElsewhere = ({ page }: Shown): boolean => page.name === "docs/cheat-sheet.md";
const toPlay = left.filter((one) => !isElsewhere(one));

describe("whole workflows of the pages", () => {
  it("are all run by their page, or have a scenario here", () => {
    expect(shown.length).toBeGreaterThan(20);
    expect(toPlay.map(({ page, name }) => `${page.name} ${name}`).sort()).toEqual(Object.keys(SCENARIOS).sort());
  });

  it.each(toPlay.map((one) => [`${one.page.name} ${one.name}`, one] as const))("%s does", async (key, { block }) => {
    const folder = key.replace(/\W+/g, "-");
    ground.write({
      [join(folder, "workflow.yaml")]: block.text,
      [join(folder, "one.scenario.yaml")]: `workflow: workflow.yaml\n${SCENARIOS[key]}`,
    });
    const { scenarios } = await testScenarios(ground.session, { paths: [folder] });
    expect(scenarios.map(({ problems }) => problems)).toEqual([[]]);
  });
});
