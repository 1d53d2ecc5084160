import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { testAttempt, testScope } from "../../../test/support/engine/attempt.ts";
import { raised } from "../../base/errors/index.ts";
import type { McpOutput } from "../step-type.ts";
import type { McpAnswer, McpResult } from "../world.ts";
import { mcp } from "./run.ts";
import { mcpStep } from "./schema.ts";

const folder = mkdtempSync(join(tmpdir(), "segno-mcp-step-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Told {
  readonly as?: McpOutput;
  readonly keepsToolErrors?: boolean;
  readonly output?: Readonly<Record<string, unknown>>;
  readonly runtime?: Readonly<Record<string, unknown>>;
}

async function call(result: McpResult, { as, keepsToolErrors, output, runtime = {} }: Told = {}) {
  const step = mcpStep().parse({
    type: "mcp",
    name: "a",
    server: "s",
    tool: "t",
    arguments: { q: "1" },
    ...(output ? { output } : {}),
  });
  const attempt = testAttempt({ world: { callTool: async () => result } });
  const scope = { ...testScope({}), ...(as ? { mcpOutput: as } : {}) };
  const workflow = { ...attempt.workflow, runtime };
  const outcome = await mcp.execute(mcp.prepare(step, scope), {
    ...attempt,
    workflow,
    spillDir: folder,
    keepsToolErrors,
  });
  return { outcome, attempt };
}

const text = (said: string) => ({ type: "text", text: said });
const SAID: McpAnswer = { content: [text("hi")], structured: { n: 1, content: "mine", errors: [], outputs: 2 } };
const failedWith = (answer: McpAnswer): McpResult => ({ ok: false, error: raised("mcp.tool_error", "no", {}), answer });

describe("the output of an mcp step", () => {
  it.each<[McpOutput, unknown]>([
    ["envelope", { content: [text("hi")], structured: SAID.structured, is_error: false, n: 1 }],
    ["marked", { ...SAID.structured, structured: SAID.structured, is_error: false }],
    ["bare", SAID.structured],
  ])("as %s", async (as, output) => {
    expect((await call({ ok: true, ...SAID }, { as })).outcome).toEqual({ ok: true, output });
  });

  it.each<[McpOutput, unknown]>([
    ["envelope", { content: [text("hi")], structured: null, is_error: false }],
    ["marked", { content: [text("hi")], structured: null, is_error: false }],
    ["bare", { content: [text("hi")] }],
  ])("without structured content, as %s", async (as, output) => {
    expect((await call({ ok: true, content: [text("hi")] }, { as })).outcome).toEqual({ ok: true, output });
  });

  it("as marked keeps the tool's own words", async () => {
    const { outcome } = await call({ ok: true, content: [], structured: { is_error: "mine" } }, { as: "marked" });
    expect(outcome).toMatchObject({ output: { is_error: "mine", structured: { is_error: "mine" } } });
  });

  it("is the recorded one in a recorded run", async () => {
    const recorded = { content: [{ ...text("cut"), truncated: true }], structured: null, is_error: true };
    const { outcome } = await call({ ok: true, content: null, recorded }, { as: "envelope" });
    expect(outcome).toEqual({ ok: true, output: recorded });
  });

  it("is held against `output:` as a whole", async () => {
    const output = { is_error: { type: "boolean" }, n: { type: "number" } };
    expect((await call({ ok: true, ...SAID }, { as: "envelope", output })).outcome).toMatchObject({ ok: true });
    const wrong = await call({ ok: true, content: [] }, { as: "envelope", output });
    expect(wrong.outcome).toMatchObject({ error: { kind: "internal.schema_violation" }, output: { is_error: false } });
  });
});

describe("a tool's own error", () => {
  it("is output where it is kept", async () => {
    const { outcome, attempt } = await call(failedWith({ content: [text("no")] }), {
      as: "envelope",
      keepsToolErrors: true,
    });
    expect(outcome).toEqual({ ok: true, output: { content: [text("no")], structured: null, is_error: true } });
    expect(attempt.emitted("mcp_completed")).toMatchObject([{ is_error: true }]);
  });

  it("is raised where the step opts in, with the answer as output", async () => {
    const { outcome } = await call(failedWith({ content: [text("no")] }), { as: "envelope" });
    expect(outcome).toMatchObject({ error: { kind: "mcp.tool_error" }, output: { is_error: true } });
  });

  it("is raised as before in Segno's dialect", async () => {
    const { outcome } = await call(failedWith({ content: [] }), { as: "marked" });
    expect(outcome).toEqual({ ok: false, error: raised("mcp.tool_error", "no", {}) });
  });

  it("of a server that failed is raised in any case", async () => {
    const error = raised("mcp.protocol_error", "gone", {});
    const { outcome, attempt } = await call({ ok: false, error }, { as: "envelope", keepsToolErrors: true });
    expect(outcome).toEqual({ ok: false, error });
    expect(attempt.emitted("mcp_failed")).toMatchObject([{ error_type: "mcp.protocol_error", message: "gone" }]);
  });
});

describe("a long answer", () => {
  const blocks = [text("abcdef"), { type: "image", data: "x" }, text("ghijkl"), text("m")];

  it("is cut over all of its texts, and kept in a file", async () => {
    const runtime = { tool_output: { max_chars: 8 } };
    const { outcome, attempt } = await call({ ok: true, content: blocks }, { as: "envelope", runtime });
    const [done] = attempt.emitted("mcp_completed") as readonly { readonly spill_path: string }[];
    const marks = { truncated: true, spill_path: done?.spill_path };
    expect(outcome.output).toMatchObject({
      content: [text("abcdef"), { type: "image", data: "x" }, { ...text("gh"), ...marks }, { ...text(""), ...marks }],
    });
    expect(readFileSync(done?.spill_path ?? "", "utf8")).toBe("abcdef\nghijkl\nm");
  });

  it.each([
    ["marked", { tool_output: { max_chars: 8 } }],
    ["envelope", { tool_output: { max_chars: 8, enabled: false } }],
  ] as const)("is whole as %s with %j", async (as, runtime) => {
    const { outcome } = await call({ ok: true, content: blocks }, { as, runtime });
    expect(outcome.output).toMatchObject({ content: blocks });
  });

  it("says of itself whether it was cut: a server cannot", async () => {
    const content = [{ ...text("a"), truncated: true, spill_path: "/etc/passwd", annotations: { a: 1 } }];
    const { outcome } = await call({ ok: true, content }, { as: "envelope" });
    expect(outcome.output).toMatchObject({ content: [{ type: "text", text: "a", annotations: { a: 1 } }] });
    expect(JSON.stringify(outcome.output)).not.toContain("passwd");
  });
});

it("tells what is called and how it went, never with values", async () => {
  const { attempt } = await call({ ok: true, content: [text("é")] }, { as: "envelope" });
  const about = { node: attempt.node, agent_name: attempt.node, target: "s/t", server: "s", tool: "t" };
  expect(attempt.emitted("mcp_started")).toEqual([{ ...about, argument_keys: ["q"] }]);
  const bytes = Buffer.byteLength(JSON.stringify({ content: [text("é")], structured: null }));
  expect(attempt.emitted("mcp_completed")).toMatchObject([
    { ...about, is_error: false, result_bytes: bytes, truncated: false },
  ]);
});
