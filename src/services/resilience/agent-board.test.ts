import { expect, it, vi } from "vitest";
import type { StepElsewhere } from "../../storage/shared-state.ts";
import { StoredAgentBoard } from "./agent-board.ts";

/** A board over a store that notes what is written; `elsewhere`: the runs that have the step already. */
function boardWith(elsewhere: readonly string[] = [], isFurther = false) {
  const written: string[] = [];
  const running = {
    begin(step: string, _run: string, key: string): StepElsewhere {
      written.push(`begin ${step} ${key}`);
      return { runningIn: elsewhere, lastFailed: false };
    },
    end: (step: string, _run: string, key: string, ok?: boolean) => void written.push(`end ${step} ${key} ${ok}`),
    clear: () => void written.push("clear"),
  };
  const store = { state: { running } } as unknown as ConstructorParameters<typeof StoredAgentBoard>[0];
  return { written, board: new StoredAgentBoard(store, "run", { text: (text) => text }, isFurther) };
}

const free = { running_in: [], last_failed: false };

it("enters a step once for all its items, and says how the last of them went", async () => {
  const { board, written } = boardWith();
  expect([board.begin("w", "w#1"), board.begin("w", "w#2")]).toEqual([free, free]);
  board.end("w", "w#1", false);
  expect(board.begin("w", "w#3")).toEqual({ running_in: [], last_failed: true });
  board.end("w", "w#2", true);
  board.end("w", "w#3", true);
  expect(board.begin("w", "w#4")).toEqual(free);
  board.end("w", "w#4");
  await board.close();
  expect(written).toEqual(["begin w w#1", "end w w#1 true"]);
});

it("leaves a step a moment after its last attempt", () => {
  vi.useFakeTimers();
  try {
    const { board, written } = boardWith();
    board.begin("w", "w#1");
    board.end("w", "w#1", true);
    expect(written).toHaveLength(1);
    vi.runAllTimers();
    board.begin("w", "w#2");
    expect(written).toEqual(["begin w w#1", "end w w#1 true", "begin w w#2"]);
  } finally {
    vi.useRealTimers();
  }
});

it("asks again each time while another run has the step, and has nothing to leave", async () => {
  const { board, written } = boardWith(["other"]);
  for (const key of ["w#1", "w#2"])
    expect(board.begin("w", key)).toEqual({ running_in: ["other"], last_failed: false });
  await board.close();
  expect(written).toEqual(["begin w w#1", "begin w w#2"]);
});

it("clears in a further drive what an earlier one left", () => {
  const { board, written } = boardWith([], true);
  board.begin("a", "a#1");
  board.begin("b", "b#1");
  expect(written).toEqual(["clear", "begin a a#1", "begin b b#1"]);
});
