// The page of `segno graph --watch`: it follows the file of an author, and leads to the lines of an editor.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "../../../features/editor/test/client.ts";
import { closeBrowser, isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";

const FLOW = `workflow:
  name: release
  entry_point: build
agents:
  - name: build
    type: script
    command: "true"
    raises: [build.broken]
    routes:
      - { on_error: build.broken, to: tell }
      - { to: publish }
  - { name: publish, type: workflow, workflow: ./child.yaml }
  - { name: tell, type: terminate, status: failed, reason: "{{ error.message }}" }
`;
const CHILD = `workflow: { name: child, entry_point: push }
agents:
  - { name: push, type: script, command: "true", raises: [push.refused] }
`;
const SCENARIO = `workflow: ../release.yaml
cli_scripts: [{ step: build, stdout: ok }, { step: push, stdout: ok }]
`;

describe.skipIf(isWithoutBrowser)("the live preview", () => {
  let served: Served;
  beforeAll(async () => {
    const files = { "release.yaml": FLOW, "child.yaml": CHILD, "tests/ok.scenario.yaml": SCENARIO };
    served = await Served.start(files, { readOnly: true }, (root) => ({ preview: join(root, "release.yaml") }));
    await served.run("release.yaml");
  });
  afterAll(async () => {
    await closeBrowser();
    await served.close();
  });

  it("shows findings at their nodes, what scenarios take, and how the last runs would end", async () => {
    const here = await visit(served, "/workflows/release.yaml");
    const { page } = here;
    expect(await page.locator('.finding-mark.is-recovered[data-node="publish/push"] text').textContent()).toBe("1");
    await page
      .getByRole("region", { name: "Scenarios" })
      .getByText("1 scenario takes 2 of 3 steps, 1 of 1 success route, 0 of 1 error route.")
      .waitFor();
    await page.getByRole("region", { name: "Against its last runs" }).getByText("1 same").waitFor();
    await seen(page, "What it can raise");
    quiet(here);
  });

  it("follows the file as it is saved, and keeps the last picture, greyed, while it has errors", async () => {
    const here = await visit(served, "/workflows/release.yaml");
    const { page } = here;
    await page.locator('[data-node="tell"]').first().waitFor();
    served.write("release.yaml", FLOW.replace("to: publish", "to: publsh"));
    await page.locator(".followed.stale").waitFor();
    expect(await page.locator('.finding-mark.is-failed[data-node="build"] text').textContent()).toBe("1");
    await page
      .locator(".finding")
      .getByText(/There is no step or group/)
      .waitFor();
    await page.locator('[data-node="tell"]').first().waitFor();
    served.write("release.yaml", "workflow: [\n");
    await page
      .locator(".finding")
      .getByText(/There is no step or group/)
      .waitFor({ state: "detached" });
    await page.locator('.followed.stale [data-node="tell"]').first().waitFor();
    served.write("release.yaml", FLOW.replaceAll("tell", "report"));
    await page.locator('.followed:not(.stale) [data-node="report"]').first().waitFor();
    served.write("child.yaml", CHILD.replace("raises: [push.refused]", "raises: []"));
    await page.locator(".finding-mark").waitFor({ state: "detached" });
    served.write(
      "tests/ok.scenario.yaml",
      `${SCENARIO}inject: [{ step: build, error: { kind: build.broken, message: x } }]\n`,
    );
    await seen(page, /1 of 1 error route/);
    served.write("release.yaml", FLOW);
    served.write("child.yaml", CHILD);
    quiet(here);
  });

  it("goes to the line of a node in an editor that has the file, and says so where there is none", async () => {
    const here = await visit(served, "/workflows/release.yaml");
    const { page } = here;
    await page.locator('[data-node="tell"] .name').click();
    await seen(page, "release.yaml:13. No editor with this file is connected.");
    const editor = await Client.start({}, { SEGNO_HOME: join(served.home, ".segno") }, served.root);
    try {
      await editor.arrived();
      await page.locator('[data-node="publish/push"] .name').click();
      await expect.poll(() => editor.shown.length).toBe(1);
      expect(editor.shown[0]).toMatchObject({
        uri: pathToFileURL(join(served.root, "child.yaml")).href,
        selection: { start: { line: 2, character: 12 } },
      });
      await page.locator(".finding").getByRole("link", { name: "child.yaml, line 3" }).click();
      await expect.poll(() => editor.shown.length).toBe(2);
      expect(editor.shown[1]?.selection?.start.line).toBe(2);
    } finally {
      editor.end();
    }
    quiet(here);
  });
});
