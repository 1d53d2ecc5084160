import { expect, it } from "vitest";
import { scriptOutput } from "./result.ts";

const rules = (signalCodes: "negative" | "shell") =>
  ({
    signalCodes,
    patterns: "re2",
    holdsScriptsToOutput: false,
    numbersQuestions: false,
    framesInstructions: false,
  }) as const;
const captured = { text: "", bytes: 0, truncated: false };
const killed = {
  started: true,
  exitCode: null,
  signal: "SIGKILL",
  stdout: captured,
  stderr: captured,
  errorFile: { text: "" },
} as const;

it("the exit code of a killed script is negative as in Conductor, or 128 and more as in shells", () => {
  expect(scriptOutput(killed, rules("negative")).output.exit_code).toBe(-9);
  expect(scriptOutput(killed, rules("shell")).output.exit_code).toBe(137);
  expect(scriptOutput(killed, undefined).output.exit_code).toBe(137);
});
