import { expect, it } from "vitest";
import { RUN_STATUSES, statusWord as wordOfStatus } from "../../../base/results/index.ts";
import { runStatus, statusWord } from "./button.tsx";

it.each(RUN_STATUSES)("a run that is %s is called so on the page as everywhere else", (status) => {
  for (const termination of ["success", "failed"]) {
    const { word } = runStatus(statusWord({ status, termination }));
    expect(word.toLowerCase()).toBe(wordOfStatus(status, termination === "success"));
  }
});
