// Values that are secrets because of the name they stood under: in an object, in JSON that is served as text, in an address,
// in the environment, in headers.
import { parseJson } from "../json/bounded.ts";
import { isSecretKey, isUnguessable, mayNameSecret, type Secrecy, secrecyOf, secretsFromAddress } from "./keys.ts";

/** How deep and how far secret-looking names are looked for: what is larger is data. */
const DEEPEST = 12;
const MOST_NODES = 5_000;
const LARGEST_JSON = 256 * 1024;

/** No shorter text holds a name with a secret, or an address with one. */
const SHORTEST = 14;
/** Whether a text may hold a secret-looking name, or an address; false is sure. */
export const maySpeakOfSecrets = (text: string): boolean => text.includes("://") || mayNameSecret(text);

/** Whether a text, or what follows it, may be a secret with its name. A text in JSON or code has quotes around it. */
export const isNaming = (text: string): boolean =>
  (text.includes('"') || text.includes("'") || text.includes("://")) &&
  text.length < LARGEST_JSON &&
  maySpeakOfSecrets(text);

/**
 * Values under a secret-looking name, at any depth, also in JSON that is a text.
 *
 * @example secretsByName({ body: '{"token":"tok-77aa88bb"}' }) // ["tok-77aa88bb"]
 */
export function secretsByName(value: unknown): string[] {
  const found: string[] = [];
  let nodes = 0;
  const visit = (inner: unknown, secrecy: Secrecy, depth: number): void => {
    nodes += 1;
    if (depth > DEEPEST || nodes > MOST_NODES) return;
    if (typeof inner === "string") {
      if (secrecy === "none") {
        // Most texts are passed over by their length, or because they have no quotes.
        if (inner.length >= SHORTEST && isNaming(inner)) inText(inner, depth);
      } else if (isUnguessable(inner)) found.push(inner);
    } else if (typeof inner === "number") {
      if (secrecy === "all" && isUnguessable(String(inner))) found.push(String(inner));
    } else if (typeof inner === "object" && inner !== null)
      for (const name in inner) {
        // Whatever comes now is too much.
        if (nodes > MOST_NODES) return;
        visit(
          (inner as Readonly<Record<string, unknown>>)[name],
          secrecy === "none" && !Array.isArray(inner) ? secrecyOf(name) : secrecy,
          depth + 1,
        );
      }
  };
  const inText = (text: string, depth: number): void => {
    // What a template will put there is not known here; what stands beside it is.
    for (const [address] of text.matchAll(ADDRESS))
      for (const secret of secretsFromAddress(address)) found.push(...secret.split(TEMPLATE).filter(isUnguessable));
    const parsed = jsonIn(text);
    if (parsed === undefined) found.push(...namedInPieces(text));
    else visit(parsed, "none", depth + 1);
  };
  visit(value, "none", 0);
  return found;
}

/**
 * The same of what a person or a sender gave as it is: there also a plain word under such a name is a secret.
 *
 * @example givenByName({ user: "ann", password: "letmein" }) // ["letmein"]
 */
export function givenByName(value: unknown, isSecret = false, depth = 0): string[] {
  if (depth > DEEPEST) return [];
  if (typeof value === "string" || typeof value === "number") return isSecret ? [String(value)] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    givenByName(inner, isSecret || (!Array.isArray(value) && isSecretKey(name)), depth + 1),
  );
}

/** In a workflow file an address may have templates in it, and these have spaces and quotes. */
const ADDRESS = /[a-z][a-z0-9+.-]{1,30}:\/\/(?:\{\{[^{}\n]{0,300}\}\}|[^\s"'<>\\]){1,4000}/gi;
const TEMPLATE = /\{\{[^{}\n]{0,300}\}\}/;

const QUOTED = String.raw`(?:"(?:[^"\\\n]|\\.){1,4000}"|'(?:[^'\\\n]|\\.){1,4000}')`;
const AROUND = String.raw`\s{0,5}`;

/** A name and its text, or a list of texts, as JSON and code write them: in a log, a chunk, a script as an argument. */
const NAMED = new RegExp(
  String.raw`(?<![\w.-])(["']?)([\w.-]{1,100})\1${AROUND}(?::|=)${AROUND}(${QUOTED}|\[${AROUND}${QUOTED}(?:${AROUND},${AROUND}${QUOTED}){0,100})`,
  "g",
);
const ONE = new RegExp(QUOTED, "g");

function namedInPieces(text: string): string[] {
  const found: string[] = [];
  for (const [, mark, name = "", quoted = ""] of text.matchAll(NAMED)) {
    if (!isSecretKey(name)) continue;
    for (const [one] of quoted.matchAll(ONE)) {
      const value = one.startsWith('"') ? jsonIn(one) : one.slice(1, -1);
      if (typeof value !== "string" || !isUnguessable(value)) continue;
      // Outside of JSON it may be a sentence, a template or a variable.
      if (mark === '"' || !/\s|\{\{|\$[({A-Za-z_]/.test(value)) found.push(value);
    }
  }
  return found;
}

function jsonIn(text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return undefined;
  try {
    return parseJson(text, false);
  } catch {
    return undefined;
  }
}

const SECRET_VARIABLE =
  /(?:(?:^|_)KEY|APIKEY|TOKEN|SECRET)(?:_BASE)?$|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(?:^|_)(?:PASS|PWD|PAT|AUTH)$/i;
/** Names that end like that of a secret: where a shell stands, and which attempt a script runs for. */
const NO_SECRET: ReadonlySet<string> = new Set(["PWD", "OLDPWD", "SEGNO_IDEMPOTENCY_KEY"]);

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

/** A header that ends so lets its sender in, whatever stands before it. */
const SECRET_HEADER = /(?:^|[-_])(?:key|signature)$/i;
/** Keys that say which, and not who. */
const NO_SECRET_HEADER = /(?:idempotency|cache|surrogate|partition|row|routing|websocket|public)[-_]key$/i;

/** The secrets in headers: the whole value, and what follows a scheme (`Bearer …`), decoded for `Basic`. */
export function secretsFromHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    if (!value || !(isSecretKey(name) || (SECRET_HEADER.test(name) && !NO_SECRET_HEADER.test(name)))) return [];
    const [, scheme, token] = /^(\w+)\s+(\S+)$/.exec(value) ?? [];
    if (!scheme || !token) return [value];
    if (scheme.toLowerCase() !== "basic") return [token];
    const password = Buffer.from(token, "base64").toString("utf8").split(":").slice(1).join(":");
    return password ? [token, password] : [token];
  });
}
