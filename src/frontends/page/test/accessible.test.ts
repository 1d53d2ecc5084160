// axe finds nothing, in either theme, on any page.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, go, isWithoutBrowser, type Opened, Served, stay } from "./browser.ts";

const AXE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const FILE = `
workflow: { name: fails, entry_point: fetch }
agents:
  - { name: fetch, type: script, command: node, args: ["-e", "console.error('no'); process.exit(3)"], raises: [io.broken], routes: [{ to: ask }] }
  - { name: ask, type: human_gate, prompt: Go?, options: [{ label: Yes, value: "yes", route: $end }] }
`;
const ASKS = `
workflow: { name: asks, entry_point: ask }
agents: [{ name: ask, type: human_gate, prompt: "**Go**?", options: [{ label: Yes, value: "yes", route: $end }] }]
`;
/** Whoever looks may not answer it. */
const GUARDED = ASKS.replace("name: asks", "name: guarded").replace(
  "prompt:",
  "approvers: [kim@elsewhere], timeout: 2h, prompt:",
);
/** It cannot be run, and the list says why. */
const TYPO = ASKS.replace("name: asks", "name: typo").replace("prompt:", "promt:");
const LOST = FILE.replace(
  "name: fails,",
  'name: lost, resilience: { dead_letter: true, retry: { max_retries: 0, retryable: ["*"] } },',
);
/** Started again, it asks for one input, has hidden what stood in another, and keeps the third empty. */
const GIVEN = `
workflow:
  name: given
  entry_point: a
  input: { api_key: { type: string, secret: true }, note: { type: string, default: x }, empty: { type: string, default: x } }
agents: [{ name: a, type: set, value: 1 }]
`;
const INPUTS = { api_key: "k3y-of-the-house", note: "use k3y-of-the-house", empty: "" };

let served: Served;
let run: string;
/** Dropped, so that the list of letters is empty. */
let letter: string;
let given: string;
beforeAll(async () => {
  served = await Served.start({
    "fails.yaml": FILE,
    "asks.yaml": ASKS,
    "guarded.yaml": GUARDED,
    "typo.yaml": TYPO,
    "lost.yaml": LOST,
    "given.yaml": GIVEN,
  });
  run = await served.run("fails.yaml");
  given = await served.run("given.yaml", INPUTS);
  await served.run("asks.yaml");
  await served.run("guarded.yaml");
  await served.run("lost.yaml");
  letter = (await served.get("/api/letters")).body.letters[0].id;
  await served.post("/api/letters/drop", { ids: [letter] });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** In the first theme all that axe knows; in the other one what a theme can change. */
const LOOKED_FOR = {
  light: `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]`,
  dark: `{ type: "rule", values: ["color-contrast"] }`,
};

describe.skipIf(isWithoutBrowser).each(["light", "dark"] as const)("in the %s theme", (theme) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await stay(served, "/", { theme });
    // The page's policy lets no script in but its own; what a test brings comes by the debugger.
    await opened.page.evaluate(AXE);
  });

  it.each([
    ["runs", "/", ".run-row:not(.head)"],
    ["graph", "/runs/RUN?step=fetch", ".lens"],
    ["time", "/runs/RUN?view=time", ".segment"],
    ["log", "/runs/RUN?view=log", ".log-line"],
    ["story", "/runs/RUN?view=story", ".chapter"],
    ["output", "/runs/RUN?view=output", ".part"],
    ["replay", "/runs/RUN?at=3", ".replay"],
    ["an unknown run", "/runs/undefined", ".trouble"],
    ["gates", "/gates", ".gate"],
    ["errors", "/errors", ".error-group"],
    ["letters", "/letters", ".empty"],
    ["workflows", "/workflows", "tbody tr"],
    ["breakers", "/breakers", ".empty"],
    ["limits", "/limits", ".empty"],
    ["evals", "/evals", ".empty"],
    ["the figures of a workflow", "/workflows/fails.yaml?view=figures", "table.lined"],
    ["a workflow against its last runs", "/workflows/fails.yaml?view=backtest", "[role=status] .pill"],
    ["the dialog that makes a test", "/runs/RUN", "[role=dialog] [data-first]", "m"],
    ["workers, where there are none", "/workers", ".empty"],
    ["workflow", "/workflows/fails.yaml", ".graph svg"],
    ["the form of a run that is started again", "/workflows/given.yaml?like=GIVEN", "form .asked .button"],
    ["a letter", "/letters/LETTER", ".tree"],
    ["the dialog of a resume", "/runs/RUN", "[role=dialog] .scenes", "r"],
  ])("%s can be used by everybody", async (_, path, ready, key = "") => {
    const { page } = opened;
    await go(opened, path.replace("RUN", run).replace("LETTER", letter).replace("GIVEN", given));
    if (key !== "") {
      await page.waitForSelector(".banner .main");
      await page.keyboard.press(key);
    }
    await page.waitForSelector(ready);
    const violations = (await page.evaluate(
      `axe.run({ runOnly: ${LOOKED_FOR[theme]} }).then((found) => found.violations)`,
    )) as readonly Violation[];
    expect(
      violations.map(({ id, nodes }) => [
        id,
        nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).slice(0, 3),
      ]),
    ).toEqual([]);
  });
});
