// What runs again when the file, the inputs or nothing has changed: what is different, what reads it, and only that.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { script, statuses, Workshop } from "./workshop.ts";

const chain = (middle: string, first = "one"): string => `
workflow: { name: chain, entry_point: a, input: { who: { type: string, default: ann } } }
agents:
  - ${script("a", "routes: [{ to: free }]", { output: `{"v": "${first}"}` })}
  - ${script("free", "routes: [{ to: reader }]")}
  - ${script("reader", "routes: [{ to: asker }]", { mark: "reader {{ a.output.v }}" })}
  - ${script("asker", "routes: [{ to: last }]", { mark: "asker {{ workflow.input.who }}" })}
  - ${middle}
`;
const broken = script("last", "routes: [{ to: $end }]", { mayFail: true });

test("the step that failed is mended in the file: it runs, nothing else does", async () => {
  const shop = new Workshop({ "main.yaml": chain(broken) });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a", "free", "reader one", "asker ann", "last"]);
  shop.write({ "main.yaml": chain(script("last", "routes: [{ to: $end }]", { mark: "mended" })) });
  const again = (await shop.resume(result.run_id!)).result;
  expect(shop.marks()).toEqual(["mended"]);
  expect(statuses(again)).toEqual({
    a: "completed cached",
    free: "completed cached",
    reader: "completed cached",
    asker: "completed cached",
    last: "completed repaired",
  });
});

test("what reads a number that no journal holds does not read another one after a resume", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: infinite, entry_point: a }
agents:
  - ${script("a", "routes: [{ to: set }]", { output: `{"n": 1e999}` })}
  - { name: set, type: set, values: { n: .inf, all: [-1e999, .nan] }, routes: [{ to: reader }] }
  - ${script("reader", "routes: [{ to: last }]", { mark: "reader {{ a.output.n | default(0) }} {{ set.output.n }} {{ set.output.all | join }}" })}
  - ${broken}
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a", "reader 0 inf -infnan", "last"]);
  shop.write({ "ok-last": "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["last"]);
});

test("a step that had ended well and runs again says why, when it starts", async () => {
  const named = script("asker", "routes: [{ to: last }], env: { E: '${GREETING:-hi}' }");
  const file = (output: string): string => `
workflow: { name: why, entry_point: a }
agents:
  - ${script("a", "routes: [{ to: reader }]", { output })}
  - ${script("reader", "routes: [{ to: asker }]", { mark: "reader {{ a.output.v }}" })}
  - ${named}
  - ${broken}
`;
  const shop = new Workshop({ "main.yaml": file(`{"v": 1}`) });
  const { result } = await shop.run("main.yaml");
  shop.write({ "main.yaml": file(`{"v": 2}`) });
  shop.session.env.GREETING = "hello";
  const { events } = await shop.resume(result.run_id!);
  const drive = events.slice(events.findIndex(({ type }) => type === "run_resumed"));
  const started = drive.flatMap((event) => (event.type === "agent_started" ? [event.data] : []));
  expect(started.map(({ agent_name, again }) => [agent_name, again])).toEqual([
    ["a", "definition changed"],
    ["reader", "inputs changed"],
    ["asker", "definition or environment changed"],
    ["last", undefined],
  ]);
});

test("a change upstream runs again with what reads it; a change that gives the same, alone", async () => {
  const shop = new Workshop({ "main.yaml": chain(broken) });
  const { result } = await shop.run("main.yaml");
  shop.marks();
  shop.write({ "main.yaml": chain(broken, "two") });
  await shop.resume(result.run_id!);
  expect(shop.marks()).toEqual(["a", "reader two", "last"]);
  shop.write({ "main.yaml": chain(broken, "two").replace('echo "a" >> marks;', 'echo "a2" >> marks;'), "ok-last": "" });
  const again = (await shop.resume(result.run_id!)).result;
  expect(shop.marks()).toEqual(["a2", "last"]);
  expect(statuses(again)).toMatchObject({ a: "completed repaired", reader: "completed cached" });
});

