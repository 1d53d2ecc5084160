// The body of a request, read up to a limit. Senders need not say how long it is, nor send one at all.
import { TooLarge } from "./problems.ts";

/** Of a request of the page or of a program; webhooks have a limit of their own. */
export const MOST_BODY_BYTES = 10 * 1024 * 1024;
/** Of a request that anybody may send: it holds a token, and is read before it is known whose. */
export const MOST_SESSION_BYTES = 4 * 1024;

export const SESSION_PATH = "/api/session";

/** Throws `TooLarge` with the message `said`, at once if `content-length` is too large. */
export async function readBody({ headers, body }: Request, most: number, said: string): Promise<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > most) throw new TooLarge(said);
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > most) throw new TooLarge(said);
    parts.push(part.value);
  }
  return Buffer.concat(parts);
}
