// What an agent has to read before it can do anything is small: clients put the list of tools before every conversation.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../../../../test/docs/markdown.ts";
import { testScenarios } from "../../../features/scenarios/test.ts";
import { jsonSchema } from "../../../language/json-schema.ts";
import { NODE_TYPES } from "../../../services/workflows/reference.ts";
import { validateFiles } from "../../../services/workflows/validate.ts";
import { type Connected, connect } from "./client.ts";

/** More than any tokenizer makes of it: what was measured had 4.4 characters a token. */
const tokens = (value: unknown): number =>
  Math.ceil((typeof value === "string" ? value : JSON.stringify(value)).length / 3.5);

let segno: Connected;
beforeAll(async () => {
  segno = await connect("stdio", { args: ["--allow-gate-answers"] });
});
afterAll(() => segno.close());

const read = async (uri: string): Promise<string> => {
  const [content] = (await segno.client.readResource({ uri })).contents;
  return (content as { readonly text: string }).text;
};

describe("the list of tools", () => {
  it("is at most 5 000 tokens, schemas of answers included", async () => {
    const listed = await segno.client.listTools();
    expect(tokens(listed)).toBeLessThanOrEqual(5000);
    for (const { name, outputSchema } of listed.tools) expect(tokens(outputSchema), name).toBeLessThan(250);
  });

  it("says what an agent looks at first, and schema_get the rest", async () => {
    const { tools } = await segno.client.listTools();
    const run = tools.find(({ name }) => name === "workflow_run");
    const whole = (await segno.call("schema_get", { of: "result" })).object;
    const { properties = {}, required = [] } = run?.outputSchema ?? {};
    expect(Object.keys(whole.properties)).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(whole.required).toEqual(expect.arrayContaining(required));
  });
});

describe("the language on one page", () => {
  const folder = mkdtempSync(join(tmpdir(), "segno-cheat-sheet-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("is at most 2 000 tokens", async () => {
    expect(tokens(await read("segno://cheat-sheet"))).toBeLessThanOrEqual(2000);
  });

  it("has files that are valid without a warning, and a scenario that passes", async () => {
    // Agents are not given the names of the files, which stand behind the fences in the docs.
    const page = readFileSync(resolve("docs/cheat-sheet.md"), "utf8");
    const blocks = blocksOf({ name: "cheat-sheet", text: page }).filter(({ language }) => language === "yaml");
    const shown = await read("segno://cheat-sheet");
    for (const { text: yaml } of blocks) expect(shown).toContain(yaml);
    for (const { file = "", text: yaml } of blocks) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), yaml);
    }
    const here = { cwd: folder, env: {} };
    for (const { file = "", words } of blocks.filter(({ file }) => !file?.includes("scenario"))) {
      const { errors, warnings } = validateFiles(here, { files: [file], asChild: words.includes("child") });
      expect([...errors, ...warnings].map(({ message }) => message)).toEqual([]);
    }
    const { passed, scenarios } = await testScenarios(here, { paths: ["tests"] });
    expect(passed, JSON.stringify(scenarios)).toBe(1);
  });

  it.each(["on_error:", "retry:", "halt:", "propagate:", "human_gate", "parallel:", "for_each:", "type: workflow"])(
    "shows %s",
    async (word) => {
      expect(await read("segno://cheat-sheet")).toContain(word);
    },
  );

  it("names every type of step", async () => {
    const text = await read("segno://cheat-sheet");
    expect(NODE_TYPES.filter((type) => !new RegExp(`\`${type}\`|^${type}:`, "m").test(text))).toEqual([]);
  });
});

describe.each(NODE_TYPES)("the schema of %s", (type) => {
  it("comes from schema_get and as a resource, and is a small part of the whole", async () => {
    const { object, isError } = await segno.call("schema_get", { type });
    expect(isError).toBe(false);
    expect(object.properties).toHaveProperty("name");
    if (type !== "parallel") expect(object.properties).toHaveProperty("type.const", type);
    expect(JSON.parse(await read(`segno://schema/step/${type}`))).toEqual(object);
    expect(tokens(object)).toBeLessThan(tokens(jsonSchema()) / 3);
  });
});
