// Names of runs, what they were given, and figures of many of them, over the API.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { runWorkflow } from "../../services/runs/run.ts";

const ONE = `
workflow: { name: one, entry_point: a, run_name: "for {{ workflow.input.customer }}", input: { customer: { type: string } } }
steps:
  - { name: a, type: script, command: "{{ workflow.input.customer }}", raises: [] }
`;
const TWO = "workflow: { name: two, entry_point: a }\nsteps: [{ name: a, type: set, value: 1 }]\n";

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "one.yaml": ONE, "in/two.yaml": TWO });
  await served.run("one.yaml", { customer: "true" });
  await served.run("one.yaml", { customer: "false" });
  await served.run("in/two.yaml");
  // Of a file that the server does not show.
  const session = { ...served.session, cwd: served.folder };
  await runWorkflow(session, {
    file: "root/in/two.yaml",
    inputs: {},
    origin: { evalId: "01JQZZZZZZZZZZZZZZZZZZZZZZ" },
  });
});
afterAll(() => served.close());

it("lists runs with their names, without rows of evals, and finds them by their name and inputs", async () => {
  const names = async (query = "") => {
    const { body } = await served.get(`/api/runs${query}`);
    return body.runs.map(({ name }: { name: string | null }) => name).sort();
  };
  expect(await names()).toEqual(["for false", "for true", null]);
  expect(await names("?input=customer%3Dtrue")).toEqual(["for true"]);
  expect(await names("?text=for+f")).toEqual(["for false"]);
  expect((await served.get("/api/runs?input=customer")).body.message ?? "").toMatch(/input/);
});

it("starts a run under a name", async () => {
  const { body } = await served.post("/api/runs", { file: "in/two.yaml", inputs: {}, name: "by hand" });
  await expect.poll(async () => (await served.get(`/api/runs/${body.run_id}/result`)).body.status).toBe("completed");
  expect((await served.get(`/api/runs/${body.run_id}/result`)).body.name).toBe("by hand");
  const refused = await served.post("/api/runs", { file: "in/two.yaml", inputs: {}, name: "two\nlines" });
  expect(JSON.stringify(refused.body)).toContain("the name of the run has more than one line");
});

it("says how runs ended, and of one file, status or input", async () => {
  const stats = async (query: string) => (await served.get(`/api/stats${query}`)).body;
  expect((await stats("?file=one.yaml")).workflows).toMatchObject([
    { workflow: "one", file: "one.yaml", runs: 2, completed: 1, failed: 1, steps: [{ step: "a", runs: 2, failed: 1 }] },
  ]);
  expect(await stats("?status=failed")).toMatchObject({ runs: 1, workflows: [{ workflow: "one" }] });
  expect(await stats("?file=one.yaml&input=customer%3Dtrue")).toMatchObject({ runs: 1, more: false });
  expect((await served.get("/api/stats?since=soon")).status).toBe(400);
  expect((await served.get("/api/stats?file=../outside.yaml")).status).toBeGreaterThanOrEqual(400);
});
