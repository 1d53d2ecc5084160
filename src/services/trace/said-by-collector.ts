// What a collector answered, for people. It may repeat what it was sent, and who makes the request may quote it: what was
// sent in confidence is taken out before anything is cut.
import { createRedactor, secretsFromAddress } from "../../redact/index.ts";

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MOST_READ = 20_000;
const MOST_SHOWN = 300;

/** A text without what is sent to that collector with every request: each header's value, and the keys in its address. */
export function withoutWhatIsSent({ url, headers }: Target, text: string): string {
  const sent = [...Object.values(headers).flatMap(partsOfHeader), ...secretsFromAddress(url)];
  return createRedactor({ secrets: [], shortSecrets: sent }).text(text);
}

export const shownAnswer = (target: Target, answer: string): string =>
  withoutWhatIsSent(target, answer.trim().slice(0, MOST_READ)).slice(0, MOST_SHOWN);

/** Whole, and what follows a scheme (`Bearer …`); of `Basic` also the name with its password, and the password. */
function partsOfHeader(value: string): string[] {
  const [, scheme, token] = /^(\w+)\s+(\S.*)$/s.exec(value) ?? [];
  if (!scheme || !token) return [value];
  if (scheme.toLowerCase() !== "basic") return [value, token];
  const pair = Buffer.from(token, "base64").toString("utf8");
  const [user = "", ...password] = pair.split(":");
  // `http://TOKEN@host` has no password beside it.
  return [value, token, pair, password.join(":") || user];
}
