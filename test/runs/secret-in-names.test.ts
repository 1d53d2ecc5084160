// A file may put `${NAME}` anywhere. What is said about it, before and after it runs, shows no secret of the environment.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWorkflow } from "../../src/services/describe.ts";
import { listErrors } from "../../src/services/errors.ts";
import { explainRun } from "../../src/services/explain/index.ts";
import { drawGraph } from "../../src/services/graph.ts";
import { listRuns, runEvents, showRun } from "../../src/services/runs.ts";
import { validateFiles } from "../../src/services/validate.ts";
import { Playground } from "../support/play.ts";

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
});
afterEach(() => ground.close());

const TOKEN = "tok-abcdef123456";
const here = () => ({ ...ground.surroundings, env: { ...ground.surroundings.env, MY_API_TOKEN: TOKEN } });

it("findings do not quote a secret that the file refers to", async () => {
  ground.write({
    "main.yaml": 'workflow: { name: w, entry_point: "${MY_API_TOKEN}" }\nagents: [{ name: a, type: set, value: 1 }]\n',
  });
  const answers = [
    validateFiles(["main.yaml"], here()),
    (await ground.run("main.yaml", here())).result,
    describeWorkflow({ ...here(), file: "main.yaml" }),
    listErrors({ ...here(), file: "main.yaml" }),
    await drawGraph({ ...here(), file: "main.yaml", format: "mermaid" }),
  ];
  for (const answer of answers) {
    expect(answer.success).toBe(false);
    expect(JSON.stringify(answer)).toContain("<redacted>");
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  }
});

it("a name with a secret in it is shown without, by every command, and is not in the index of runs", async () => {
  ground.write({
    "main.yaml": `workflow: { name: "n-\${MY_API_TOKEN}", entry_point: "s-\${MY_API_TOKEN}" }
agents: [{ name: "s-\${MY_API_TOKEN}", type: set, value: 1 }]
`,
  });
  const file = { ...here(), file: "main.yaml" };
  const { result } = await ground.run("main.yaml", here());
  expect(result).toMatchObject({ status: "completed", workflow: "n-<redacted>" });
  // Whoever looks later does not have it.
  const named = { ...ground.surroundings, run: result.run_id ?? "" };
  const told = [];
  for await (const event of runEvents(named)) told.push(event);
  const shown = JSON.stringify([
    result,
    validateFiles(["main.yaml"], here()),
    listErrors(file),
    await Promise.all((["mermaid", "svg", "dot"] as const).map((format) => drawGraph({ ...file, format }))),
    await listRuns(ground.surroundings),
    await showRun(named),
    await explainRun(named),
    told,
  ]);
  expect(shown).not.toContain(TOKEN);
  const index = ["index.db", "state.db"].map((name) => {
    try {
      return readFileSync(join(ground.surroundings.home, name), "latin1");
    } catch {
      return "";
    }
  });
  expect(index.join("")).toContain("n-<redacted>");
  expect(index.join("")).not.toContain(TOKEN);
});

it("a line of a file is quoted without the token of an address that has a template in it", async () => {
  const server = createServer((_, response) => {
    response.statusCode = 503;
    response.end("down");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    ground.write({
      "main.yaml": `workflow: { name: w, entry_point: a, input: { q: { type: string, default: x } } }
agents:
  - { name: a, type: http, url: "http://127.0.0.1:${port}/x?q={{ workflow.input.q }}&access_token=tok1en2value3x" }
`,
    });
    const { result } = await ground.run("main.yaml");
    expect(result.status).toBe("failed");
    const told = JSON.stringify(await explainRun({ ...ground.surroundings, run: result.run_id ?? "" }));
    expect(told).toContain("&access_token=<redacted>");
    expect(told).not.toContain("tok1en2value3x");
  } finally {
    server.close();
  }
});
