// Script files that were edited between two drives: named, run again when asked, part of the hash where `files` says so.
import { expect, test } from "vitest";
import { explainRun } from "../../src/services/explain/index.ts";
import { Workshop } from "./workshop.ts";

const mark = (name: string): string => `echo ${name} >> marks\n`;

const workshop = (more = ""): Workshop =>
  new Workshop({
    "work.sh": mark("work"),
    "item.sh": mark("item"),
    "main.yaml": `
workflow: { name: w, entry_point: work }
agents:
  - { name: work, type: script, command: sh, args: [work.sh]${more}, routes: [{ to: items }] }
  - { name: last, type: script, command: sh, args: [-c, "[ -e ok ]"], raises: [a.b] }
for_each:
  - { name: items, type: for_each, source: "{{ [1, 2, 3] }}", as: n, agent: { name: item, type: script, command: sh, args: [item.sh] }, routes: [{ to: last }] }
`,
  });

test("a file that changed is named once for each step, and its steps run again when that is asked for", async () => {
  const shop = workshop();
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  expect(shop.marks()).toEqual(["work", "item", "item", "item"]);
  shop.write({ "work.sh": `${mark("work")}# edited\n`, "item.sh": `${mark("item")}# edited\n` });

  const { resume, next } = await explainRun(shop.session, { run });
  expect(resume?.changed_files).toEqual([
    { node_id: "work", path: [], files: ["work.sh"], command: `segno resume ${run} --changed-files` },
    { node_id: "item", path: [], files: ["item.sh"], command: `segno resume ${run} --changed-files` },
  ]);
  expect(next.join()).toContain(`segno resume ${run}`);

  const { result } = await shop.resume(run);
  expect(shop.marks()).toEqual([]);
  const hint = `To run it again: segno resume ${run} --changed-files`;
  expect(result.warnings).toMatchObject([
    { node_id: "work", message: "work.sh has changed since work ran. work was reused: its inputs are the same.", hint },
    { node_id: "item", message: expect.stringContaining("item.sh has changed since item ran"), hint, count: 3 },
  ]);
  const notes = (await explainRun(shop.session, { run })).chapters.at(-1)?.notes;
  expect(notes?.map(({ node_id }) => node_id)).toEqual(["work", "item"]);

  shop.write({ ok: "" });
  const again = (await shop.resume(run, { changedFiles: true })).result;
  expect(shop.marks()).toEqual(["work", "item", "item", "item"]);
  expect(again).toMatchObject({ status: "completed", warnings: [] });
  expect(again.execution?.steps.map(({ node_id, repaired }) => [node_id, repaired])).toContainEqual(["work", true]);
  expect((await shop.resume(run, { changedFiles: true })).result).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining("--changed-files cannot change that"),
  });
});

test("a step with `files` runs again by itself when one of them changed", async () => {
  const shop = workshop(', files: ["lib/*.sh", "none/*.sh"]');
  shop.write({ "lib/a.sh": "1" });
  const { result } = await shop.run("main.yaml");
  expect(result.warnings.map(({ message }) => message)).toEqual(["`files` of work: no file matches none/*.sh"]);
  shop.marks();
  shop.write({ "lib/a.sh": "2" });
  const plan = (await explainRun(shop.session, { run: result.run_id ?? "" })).resume;
  expect(plan?.runs[0]).toMatchObject({ node_id: "work", why: expect.stringContaining("changed") });
  await shop.resume(result.run_id ?? "");
  expect(shop.marks()).toEqual(["work"]);
});

test("a cached script whose file changed is run, and one that only its own output changed is not", async () => {
  const shop = new Workshop({
    "work.sh": `${mark("work")}date +%N > "$1"\n`,
    "main.yaml": `
workflow: { name: w, entry_point: work }
agents:
  - { name: work, type: script, command: sh, args: [work.sh, out.txt], cache: true }
`,
  });
  for (const expected of [["work"], [], []]) {
    await shop.run("main.yaml");
    expect(shop.marks()).toEqual(expected);
  }
  shop.write({ "work.sh": `${mark("work")}# edited\n` });
  await shop.run("main.yaml");
  expect(shop.marks()).toEqual(["work"]);
});
