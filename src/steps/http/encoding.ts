// What an answer's bytes mean: compression undone, text in its character set, JSON as a value.

import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { parseJson } from "../../json/bounded.ts";
import { Unanswered } from "./unanswered.ts";

export function decoded(message: IncomingMessage): Readable {
  const unpack = unpackers.get((message.headers["content-encoding"] ?? "").trim().toLowerCase());
  if (unpack === undefined) return message;
  // The last stream passes the error to its reader.
  return pipeline(message, unpack(), () => {}) as unknown as Readable;
}

const unpackers: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** A value when the answer says it is JSON and is, otherwise text; null when there was no body at all. */
export function meaningOf(bytes: Buffer, contentType: string | undefined): unknown {
  const text = textOf(bytes, contentType);
  if (!/^[^;]*[/+]json\b/i.test(contentType ?? "")) return text;
  if (text.trim() === "") return null;
  try {
    return parseJson(text);
  } catch (problem) {
    if (problem instanceof SyntaxError) return text;
    throw new Unanswered("BODY_TOO_DEEP", `the answer cannot be used: ${(problem as Error).message}`);
  }
}

function textOf(bytes: Buffer, contentType: string | undefined): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? "")?.[1];
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    // An unknown character set.
    return bytes.toString("utf8");
  }
}
