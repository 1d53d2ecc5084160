// Which values are secrets because of the name they were given: environment variables, and headers that a step sends.
import { parseJson } from "../json/bounded.ts";
import { isSecretKey } from "./keys.ts";

const SECRET_VARIABLE =
  /(?:^|_)(?:API)?(?:KEY|TOKEN|SECRET)(?:_BASE)?$|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PASS|PWD|PAT|AUTH)$/i;
/** Where a shell stands is no secret, although its name ends like one. */
const NO_SECRET: ReadonlySet<string> = new Set(["PWD", "OLDPWD"]);

/**
 * The values of variables named like `*_KEY`, `*_TOKEN`, `*_SECRET`, `*_PASS`, `*PASSWORD*`, `*PASSPHRASE*`, `*CREDENTIAL*`,
 * provider keys among them; and, whatever a variable is called, the password inside an address (`DATABASE_URL`).
 */
export function secretsFromEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value) return [];
    const inside = secretsFromAddress(value);
    return SECRET_VARIABLE.test(name) && !NO_SECRET.has(name) ? [value, ...inside] : inside;
  });
}

/** Scheme, then userinfo up to the last `@` before the path. */
const USERINFO = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\s]*)@/i;

/** The password in an address, and the values of its secret-looking parameters, as they are written and decoded. */
export function secretsFromAddress(address: string): string[] {
  if (!address.includes("://")) return [];
  const [user = "", ...rest] = (USERINFO.exec(address)?.[1] ?? "").split(":");
  // `https://TOKEN@host` has no user beside it.
  const found = rest.length > 0 ? [rest.join(":")] : isUnguessable(user) ? [user] : [];
  const query = /\?([^#]*)/.exec(address)?.[1] ?? "";
  for (const part of query.split("&")) {
    const [name = "", ...value] = part.split("=");
    if (value.length > 0 && isSecretKey(decodedPart(name))) found.push(value.join("="));
  }
  return found.flatMap((text) => [text, decodedPart(text)]).filter((text) => text !== "");
}

function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

const LONG_ENOUGH = 8;
const LONG = 20;

/**
 * Whether a text that stood under a secret-looking name may be hidden wherever it appears: a plain word (`password: required`)
 * would take that word out of every sentence.
 */
export const isUnguessable = (text: string): boolean =>
  text.length >= LONG || (text.length >= LONG_ENOUGH && /[^A-Za-z\s]/.test(text));

/** How deep and how far secret-looking names are looked for: what is larger is data. */
const DEEPEST = 12;
const MOST_NODES = 5_000;

/** Values that stood under a secret-looking name, at any depth, also in JSON that is served as text. */
export function secretsByName(value: unknown): string[] {
  const found: string[] = [];
  let nodes = 0;
  const visit = (inner: unknown, isSecret: boolean, depth: number): void => {
    nodes += 1;
    if (depth > DEEPEST || nodes > MOST_NODES) return;
    if (typeof inner === "string") {
      if (isSecret) {
        if (isUnguessable(inner)) found.push(inner);
        return;
      }
      found.push(...secretsFromAddress(inner.length < 4_096 ? inner : ""));
      const parsed = jsonIn(inner);
      if (parsed !== undefined) visit(parsed, false, depth + 1);
    } else if (typeof inner === "number") {
      if (isSecret && isUnguessable(String(inner))) found.push(String(inner));
    } else if (typeof inner === "object" && inner !== null)
      for (const [name, entry] of Object.entries(inner))
        visit(entry, isSecret || (!Array.isArray(inner) && isSecretKey(name)), depth + 1);
  };
  visit(value, false, 0);
  return found;
}

const LARGEST_JSON = 256 * 1024;

function jsonIn(text: string): unknown {
  if (text.length > LARGEST_JSON || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The secrets in headers: the whole value, and what follows a scheme (`Bearer …`), decoded for `Basic`. */
export function secretsFromHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!value || !isSecretKey(name)) return [];
    const [, scheme, token] = /^(\w+)\s+(\S+)$/.exec(value) ?? [];
    if (!scheme || !token) return [value];
    if (scheme.toLowerCase() !== "basic") return [token];
    const password = Buffer.from(token, "base64").toString("utf8").split(":").slice(1).join(":");
    return password ? [token, password] : [token];
  });
}
