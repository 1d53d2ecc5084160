// The output of a script: its streams and exit code, and over them the fields of its stdout when that is one JSON object.

import { constants } from "node:os";
import { parseJson } from "../json/bounded.ts";
import type { Captured, ProcessResult } from "./world.ts";

export type Ran = Extract<ProcessResult, { started: true }>;

export function scriptOutput(ran: Ran): { readonly output: Record<string, unknown>; readonly isJson: boolean } {
  const fields = ran.stdout.truncated ? undefined : oneObject(ran.stdout.text);
  const output = {
    stdout: ran.stdout.text,
    stderr: ran.stderr.text,
    exit_code: scriptExitCode(ran),
    ...cut("stdout", ran.stdout),
    ...cut("stderr", ran.stderr),
    ...fields,
  };
  return { output, isJson: fields !== undefined };
}

/** As shells say it: 128 and the signal's number. A number keeps `exit_code != 0` and `exit_code > 0` right. */
export function scriptExitCode({ exitCode, signal }: Ran): number {
  if (exitCode !== null) return exitCode;
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}

function cut(stream: string, captured: Captured): Record<string, unknown> {
  if (!captured.truncated) return {};
  return {
    [`${stream}_truncated`]: true,
    [`${stream}_bytes`]: captured.bytes,
    [`${stream}_file`]: captured.spill ?? null,
  };
}

function oneObject(text: string): Record<string, unknown> | undefined {
  // A look at both ends saves parsing megabytes of log lines.
  if (!/^\s*\{/.test(text) || !text.trimEnd().endsWith("}")) return undefined;
  try {
    return parseJson(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
