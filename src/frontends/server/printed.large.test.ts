// What a script printed can be read and searched whole, however much it is: in windows of rows, without secrets.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Served } from "../../../test/support/served.ts";
import { until } from "../../../test/support/until.ts";
import { LONGEST_ROW } from "./views/printed/printed-text.ts";

const ROWS = 120_000;
/** 12 MB on stdout: more than the log has. Two rows have the secret, with a colour in the middle of it. */
const LOUD = `
const secret = process.env.GIVEN;
let text = "";
for (let row = 0; row < ${ROWS}; row++) {
  const hidden = row === 999 || row === ${ROWS - 1} ? " token " + secret.slice(0, 5) + "\\u001b[31m" + secret.slice(5) + "\\u001b[0m" : "";
  text += "row " + row + " of what it has to say about " + "all kinds of things, ".repeat(3) + (row < 700 ? "\\u001b[1mNee\\u001b[0mdle" : "needle") + (row % 7) + hidden + "\\n";
  if (text.length > 60000) { require("node:fs").writeSync(1, text); text = ""; }
}
require("node:fs").writeSync(1, text + "x".repeat(${LONGEST_ROW - 3}) + "straddles" + "y".repeat(20000) + "\\nlast without an end");
`;
const FILE = `
workflow: { name: loud, entry_point: say, input: { given: { type: string, secret: true } } }
agents:
  - { name: say, type: script, command: node, args: ["-e", ${JSON.stringify(LOUD)}], env: { GIVEN: "{{ workflow.input.given }}" } }
  - { name: little, type: script, command: echo, args: [hello] }
`;
const SECRET = "correcthorsebattery";

let served: Served;
let run: string;
beforeAll(async () => {
  served = await Served.start({ "loud.yaml": FILE });
  run = await served.run("loud.yaml", { given: SECRET });
});
afterAll(() => served.close());

const of = "key=say%231&attempt=1&drive=1&stream=stdout";
const rows = async (from: number, limit: number, more = of) =>
  (await served.get(`/api/runs/${run}/printed?${more}&from=${from}&limit=${limit}`)).body;

/** It is read in the background: asked again until all of it is there. */
async function all(): Promise<number> {
  const known = await until(async () => {
    const now = await rows(0, 1);
    return now.is_all && now;
  });
  return known.row_count;
}

describe("12 MB of output", () => {
  it("are told of with all their bytes, though the log has only the first 10 MiB", async () => {
    const { body } = await served.get(`/api/runs/${run}/steps/say`);
    expect(body.attempts[0].stdout).toMatchObject({ is_cut: true });
    expect(body.attempts[0].stdout.bytes).toBeGreaterThan(11e6);
  });

  it("can be read from anywhere, to the last row", async () => {
    // A line that is too long for one row is several.
    expect(await all()).toBe(ROWS + 4 + 1);
    const { rows: some, source } = await rows(110_001, 3);
    expect(source).toBe("file");
    expect(some.map((row: string) => row.split(" of ")[0])).toEqual(["row 110001", "row 110002", "row 110003"]);
    expect((await rows(ROWS + 4, 10)).rows).toEqual(["last without an end"]);
    expect((await rows(ROWS + 5, 10)).rows).toEqual([]);
  });

  it("are searched whole, as a reader sees them", async () => {
    await all();
    const found = async (text: string) => (await served.get(`/api/runs/${run}/printed/found?${of}&text=${text}`)).body;
    expect(await found("needle3")).toMatchObject({ count: Math.ceil((ROWS - 3) / 7), is_all: true });
    expect((await found(`row%20${ROWS - 1}%20of`)).rows).toEqual([ROWS - 1]);
    // Over the end of a row that goes on in the next.
    expect((await found("straddles")).rows).toEqual([ROWS + 1]);
    expect(await found("not%20there")).toMatchObject({ count: 0, rows: [] });
  });

  it("hide their secrets, also in the part that is not in the log", async () => {
    await all();
    for (const row of [999, ROWS - 1]) {
      const [text] = (await rows(row, 1)).rows;
      expect(text).toContain("token <redacted>");
      expect(text.replaceAll("\u001b[31m", "")).not.toContain(SECRET);
    }
    const { body } = await served.get(`/api/runs/${run}/printed/found?${of}&text=${SECRET}`);
    expect(body.count).toBe(0);
  });
});

describe("what was printed", () => {
  it("is there of the log too, when it is little", async () => {
    const own = await Served.start({
      "a.yaml":
        "workflow: { name: a, entry_point: a }\nagents: [{ name: a, type: script, command: printf, args: ['one\\ntwo\\n'] }]\n",
    });
    const id = await own.run("a.yaml");
    const { body } = await own.get(`/api/runs/${id}/printed?key=a%231&attempt=1&drive=1&stream=stdout`);
    expect(body).toEqual({ from: 0, rows: ["one", "two"], row_count: 2, is_all: true, source: "log" });
    await own.close();
  });

  it("of an attempt that never was is refused", async () => {
    const { status, body } = await served.get(`/api/runs/${run}/printed?${of.replace("attempt=1", "attempt=4")}`);
    expect(status).toBe(400);
    expect(body.message).toContain("there is no attempt 4 of say#1");
  });
});
