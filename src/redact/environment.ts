// Which values are secrets because of the name they were given: environment variables, and headers that a step sends.
import { secretsFromAddress } from "./address.ts";
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
