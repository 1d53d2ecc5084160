// `segno triggers show`: all there is to say of a trigger.
import { hostname, userInfo } from "node:os";
import { afterAll, expect, it } from "vitest";
import { removeWorkshops, Workshop } from "./workshop.ts";

afterAll(removeWorkshops);

const FLOW = `workflow: { name: flow, entry_point: a, input: { what: { type: string }, key: { type: string, default: x } } }
agents: [{ name: a, type: set, value: "{{ workflow.input.what }}" }]
`;
const PROJECT = `people: { alex: { user: ${userInfo().username}@${hostname()} } }
triggers:
  - name: pushed
    workflow: flow.yaml
    webhook: { path: /hooks/push, secret: s3cret-of-the-hook, verify: github }
    when: "{{ trigger.body.ref == 'main' }}"
    inputs: { what: "{{ trigger.body.after }}", key: "\${API_TOKEN}" }
    dedupe: "{{ trigger.body.after }}"
    concurrency: { key: "{{ trigger.body.repo }}", limit: 2 }
  - { name: failed, workflow: flow.yaml, on_run: { workflow: flow, status: failed, kind: release.* }, inputs: { what: x } }
`;

it("tells when it fires, with what, when it fired last, and who has paused it, and no secret", async () => {
  const work = new Workshop({ "flow.yaml": FLOW, "segno.yaml": PROJECT, "body.json": '{ "after": "4f2c" }' });
  const env = { API_TOKEN: "tok-4815162342-abcdef" };
  const segno = (...args: readonly string[]) => work.in(".", env, ...args);
  await segno("trust", "--yes");
  expect((await segno("triggers", "fire", "pushed", "--body", "body.json")).code).toBe(0);
  expect((await segno("triggers", "pause", "pushed")).code).toBe(0);
  const { stdout } = await segno("triggers", "show", "pushed");
  for (const line of [
    /^pushed$/m,
    /^ {2}workflow +flow\.yaml$/m,
    /^ {2}fires +when \/hooks\/push is called \(github\)$/m,
    /^ {2}paused +yes by alex, .+$/m,
    /^ {2}when +\{\{ trigger\.body\.ref == 'main' \}\}$/m,
    /^ {2}input what +\{\{ trigger\.body\.after \}\}$/m,
    /^ {2}dedupe +\{\{ trigger\.body\.after \}\}$/m,
    /^ {2}at a time +2 of \{\{ trigger\.body\.repo \}\}$/m,
    /^ {2}last +ended, .+ \(completed\)$/m,
    /^ {2}run +\w{26}$/m,
  ])
    expect(stdout).toMatch(line);
  expect(stdout).not.toContain("s3cret");
  expect(stdout).not.toContain(env.API_TOKEN);
  expect((await segno("triggers", "resume", "pushed")).code).toBe(0);
  expect((await segno("triggers", "show", "pushed")).stdout).not.toContain("paused");
  expect((await segno("triggers", "show", "failed")).stdout).toMatch(
    /^ {2}fires +after runs of flow that end failed with release\.\*$/m,
  );
});
