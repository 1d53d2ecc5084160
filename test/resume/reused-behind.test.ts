// What is behind lost items when they have run again: steps that were reused are named, steps that read what others produce
// run again, and a run that is completed can run again from a step on.

import { createColors } from "picocolors";
import { expect, test } from "vitest";
import { COMMAND_LINE } from "../../src/base/results/index.ts";
import { ending } from "../../src/frontends/cli/report/ending.ts";
import { script, Workshop } from "./workshop.ts";

const each = (more: string, behind: string): string => `
workflow: { name: w, entry_point: before }
steps:
  - ${script("before", "routes: [{ to: each }]")}
  ${behind}
for_each:
  - name: each
    type: for_each
    source: "{{ [1, 2] }}"
    as: x
    failure_mode: continue_on_error
    agent: { name: item, type: script, command: sh, args: [-c, 'echo "item $1" >> marks; test "$1" = 1 || test -e go || exit 1; mkdir -p out; echo done > "out/$1.txt"', sh, "{{ x }}"]${more} }
    routes: [{ to: publish }]
`;

const again = { failedItems: true };

test("a step that was reused behind items that ran again is named, with the command that runs it", async () => {
  const shop = new Workshop({
    "main.yaml": each(
      "",
      `- ${script("publish", "routes: [{ to: note }]")}\n  - { name: note, type: set, value: noted, routes: [{ to: sub }] }\n  - { name: sub, type: workflow, workflow: sub.yaml }`,
    ),
    "sub.yaml": `workflow: { name: sub, entry_point: index }\nsteps:\n  - ${script("index", "")}\n`,
  });
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  expect(shop.marks().sort()).toEqual(["before", "index", "item 1", "item 2", "publish"]);
  shop.write({ go: "" });
  const { result } = await shop.resume(run, again);
  expect(shop.marks()).toEqual(["item 2"]);
  const command = `segno resume ${run} --from publish`;
  expect(result).toMatchObject({ status: "completed", success: true });
  expect(result.warnings).toMatchObject([
    {
      rule: "reused-behind-retry",
      hint: command,
      message: `publish and sub/index were reused, although items before them ran again. To run them again, with what follows: ${command}`,
    },
  ]);
  const view = { colors: createColors(false), terminal: undefined, reader: COMMAND_LINE } as never;
  expect(ending(result, view, { quiet: true })).toContain(command);

  const { result: later } = await shop.resume(run, { from: "publish" });
  expect(shop.marks()).toEqual(["publish", "index"]);
  expect(later).toMatchObject({ status: "completed", warnings: [] });
});

test("a step that says which files it reads is run again when they changed, and not named", async () => {
  const shop = new Workshop({ "main.yaml": each("", `- ${script("publish", "files: [out/*.txt]")}`) });
  const { result } = await shop.run("main.yaml");
  expect(shop.marks().sort()).toEqual(["before", "item 1", "item 2", "publish"]);
  shop.write({ go: "" });
  const ended = (await shop.resume(result.run_id ?? "", again)).result;
  expect(shop.marks()).toEqual(["item 2", "publish"]);
  expect(ended.warnings).toEqual([]);
});

/** The files are there before, and are the same afterwards. */
const PRODUCED = {
  "main.yaml": each(", produces: [out/*.txt]", `- ${script("publish", "files: [out/*.txt]")}`),
  "out/1.txt": "done\n",
  "out/2.txt": "done\n",
};

test("a step whose files another one produces runs again when that one ran again", async () => {
  const shop = new Workshop(PRODUCED);
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  shop.marks();
  shop.write({ go: "" });
  await shop.resume(run, again);
  expect(shop.marks()).toEqual(["item 2", "publish"]);
});

test("also when the run is killed after the one, and before the other", async () => {
  const shop = new Workshop(PRODUCED);
  const run = (await shop.run("main.yaml")).result.run_id ?? "";
  shop.marks();
  shop.write({ go: "" });
  await shop.killedAt("kill-after:for_each_completed", ["resume", run, "--failed-items"]);
  expect(shop.marks()).toEqual(["item 2"]);
  expect((await shop.resume(run)).result.status).toBe("completed");
  expect(shop.marks()).toEqual(["publish"]);
});

test("a run that was completed runs again from a step on, not from one that is not there", async () => {
  const shop = new Workshop({
    "main.yaml": `
workflow: { name: w, entry_point: a, input: { token: { type: string, default: tok-1234567890, secret: true } } }
steps:
  - ${script("a", "routes: [{ to: b }]", { output: '{"n": 1}' })}
  - ${script("b", "", { mark: "b {{ a.output.n }}" })}
output: { n: "{{ a.output.n }}" }
`,
    "plain.yaml": `workflow: { name: p, entry_point: a }\nsteps:\n  - ${script("a", "routes: [{ to: b }]")}\n  - ${script("b", "")}\n`,
  });
  const plain = (await shop.run("plain.yaml")).result.run_id ?? "";
  expect((await shop.resume(plain, { from: "b" })).result).toMatchObject({ status: "completed", success: true });
  expect(shop.marks()).toEqual(["a", "b", "b"]);
  expect((await shop.resume(plain, { from: "c" })).result).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining("there is no step c"),
  });
  expect((await shop.resume(plain, { force: true })).result).toMatchObject({ exit_code: 2 });
  expect((await shop.resume(plain)).result).toMatchObject({ status: "completed", success: true });
  expect(shop.marks()).toEqual([]);

  const secret = (await shop.run("main.yaml")).result.run_id ?? "";
  shop.marks();
  expect((await shop.resume(secret, { from: "b" })).result).toMatchObject({
    exit_code: 2,
    error: expect.stringContaining("its secrets were removed with its end"),
  });
  expect(shop.marks()).toEqual([]);
});
