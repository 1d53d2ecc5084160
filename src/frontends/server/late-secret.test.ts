// A secret that an output makes known late was printed and asked for early, while a person looked.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { ADDRESSES } from "./contract/addresses.ts";

const SECRET = "q7w8-lateknown-5521";
const FILE = `workflow: { name: late, entry_point: pr }
agents:
  - { name: pr, type: script, command: sh, args: [-c, 'echo "value ${SECRET} here"'], routes: [{ to: g }] }
  - { name: g, type: human_gate, prompt: On?, options: [{ label: Yes, value: yes, route: js }] }
  - { name: js, type: script, command: sh, args: [-c, 'echo "{\\"api_key\\":\\"${SECRET}\\"}"'] }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "late.yaml": FILE });
});
afterAll(() => served.close());

it("is neither found nor shown once it is known", async () => {
  const run = await served.run("late.yaml");
  const of = "key=pr%231&attempt=1&drive=1&stream=stdout";
  const found = async (text: string) =>
    (await served.get(`/api/runs/${run}/printed/found?${of}&text=${text}`)).body.count;
  const command = async () => (await served.get(`/api/runs/${run}/steps/pr`)).body.attempts[0].command;
  expect(await found("lateknown")).toBe(1);
  expect(await command()).toContain(SECRET);

  const [gate] = (await served.get("/api/gates")).body.gates;
  const { status } = await served.post(`/api/gates/${encodeURIComponent(gate.id)}`, { seq: gate.seq, value: "yes" });
  expect(status).toBe(200);
  await expect.poll(async () => (await served.get(`/api/runs/${run}`)).body.status).toBe("completed");
  expect(await found("lateknown")).toBe(0);
  expect(await found("q7")).toBe(0);
  expect(await found("value")).toBe(1);
  expect(await command()).not.toContain(SECRET);

  // Nor by any other address of the run: a view is made of what was folded before the secret was known.
  const paths = Object.values(ADDRESSES)
    .filter(({ method, path }) => method === "GET" && path.startsWith("/api/runs/{run}"))
    .map(({ path }) => path.replace("{run}", run).replace(/\{[^}]+\}/, "pr"));
  const answers = await Promise.all(paths.map(async (path) => [path, await served.get(path)] as const));
  expect(answers.filter(([, { body }]) => JSON.stringify(body).includes(SECRET)).map(([path]) => path)).toEqual([]);
  expect(answers.filter(([, { status }]) => status === 200).length).toBeGreaterThan(5);
});