test("routes, descriptions and time limits are no change of a step", async () => {
  const shop = new Workshop({ "main.yaml": chain(broken) });
  const { result } = await shop.run("main.yaml");
  shop.marks();
  const edited = chain(broken)
    .replace("routes: [{ to: free }]", "description: more, timeout: 50s, routes: [{ to: extra }]")
    .concat(`  - ${script("extra", "routes: [{ to: free }]")}\n`);
  shop.write({ "main.yaml": edited, "ok-last": "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["extra", "last"]);
});

test("a changed input runs what reads it, and stays changed", async () => {
  const shop = new Workshop({ "main.yaml": chain(broken) });
  const { result } = await shop.run("main.yaml");
  shop.marks();
  await shop.resume(result.run_id!, { inputs: { who: { text: "bob" } } });
  expect(shop.marks()).toEqual(["asker bob", "last"]);
  shop.write({ "ok-last": "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["last"]);
});

test("in a for_each each item stands for itself", async () => {
  const each = (list: string): string => `
workflow: { name: w, entry_point: list, limits: { max_iterations: 50 } }
agents:
  - { name: list, type: set, values: { all: ${list} }, routes: [{ to: each }] }
for_each:
  - name: each
    type: for_each
    source: list.output.all
    as: item
    key_by: id
    failure_mode: all_or_nothing
    agent: { name: work, type: script, command: sh, args: ["-c", "echo {{ item.id }}{{ item.v }} >> marks; test {{ item.v }} != 0"], raises: [app.no] }
    routes: [{ to: $end }]
`;
  const shop = new Workshop({ "main.yaml": each("[{ id: x, v: 1 }, { id: y, v: 0 }, { id: z, v: 1 }]") });
  const { result } = await shop.run("main.yaml");
  expect(result.exit_code).toBe(3);
  expect(shop.marks().sort()).toEqual(["x1", "y0", "z1"]);
  // One is mended, one changes, one is new: the place in the list does not matter.
  shop.write({ "main.yaml": each("[{ id: n, v: 1 }, { id: z, v: 2 }, { id: y, v: 3 }, { id: x, v: 1 }]") });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks().sort()).toEqual(["n1", "y3", "z2"]);
});

test("in a sub-workflow each step stands for itself, and a change in its file is found", async () => {
  const child = (second: string): string => `
workflow: { name: child, entry_point: one }
agents:
  - ${script("one", "routes: [{ to: two }]")}
  - ${second}
`;
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: before }
agents:
  - ${script("before", "routes: [{ to: sub }]")}
  - { name: sub, type: workflow, workflow: ./child.yaml, routes: [{ to: after }] }
  - ${script("after", "routes: [{ to: $end }]", { mayFail: true })}
`,
    "child.yaml": child(script("two", "routes: [{ to: $end }]", { mayFail: true })),
  });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["before", "one", "two"]);
  shop.write({ "child.yaml": child(script("two", "routes: [{ to: $end }]", { mark: "mended" })) });
  await shop.resume(result.run_id!);
  expect(shop.marks()).toEqual(["mended", "after"]);
  // Entered again because something after it failed: all of it is there.
  shop.write({ "ok-after": "" });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["after"]);
});

test("files that are gone, the root's or a child's, are gone on with as they were, with a warning each", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: sub }
agents:
  - { name: sub, type: workflow, workflow: ./child.yaml, routes: [{ to: last }] }
  - ${broken}
`,
    "child.yaml": `workflow: { name: child, entry_point: one }\nagents:\n  - ${script("one", "routes: [{ to: $end }]")}\n`,
  });
  const { result } = await shop.run("main.yaml");
  rmSync(join(shop.folder, "child.yaml"));
  const withoutChild = await shop.resume(result.run_id!);
  expect(withoutChild.result.warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/child.yaml is gone; the run goes on with the file as it was/),
  ]);
  rmSync(join(shop.folder, "main.yaml"));
  shop.write({ "ok-last": "" });
  const again = (await shop.resume(result.run_id!)).result;
  expect(again.status).toBe("completed");
  expect(again.warnings).toHaveLength(2);
  expect(shop.marks()).toEqual(["one", "last", "last", "last"]);
});

