import { expect, it } from "vitest";
import { RUN_STATUSES, statusWord } from "../../../base/results/index.ts";
import { runStatus, shownStatus } from "./button.tsx";

it.each(RUN_STATUSES)("a run that is %s is called so on the page as everywhere else", (status) => {
  for (const termination of ["success", "failed"]) {
    const { word } = runStatus(shownStatus({ status, termination }));
    expect(word.toLowerCase()).toBe(statusWord(status, termination === "success"));
  }
});
