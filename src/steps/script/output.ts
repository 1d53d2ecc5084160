// The output of a script: its streams and exit code, and over them the fields of its stdout when that is one JSON object.

import { constants } from "node:os";
import { parseJson } from "../../json/bounded.ts";
import type { Captured, ProcessResult } from "../world.ts";

export type Ran = Extract<ProcessResult, { started: true }>;

export function scriptOutput(ran: Ran): { readonly output: Record<string, unknown>; readonly isJson: boolean } {
  const fields = ran.stdout.truncated ? undefined : oneObject(ran.stdout.text);
  const streams: Record<string, unknown> = {
    stdout: ran.stdout.text,
    stderr: ran.stderr.text,
    exit_code: scriptExitCode(ran),
    ...cut("stdout", ran.stdout),
    ...cut("stderr", ran.stderr),
  };
  if (!fields) return { output: streams, isJson: false };
  const isLarge = ran.stdout.text.length > LARGE;
  return { output: isLarge ? withMissing(fields, streams) : { ...streams, ...fields }, isJson: true };
}

/** So long is a text that may have very many fields: to copy these takes longer than to parse them. */
const LARGE = 1024 * 1024;

function withMissing(
  fields: Record<string, unknown>,
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(more)) if (!Object.hasOwn(fields, name)) fields[name] = value;
  return fields;
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
    // PowerShell and friends like to begin with a byte order mark.
    return parseJson(text.replace(/^\uFEFF/, "")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
