// What the page of `segno graph --watch` asks beside the graph: what scenarios take, and the way to the editor.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { hearShowRequests, type ShownPlace } from "../../features/editor/show-in-editor.ts";

const FLOW = `workflow: { name: one, entry_point: build }
agents:
  - name: build
    type: script
    command: node
    args: ["{{ workflow.dir }}/own.mjs"]
    routes: [{ on_error: true, to: tell }, { to: $end }]
  - { name: tell, type: set, value: 1 }
`;
const FILES = {
  "one.yaml": FLOW,
  "own.mjs": "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('EXECUTED', import.meta.url), '');\n",
  "one.scenario.yaml": "workflow: one.yaml\ncli_scripts: [{ step: build, stdout: ok }]\n",
  "live.scenario.yaml": "workflow: one.yaml\nlive: [build]\n",
  ".env": "TOKEN=kept\n",
};
const ELSEWHERE = [
  [".env", 404],
  ["own.mjs", 404],
  ["nope.yaml", 404],
  ["a\0b.yaml", 404],
  ["../one.yaml", 403],
  ["/etc/passwd", 403],
] as const;
const address = (file: string): string => encodeURIComponent(file);

let served: Served;
beforeAll(async () => {
  served = await Served.start(FILES, {}, () => ({ preview: "one.yaml" }));
});
afterAll(() => served.close());

it("counts what scenarios take, and plays none that would run something", async () => {
  const { status, body } = await served.get("/api/coverage/one.yaml");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    scenarios: 1,
    taken: { build: 1 },
    steps: { total: 2, taken: 1 },
    error_routes: { total: 1, taken: 0 },
    untaken: expect.arrayContaining([expect.objectContaining({ what: "step", node: "tell", line: 8 })]),
  });
  expect(existsSync(join(served.root, "EXECUTED"))).toBe(false);
});

it("leads an editor that has the file to a node or a line, and says where there is none", async () => {
  const go = (body: unknown) => served.post("/api/editor/one.yaml", body);
  expect((await go({ node: "tell" })).body).toEqual({ file: "one.yaml", line: 8, shown: false });
  const shown: ShownPlace[] = [];
  const stop = hearShowRequests(
    served.session,
    (file) => file === join(served.root, "one.yaml"),
    (place) => shown.push(place),
  );
  try {
    expect((await go({ node: "tell" })).body).toEqual({ file: "one.yaml", line: 8, shown: true });
    expect((await go({ line: 3 })).body).toMatchObject({ line: 3, shown: true });
    expect(shown.map(({ line }) => line)).toEqual([8, 3]);
  } finally {
    stop();
  }
  expect(await go({ node: "nope" })).toMatchObject({ status: 404, body: { message: "there is no nope in one.yaml" } });
  for (const body of [{ line: 0 }, { line: "3" }, { file: "/etc/passwd" }, null])
    expect((await go(body)).status).toBe(400);
});

it.each(ELSEWHERE)("neither has an answer for %j", async (file, status) => {
  expect((await served.get(`/api/coverage/${address(file)}`)).status).toBe(status);
  expect((await served.post(`/api/editor/${address(file)}`, { line: 1 })).status).toBe(status);
});

it("only the page of a preview leads to an editor, and no page of another server", async () => {
  const foreign = await served.post("/api/editor/one.yaml", { line: 1 }, { origin: "http://evil.example" });
  expect(foreign).toMatchObject({ status: 403, body: { code: "foreign_origin" } });
  const other = await Served.start({ "one.yaml": FLOW });
  try {
    expect((await other.post("/api/editor/one.yaml", { line: 1 })).status).toBe(404);
    writeFileSync(join(other.root, "one.yaml"), "workflow: [");
    expect((await other.get("/api/coverage/one.yaml")).body).toMatchObject({ scenarios: 0, untaken: [] });
  } finally {
    await other.close();
  }
});
