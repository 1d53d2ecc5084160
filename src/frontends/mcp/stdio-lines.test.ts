import { expect, it } from "vitest";
import { LARGEST_REQUEST, messageReader } from "./stdio-lines.ts";

/** What is read and what is answered when this comes in pieces of so many bytes. */
function given(text: string, size = 1 << 16) {
  const read: string[] = [];
  const answers: object[] = [];
  const take = messageReader({
    read: (line) => void read.push(line.toString("utf8")),
    answer: (line) => void answers.push(JSON.parse(line)),
  });
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) take(bytes.subarray(from, from + size));
  return { read, answers };
}

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}\n';
const LARGE = "x".repeat(LARGEST_REQUEST);

it.each([1, 7, 1 << 16])("lines are put together from pieces of %i bytes", (size) => {
  const { read, answers } = given(`${PING}no json ü\n\n${PING}`, size);
  expect(read.filter((line) => line.trim() !== "")).toEqual([PING, PING]);
  expect(answers).toMatchObject([{ id: null, error: { code: -32700 } }]);
});

it.each([
  ["before the params", `{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"id":1,"x":"${LARGE}"}}`, 41],
  ["behind the params", `{"method":"tools/call","params":{"id":1,"x":"${LARGE}"},"jsonrpc":"2.0","id":"a-2"}`, "a-2"],
  ["nowhere", `{"method":"tools/call","params":{"id":1,"x":"${LARGE}"},"jsonrpc":"2.0"}`, null],
])("a message that is too large is answered, and the next one is read: id %s", (_, message, id) => {
  const { read, answers } = given(`${message}\n${PING}`);
  expect(read).toEqual([PING]);
  expect(answers).toMatchObject([
    { id, error: { code: -32600, message: expect.stringContaining("at most 10485760") } },
  ]);
});
