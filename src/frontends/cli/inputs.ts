// Inputs as they are given on the command line: `k=v`, `k=@file`, `k=-` for stdin, and a JSON file for many.
// Text is parsed by the type that the workflow declares, later; here it only has to be found.

import { readSync } from "node:fs";
import { resolve } from "node:path";
import { parseJson } from "../../base/json/bounded.ts";
import type { GivenInput } from "../../services/request.ts";
import { readRegularFile } from "../../services/session/path-inside.ts";
import { UsageError } from "./usage-error.ts";

export interface InputSource {
  readonly cwd: string;
  readonly stdin: () => string;
}

const standardInput = (): string => readWhole(0);

/** Single inputs win over those of the file, later ones over earlier ones. */
export function readInputs(
  pairs: readonly string[],
  file: string | undefined,
  from: Omit<InputSource, "stdin"> & Partial<InputSource>,
): Record<string, GivenInput> {
  const source = { stdin: standardInput, ...from };
  const inputs: Record<string, GivenInput> = Object.create(null);
  if (file !== undefined) Object.assign(inputs, inputsOfFile(file, source));
  let stdinTaken = file === "-" ? "--inputs" : undefined;
  for (const pair of pairs) {
    const { key, value } = splitPair(pair, "-i");
    if (value !== "-") {
      inputs[key] = { text: value.startsWith("@") ? textOf(value.slice(1), `-i ${key}`, source) : value };
      continue;
    }
    if (stdinTaken !== undefined)
      throw new UsageError(`stdin can be read once, and both ${stdinTaken} and ${key} want it.`);
    stdinTaken = key;
    inputs[key] = { text: source.stdin() };
  }
  return inputs;
}

/** Texts that an option of a gate asks for. */
export const readFields = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(pairs.map((pair) => splitPair(pair, "--input")).map(({ key, value }) => [key, value]));

function splitPair(pair: string, option: string): { key: string; value: string } {
  const at = pair.indexOf("=");
  if (at > 0) return { key: pair.slice(0, at), value: pair.slice(at + 1) };
  throw new UsageError(`${option} takes name=value, and "${pair}" has no ${at === 0 ? "name" : '"="'}.`);
}

const WHY_UNREAD: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  ENOTREG: "it is a pipe or a device, which might never end; - reads stdin",
  EFBIG: "it is larger than 64 MiB",
};

function textOf(file: string, option: string, { cwd }: InputSource): string {
  try {
    return readRegularFile(resolve(cwd, file)).toString("utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why = WHY_UNREAD[code ?? ""] ?? String(code);
    throw new UsageError(`${option} names the file ${file}, and it cannot be read: ${why}.`);
  }
}

function inputsOfFile(file: string, source: InputSource): Record<string, GivenInput> {
  const text = file === "-" ? source.stdin() : textOf(file, "--inputs", source);
  const value = parsed(text, file);
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new UsageError(`--inputs ${file} must hold one JSON object, name by name.`);
  }
  return Object.fromEntries(Object.entries(value).map(([key, given]) => [key, { value: given }]));
}

function parsed(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const why =
      error instanceof SyntaxError ? `is not JSON: ${error.message}` : `cannot be used: ${(error as Error).message}`;
    throw new UsageError(`--inputs ${file} ${why}.`);
  }
}

const PART = 64 * 1024;
const WAIT_MS = 10;

/** All of an open file as text. A stdin that does not block may have nothing yet (EAGAIN): then it is waited for. */
export function readWhole(descriptor: number): string {
  const parts: Buffer[] = [];
  for (;;) {
    const part = Buffer.alloc(PART);
    try {
      const length = readSync(descriptor, part);
      if (length === 0) return Buffer.concat(parts).toString("utf8");
      parts.push(part.subarray(0, length));
    } catch (problem) {
      const { code } = problem as NodeJS.ErrnoException;
      // Windows says so at the end of a pipe.
      if (code === "EOF") return Buffer.concat(parts).toString("utf8");
      if (code !== "EAGAIN") throw problem;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
