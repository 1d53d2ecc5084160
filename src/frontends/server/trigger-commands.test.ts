// Triggers on the page: what they fired, pausing and firing them, and who may not.
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Reply, Served } from "../../../test/support/served.ts";
import { readProject } from "../../services/project/read-project.ts";
import { trust } from "../../services/project/trust.ts";

const FLOW = `workflow: { name: flow, entry_point: note, input: { what: { type: string, default: nothing } } }
agents: [{ name: note, type: set, value: "{{ workflow.input.what }}" }]
output: { what: "{{ note.output }}" }
`;
const PROJECT = `triggers:
  - { name: pushed, workflow: flow.yaml, webhook: { path: /hooks/push, secret: s3cret, verify: github }, inputs: { what: "{{ trigger.body.ref }}" } }
  - { name: nightly, workflow: flow.yaml, schedule: "0 3 * * *" }
  - { name: after, workflow: flow.yaml, on_run: { workflow: other }, inputs: { what: "{{ trigger.run.run_id }}" } }
  - { name: outside, workflow: ../elsewhere.yaml, schedule: "0 3 * * *" }
people:
  alex: { token: alex-has-a-long-token-here }
`;

let served: Served;
afterEach(() => served.close());

async function start(options: Parameters<typeof Served.start>[1] = {}, isProject = true): Promise<void> {
  served = await Served.start({ "flow.yaml": FLOW, "segno.yaml": PROJECT }, options, (root) => {
    if (!isProject) return {};
    const { project } = readProject(join(root, "segno.yaml"), {});
    if (!project) throw new Error("the project is not valid");
    const home = join(root, "..", "home");
    trust(project, { env: { HOME: home } });
    const { people, groups } = project.settings;
    return { project: { people: { people, groups } }, drives: project };
  });
}

const pause = (name: string, paused: boolean, headers = {}): Promise<Reply> =>
  served.post(`/api/triggers/${name}/pause`, { paused }, headers);
const fire = (name: string, body: object = {}, headers = {}): Promise<Reply> =>
  served.post(`/api/triggers/${name}/fire`, body, headers);
const history = async (name: string) => (await served.get(`/api/triggers/${name}/history`)).body;
const asAlex = async () => {
  const { body } = await served.post("/api/session", { token: "alex-has-a-long-token-here" });
  return { authorization: `Bearer ${body.session}` };
};
const named = async (name: string) =>
  (await served.get("/api/triggers")).body.triggers.find((one: { name: string }) => one.name === name);

it("one is paused and resumed by whoever is signed in, and the second is told who was first", async () => {
  await start();
  const alex = await asAlex();
  expect(await named("nightly")).toMatchObject({ set_off_by: "schedule", paused: false, next_at: expect.any(String) });
  const { body } = await pause("nightly", true, alex);
  expect(body.triggers).toMatchObject([{ name: "nightly", paused: true, paused_by: "alex", next_at: null }]);
  expect(await pause("nightly", true)).toMatchObject({
    status: 409,
    body: { message: "nightly is paused already, by alex", first: { what: "paused", by: "alex" } },
  });
  expect((await pause("nightly", false)).body.triggers).toMatchObject([{ paused: false, paused_by: null }]);
  expect(await pause("nightly", false)).toMatchObject({ status: 409, body: { first: { what: "resumed" } } });
});

it("one is fired in the name of whoever is signed in, and its history has it", async () => {
  await start();
  expect(await history("pushed")).toMatchObject({ firings: [], hindered: [] });
  const { status, body } = await fire("pushed", { body: { ref: "main" } }, await asAlex());
  expect(status).toBe(200);
  await expect
    .poll(async () => (await history("pushed")).firings)
    .toMatchObject([
      { run_id: body.run_id, status: "ended", reason: "completed", cause: { by: "hand", person: "alex" } },
    ]);
  expect((await served.get(`/api/runs/${body.run_id}/result`)).body).toMatchObject({ output: { what: "main" } });
});

it("one that lacks what it reads is not fired, and the page says how to give it", async () => {
  await start();
  expect(await fire("pushed")).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("inputs.what"), hint: "Give what the webhook would bring, as JSON." },
  });
  expect((await fire("after")).body.hint).toContain("name one, of other for instance");
  expect((await history("pushed")).firings).toEqual([]);
  const run = await served.run("flow.yaml");
  const { body } = await fire("after", { run });
  const result = async () => (await served.get(`/api/runs/${body.run_id}/result`)).body;
  await expect.poll(result).toMatchObject({ status: "completed", output: { what: run } });
});

it("one that is not there, or whose workflow is not below the root, is left alone", async () => {
  await start();
  for (const act of [() => pause("nobody", true), () => fire("nobody")])
    expect(await act()).toMatchObject({ status: 400, body: { message: expect.stringContaining("no trigger nobody") } });
  expect(await served.get("/api/triggers/nobody/history")).toMatchObject({ status: 400 });
  for (const act of [() => pause("outside", true), () => fire("outside")])
    expect(await act()).toMatchObject({ status: 403, body: { code: "outside_root" } });
});

it.each([
  ["only shows", { readOnly: true }, true, 403, "read_only"],
  ["stands in no trusted project", {}, false, 400, "refused"],
])("none acts on a server that %s", async (_, options, isProject, status, code) => {
  await start(options, isProject);
  for (const act of [() => pause("nightly", true), () => fire("nightly")])
    expect(await act()).toMatchObject({ status, body: { code } });
});
