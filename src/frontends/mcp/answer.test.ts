import { expect, it } from "vitest";
import { inForm } from "./answer.ts";
import { refusedAnswer } from "./tool.ts";

it.each([0, 1])("what is repeated of an argument is never cut inside of a character, %i before it", (before) => {
  const message = `${"x".repeat(before)}${"\u{1f600}".repeat(2000)}`;
  const { content, structuredContent } = inForm(refusedAnswer({ message }));
  for (const text of [JSON.stringify(content), JSON.stringify(structuredContent)]) {
    expect(text).toContain("… (");
    expect(text).not.toContain("\\ud83d");
  }
});
