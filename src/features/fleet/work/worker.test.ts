import { tmpdir } from "node:os";
import { expect, it } from "vitest";
import { runWorker } from "./worker.ts";

const CELLS = "eu=postgres://db.example/eu us=postgres://db.example/us";

it.each([
  ["no fleet", undefined, undefined, "say which Postgres the worker is for: --on postgres://… or SEGNO_ON"],
  ["no cell", CELLS, undefined, "a worker serves one cell: say which with --cell (eu, us)"],
  ["a cell that is not there", CELLS, "mars", "there is no cell mars; there are eu, us"],
  ["a cell of a fleet that has none", "postgres://db.example/all", "eu", /has no cell eu: leave out --cell$/],
])("a worker that is given %s is wrong use, with exit code 2", async (_, fleet, cell, message) => {
  const session = { cwd: tmpdir(), home: tmpdir(), env: {}, ...(fleet === undefined ? {} : { fleet }) };
  const request = {
    signal: new AbortController().signal,
    said() {},
    trouble() {},
    ...(cell === undefined ? {} : { cell }),
  };
  await expect(runWorker(session, request)).rejects.toMatchObject({
    result: {
      exit_code: 2,
      status: "invalid",
      errors: [{ message: typeof message === "string" ? message : expect.stringMatching(message) }],
    },
  });
});