test("what raised before it gave anything is still without output for those who read it", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: sub }
agents:
  - { name: sub, type: workflow, workflow: ./child.yaml, routes: [{ on_error: true, to: reader }, { to: last }] }
  - ${script("reader", "routes: [{ to: last }]", { mark: "reader {{ sub.output is defined }}" })}
  - ${broken}
`,
    "child.yaml": `workflow: { name: child, entry_point: one }\nagents:\n  - ${script("one", "routes: [{ to: $end }]", { mayFail: true })}\n`,
  });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["one", "reader False", "last"]);
  await shop.resume(result.run_id!);
  expect(shop.marks()).toEqual(["last"]);
});

test("an error that was handled is not made again, nor is its handler run again", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a }
agents:
  - ${script("a", "routes: [{ on_error: true, to: handler }, { to: last }]", { mayFail: true })}
  - ${script("handler", "routes: [{ to: last }]", { mark: "handler of {{ error.kind }}" })}
  - ${broken}
`,
  });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["a", "handler of internal.script_error", "last"]);
  shop.write({ "ok-last": "" });
  const again = (await shop.resume(result.run_id!)).result;
  expect(shop.marks()).toEqual(["last"]);
  expect(statuses(again)).toMatchObject({ a: "recovered cached", handler: "completed cached", last: "completed" });
});

test("an edit of the parent alone does not run a child again that failed and was handled, nor its handler", async () => {
  const main = (last: string): string => `
workflow: { name: w, entry_point: call }
agents:
  - { name: call, type: workflow, workflow: child.yaml, routes: [{ to: last }, { on_error: true, to: handler }] }
  - ${script("handler", "routes: [{ to: last }]")}
  - ${last}
`;
  const shop = new Workshop({
    "main.yaml": main(script("last", "routes: [{ to: $end }]", { mayFail: true })),
    "child.yaml": `
workflow: { name: c, entry_point: inner }
agents:
  - ${script("inner", "routes: [{ to: $end }]", { mayFail: true })}
`,
  });
  const { result } = await shop.run("main.yaml");
  expect([result.exit_code, shop.marks()]).toEqual([3, ["inner", "handler", "last"]]);
  shop.write({ "main.yaml": main(script("last", "routes: [{ to: $end }]")) });
  expect((await shop.resume(result.run_id!)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["last"]);
});

test("from a keyframe, what validation has against the file as it is now is refused as ever", async () => {
  const gate = "{ name: last, type: human_gate, prompt: ok?, approvers: [alex], options: [{ label: y, value: y }] }";
  const file = (middle: string): string => `
workflow: { name: judged, entry_point: a }
agents:
  - ${script("a", "routes: [{ to: stuck }]")}
  - ${middle}
  - ${gate}
`;
  const stuck = script("stuck", "routes: [{ to: last }]", { mayFail: true });
  const people = (...names: string[]): string =>
    `people: { ${names.map((name) => `${name}: { user: "${name}@there" }`).join(", ")} }`;
  const shop = new Workshop({ "main.yaml": file(stuck), "segno.yaml": people("alex") });
  shop.session.env.SEGNO_KEYFRAMES = "1";
  const runId = (await shop.run("main.yaml")).result.run_id!;
  const begins = ({ events }: Awaited<ReturnType<typeof shop.resume>>): boolean =>
    events.filter(({ type }) => type === "keyframe_resumed").length > 0;
  expect(begins(await shop.resume(runId))).toBe(true);

  const refused = async (): Promise<string> => (await shop.resume(runId)).result.error ?? "";
  shop.write({ "main.yaml": file(stuck.replace("to: last", "to: lost")) });
  expect(await refused()).toContain("lost");
  shop.write({ "main.yaml": file(stuck), "segno.yaml": people("sam") });
  expect(await refused()).toContain("alex");
  shop.write({ "segno.yaml": people("alex", "sam"), "ok-stuck": "" });
  shop.marks();
  await shop.resume(runId, { skipGates: true });
  expect(shop.marks()).toEqual(["stuck"]);
});
