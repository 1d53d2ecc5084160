// What a tool of an MCP server gives: content of any shape, structured or not.
import fc from "fast-check";
import { contentText } from "../../src/providers/mcp/failures.ts";
import { asToolText } from "../../src/providers/toolbox.ts";
import { mcp } from "../../src/steps/mcp/run.ts";
import { testAttempt } from "../support/engine/attempt.ts";
import { anyValue, fuzz } from "./door.ts";

const part = fc.record(
  {
    type: fc.oneof(fc.constantFrom("text", "image", "resource", "resource_link"), anyValue),
    text: anyValue,
    data: anyValue,
    resource: anyValue,
  },
  { requiredKeys: [] },
);

fuzz({
  name: "the result of an MCP tool",
  inputs: fc.tuple(
    fc.oneof(fc.array(part, { maxLength: 4 }), anyValue),
    fc.option(fc.dictionary(fc.string(), anyValue)),
  ),
  async enter([content, structured]) {
    const result = { ok: true as const, content, ...(structured ? { structured } : {}) };
    const attempt = testAttempt({ world: { callTool: async () => result } });
    const prepared = {
      server: "s",
      tool: "t",
      arguments: {},
      output: { text: { type: "string" as const, required: true, nullable: false } },
    };
    return [contentText(content), asToolText(result), await mcp.execute(prepared, attempt)];
  },
});
