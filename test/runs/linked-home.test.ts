// A home may have come with a copied folder, with files in it that are also other files: nothing is written into these.
import { linkSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Playground } from "../support/play.ts";

const FLOW = `workflow: { name: w, entry_point: ask }
steps:
  - { name: ask, type: human_gate, prompt: On?, options: [{ label: Y, value: "y", route: $end }] }
`;

let ground: Playground;
beforeEach(() => {
  ground = new Playground();
  ground.write({ "main.yaml": FLOW });
});
afterEach(() => ground.close());

it.each([
  ["events.jsonl", linkSync, /second name/],
  ["journal.db", linkSync, /second name/],
  ["events.jsonl", symlinkSync, /ELOOP|link/],
  ["journal.db", symlinkSync, /link/],
])("writes nothing into %s when it is another file as well", async (name, link, why) => {
  const { result } = await ground.run("main.yaml");
  const file = join(ground.session.home, "runs", result.run_id ?? "", name);
  const victim = join(ground.folder, "victim");
  // For the database a copy of it, so that it can be opened at all.
  writeFileSync(victim, name === "journal.db" ? readFileSync(file) : "precious\n");
  const before = readFileSync(victim);
  rmSync(file);
  link(victim, file);
  const said = await ground.resume(result.run_id ?? "").then(
    (resumed) => JSON.stringify(resumed.result),
    (problem: unknown) => String(problem),
  );
  expect(said).toMatch(why);
  expect(readFileSync(victim).equals(before)).toBe(true);
});
