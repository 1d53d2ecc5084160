// Whoever is asked whether an agent may do something sees what it would do, letter by letter: on the page and in the list of
// gates. A command that is read as Markdown would hide the part that does the harm.
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { codingPlayground, describeAgent } from "../../../features/coding-agents/test/workshop.ts";
import { personHere } from "../../../services/session/people.ts";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";

const play = codingPlayground();
afterAll(closeBrowser);

const COMMAND = [
  "npm test",
  "",
  '[a]: http://x "$(touch HIDDEN)"',
  "",
  "| a | b |",
  "|---|---|",
  "| c | d | $(touch CELL)",
  "",
  "[text](http://$(touch LINK)) ![image](http://$(touch IMAGE))",
  '<!-- $(touch COMMENT) --> <b title="$(touch TITLE)">x</b>',
  "`touch TICKS` ``` ````",
  "````",
  "**not bold** # not a heading &lt;",
  "````",
  "true",
].join("\n");

const file = (agent: string, model: string): string => `
workflow:
  name: code
  entry_point: fix
  runtime: { provider: { name: ${agent}, ask: gate }, default_model: ${model}, working_dir: work }
agents:
  - { name: fix, prompt: Do it. }
`;

async function shownToPeople(): Promise<{ readonly page: readonly string[]; readonly list: string }> {
  const at = play();
  const { home, env } = at.session;
  const list = execFileSync(process.execPath, [resolve("dist/main.cjs"), "gate", "list"], {
    cwd: at.folder,
    env: { PATH: env.PATH, HOME: at.folder, SEGNO_HOME: home },
    encoding: "utf8",
  });
  const served = await Served.start({}, { root: at.folder }, () => at.session);
  try {
    const opened = await visit(served, "/gates");
    await opened.page.waitForSelector(".gate .markdown pre");
    const blocks = await opened.page.locator(".gate .markdown pre").allInnerTexts();
    const page = blocks.map((text) => text.replace(/\n$/, ""));
    quiet(opened);
    return { page, list };
  } finally {
    await served.close();
  }
}

/** The list is set in from the left. */
const inList = (text: string): string =>
  text
    .split("\n")
    .map((line) => `      ${line}`.trimEnd())
    .join("\n");
const withoutLineEnds = (text: string): string => text.replace(/[ \t]+$/gm, "");

describe.skipIf(isWithoutBrowser)("a permission is shown as it was asked for", () => {
  describeAgent("codex", "with a command", () => {
    it("whatever the command and its reason would be as Markdown", async () => {
      const at = play();
      const input = { cmd: COMMAND, sandbox_permissions: "require_escalated", justification: "[why](http://y)" };
      at.play = () => ({ tools: [{ name: "exec_command", input }] });
      at.write({ "main.yaml": file("codex", "gpt-5") });
      expect((await at.run("main.yaml")).result.status).toBe("paused");
      const { page, list } = await shownToPeople();
      const asked = `/bin/bash -lc '${COMMAND}'`;
      expect(page).toEqual([asked, "[why](http://y)"]);
      expect(withoutLineEnds(list)).toContain(`${inList(asked)}\n`);
      expect(list).toContain("[why](http://y)");
    });
  });

  describeAgent("claude-agent-sdk", "with a file", () => {
    it("whatever its name and contents would be as Markdown", async () => {
      const at = play();
      const file_path = join(at.folder, "_a_`b`[c](d).txt");
      at.play = () => ({ tools: [{ name: "Write", input: { file_path, content: COMMAND } }] });
      at.write({ "main.yaml": file("claude-agent-sdk", "claude-sonnet-4-5") });
      expect((await at.run("main.yaml")).result.status).toBe("paused");
      const { page, list } = await shownToPeople();
      expect(page).toEqual([file_path, COMMAND]);
      expect(withoutLineEnds(list)).toContain(`${inList(file_path)}\n`);
      expect(withoutLineEnds(list)).toContain(`${inList(COMMAND)}\n`);
    });
  });
});

describe.skipIf(isWithoutBrowser)("a permission that was given from the page", () => {
  describeAgent("claude-agent-sdk", "with a file", () => {
    it("stands with its step and in the story: what was asked, and who allowed it", async () => {
      const at = play();
      const file_path = join(at.folder, "beside.txt");
      at.play = ({ index }) =>
        index < 2 ? { tools: [{ name: "Write", input: { file_path, content: "x" } }] } : "done";
      at.write({ "main.yaml": file("claude-agent-sdk", "claude-sonnet-4-5") });
      const { result } = await at.run("main.yaml");
      expect(result.status).toBe("paused");
      const served = await Served.start({}, { root: at.folder }, () => at.session);
      try {
        const opened = await visit(served, `/runs/${result.run_id}?step=fix`);
        const { page } = opened;
        const allowed = `allow by ${personHere()}`;
        await page.locator(".step").getByRole("radio", { name: /Allow/ }).check();
        await page.locator(".step").getByRole("button", { name: "Send" }).click();
        const request = page.locator(".step .request");
        const shown = async () => (await request.innerText()).replace(/\s+/g, " ");
        await expect.poll(shown).toContain(allowed);
        expect(await shown()).toContain(`fix asks whether it may change ${file_path}`);
        await page.locator('[data-node="fix"].is-completed').waitFor();
        // One visit: there is nothing to choose from.
        await expect.poll(() => page.locator(".step select").count()).toBe(0);
        await page.goto(`${served.url}/runs/${result.run_id}?view=story`);
        const told = page.locator(".scenes .request");
        await expect.poll(() => told.allInnerTexts()).toHaveLength(2);
        const [first, second] = await told.allInnerTexts();
        expect(first).toMatch(/^fix asks whether it may change .*: no answer yet$/);
        expect(second).toMatch(new RegExp(`^fix asks whether it may change .*: ${allowed}$`));
        quiet(opened);
      } finally {
        await served.close();
      }
    });
  });
});
