// Whoever has a session reads and starts workflows, and no other file that lies below the root.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";

const KEY = "kept-to-ourselves-5e1f";
const FLOW = "workflow: { name: one, entry_point: a }\nagents: [{ name: a, type: set, value: 1 }]\n";

/** Each holds the key, and none may be told. */
const FILES: Readonly<Record<string, string>> = {
  "segno.yaml": `people: { ada: { token: ${KEY} } }\nworkflow: 1\n`,
  "triggers.yaml": `triggers: [{ name: t, webhook: { path: p, secret: ${KEY} } }]\n`,
  ".env": `TOKEN=${KEY}\n`,
  ".hidden.yaml": `${FLOW}# ${KEY}\n`,
  ".git/config": `[remote]\nurl = ${KEY}\n`,
  ".github/ci.yaml": `${FLOW}# ${KEY}\n`,
  "compose.yaml": `services: { a: { environment: { workflow: ${KEY} } } }\n`,
  "lines.yaml": `text: |\n  workflow: ${KEY}\n`,
  "list.yml": `- workflow: ${KEY}\n`,
  "key.pem": `workflow: ${KEY}\n`,
  "folder.yaml/kept.txt": KEY,
};
const LINKS: Readonly<Record<string, string>> = { "to-env.yaml": ".env", "to-project.yaml": "segno.yaml" };
const NOT_THERE = ["nope.yaml", "no/such.yaml", "folder.yaml", "\0.yaml", "a\0b"];

let served: Served;
beforeAll(async () => {
  const broken = "workflow: { name: broken, entry_point: a }\nagents:\n  - { name: a, type: set\n  value: [1\n";
  served = await Served.start({ ...FILES, "one.yaml": FLOW, "deep/two.yml": FLOW, "broken.yaml": broken });
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(join(served.root, target), join(served.root, name));
});
afterAll(() => served.close());

const address = (file: string): string => file.split("/").map(encodeURIComponent).join("/");

describe("a file that is no workflow", () => {
  it.each([...Object.keys(FILES), ...Object.keys(LINKS), ...NOT_THERE])(
    "%j is as one that is not there",
    async (file) => {
      const answers = [
        await served.get(`/api/workflows/${address(file)}`),
        await served.post(`/api/plan/${address(file)}`, { inputs: {} }),
        await served.post("/api/runs", { file, inputs: {} }),
        await served.post("/api/runs", { file: join(served.root, file), inputs: {} }),
      ];
      for (const { status, body } of answers) {
        expect(body).toMatchObject({ status: 404, code: "not_found", hint: expect.stringContaining("workflow:") });
        expect(status).toBe(404);
        expect(body.message).toMatch(/^there is no workflow file /);
        expect(JSON.stringify(body)).not.toContain(KEY);
      }
    },
  );

  it("is in no list of workflows", async () => {
    const { body } = await served.get("/api/workflows");
    expect(body.workflows.map(({ file }: { file: string }) => file).sort()).toEqual([
      "broken.yaml",
      "deep/two.yml",
      "one.yaml",
    ]);
  });
});

describe("a workflow", () => {
  it("is shown with what is wrong with it, also when it is no YAML", async () => {
    const { status, body } = await served.get("/api/workflows/broken.yaml");
    expect(status).toBe(200);
    expect(body.yaml).toContain("name: broken");
    expect(body.problems.length).toBeGreaterThan(0);
  });

  it("is shown and started wherever it lies", async () => {
    expect((await served.get("/api/workflows/deep/two.yml")).body.workflow).toBe("one");
    expect((await served.post("/api/runs", { file: "deep/two.yml", inputs: {} })).status).toBe(200);
  });

  it("is none below the folder that runs are kept in", async () => {
    const own = await Served.start({ "one.yaml": FLOW, "kept/runs/x/one.yaml": FLOW }, {}, (root) => ({
      home: join(root, "kept"),
    }));
    mkdirSync(join(own.root, "kept"), { recursive: true });
    writeFileSync(join(own.root, "kept/beside.yaml"), FLOW);
    for (const file of ["kept/runs/x/one.yaml", "kept/beside.yaml"])
      expect((await own.get(`/api/workflows/${file}`)).status).toBe(404);
    expect((await own.get("/api/workflows/one.yaml")).status).toBe(200);
    await own.close();
  });
});
