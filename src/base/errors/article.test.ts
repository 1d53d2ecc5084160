import { expect, it } from "vitest";
import { withArticle } from "./who-handles.ts";

it.each(["an http step", "an mcp step", "an agent", "an own step"])("says %s", (said) => {
  expect(withArticle(said.slice(3))).toBe(said);
});

it.each(["a script step", "a human_gate step", "a set step", "a for_each group", "a workflow step"])(
  "says %s",
  (said) => {
    expect(withArticle(said.slice(2))).toBe(said);
  },
);
