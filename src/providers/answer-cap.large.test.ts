// Servers that never stop talking, over real HTTP: the call ends by itself, as an error that a route can take.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { modelRequest, testAttempt } from "../../test/support/model-calls.ts";
import { callModel } from "./model-call.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const MEGABYTE = 1024 * 1024;

/** Without a cap a call would take as much as comes: far more than any cap, and yet the test ends. */
const UNCAPPED = 320 * MEGABYTE;

/** What the server has written, and the most memory that was in use meanwhile. */
interface Poured {
  bytes: number;
  mostMemory: number;
}

const memory = (): number => {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

/** Writes the beginning, then the piece for ever, as fast as it is read. */
async function endless(status: number, beginning: string, piece: string, poured: Poured): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "application/json" });
    response.write(beginning);
    pour(response, piece, poured);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function pour(response: ServerResponse, piece: string, poured: Poured): void {
  if (response.destroyed) return;
  poured.bytes += piece.length;
  poured.mostMemory = Math.max(poured.mostMemory, memory());
  if (poured.bytes > UNCAPPED) response.end();
  else if (response.write(piece)) setImmediate(pour, response, piece, poured);
  else response.once("drain", () => pour(response, piece, poured));
}

const event = (data: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const opening = event({
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    model: "claude-test",
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const block = (content_block: object): string => event({ type: "content_block_start", index: 0, content_block });
const delta = (data: object): string => event({ type: "content_block_delta", index: 0, delta: data });
const page = "word ".repeat(13_000);

const ENDLESS: readonly {
  readonly what: string;
  readonly status?: number;
  readonly beginning: string;
  readonly piece: string;
  readonly says: RegExp;
}[] = [
  {
    what: "text",
    beginning: opening + block({ type: "text", text: "" }),
    piece: delta({ type: "text_delta", text: page }),
    says: /8\.\d million characters of text came, and one may have 8 million characters/,
  },
  {
    what: "text without a space, in small pieces",
    beginning: opening + block({ type: "text", text: "" }),
    piece: delta({ type: "text_delta", text: "x".repeat(500) }).repeat(20),
    says: /million characters of text came/,
  },
  {
    what: "reasoning",
    beginning: opening + block({ type: "thinking", thinking: "" }),
    piece: delta({ type: "thinking_delta", thinking: page }),
    says: /million characters of text came/,
  },
  {
    what: "a tool's arguments",
    beginning: opening + block({ type: "tool_use", id: "t", name: "go", input: {} }),
    piece: delta({ type: "input_json_delta", partial_json: page }),
    says: /64 MB of data came, and one may have 64 MB/,
  },
  { what: "signs of life", beginning: opening, piece: `: ${page}\n\n`, says: /64 MB of data came/ },
  { what: "one line", beginning: "data: ", piece: page, says: /64 MB of data came/ },
  { what: "the text of an error", status: 500, beginning: '{"error": "', piece: page, says: /64 MB of data came/ },
];

test.each(ENDLESS)("$what without an end becomes an error that can be routed", async (one) => {
  const before = memory();
  const poured: Poured = { bytes: 0, mostMemory: before };
  const url = await endless(one.status ?? 200, one.beginning, one.piece, poured);
  const { attempt, waits } = testAttempt();
  const result = await callModel(modelRequest({ provider: "anthropic", models: ["claude-test"] }), attempt, {
    env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: url },
    random: () => 0,
  });
  expect(result).toMatchObject({ ok: false, error: { kind: "provider.exhausted", details: { attempts: 1 } } });
  expect(!result.ok && result.error.message).toMatch(one.says);
  expect(waits).toEqual([]);
  // Beyond the cap, what stands in buffers on the way.
  expect(poured.bytes / MEGABYTE).toBeLessThan(/characters of text/.test(one.says.source) ? 24 : 80);
  // 12 to 67 MB with the cap; without it, all that came.
  expect((poured.mostMemory - before) / MEGABYTE).toBeLessThan(160);
});
