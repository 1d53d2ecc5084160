// A home that came with a clone, whose project nobody trusts: a server shows its runs and drives none of them by itself.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Served } from "../../../test/support/served.ts";

const files = {
  "deploy.yaml": `workflow: { name: deploys, entry_point: ask }
agents:
  - name: ask
    type: human_gate
    prompt: Deploy?
    options: [{ label: "Yes", value: "yes", route: deploy }]
    timeout: 1s
    on_timeout: "yes"
    remind: 0.2s
    notify: { command: ./tell.sh }
  - { name: deploy, type: script, command: touch, args: [deployed] }
`,
  "tell.sh": "#!/bin/sh\ntouch told\n",
};

it("is driven on once it is trusted, and not before", async () => {
  const said: string[] = [];
  const foreign = await Served.start(files, { said: (line) => said.push(line) }, (root) => ({
    project: { homeNamedBy: join(root, "segno.yaml") },
  }));
  const own = await Served.start(files);
  onTestFinished(() => Promise.all([foreign.close(), own.close()]).then(() => undefined));
  const run = await foreign.run("deploy.yaml");
  const other = await own.run("deploy.yaml");
  // Both are asked in the same second; where one is driven on, the other would have been.
  const done = async () => (await own.get(`/api/runs/${other}`)).body.status;
  await expect.poll(done).toBe("completed");
  expect((await foreign.get(`/api/runs/${run}`)).body.status).toBe("paused");
  expect(existsSync(join(foreign.root, "deployed"))).toBe(false);
  expect(said.join()).toContain(
    "is not trusted, so runs in the home that it names continue only when a user resumes them",
  );
});
