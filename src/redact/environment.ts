// Which values are secrets because of the name they were given: environment variables, and headers that a step sends.
import { isSecretKey } from "./keys.ts";

const SECRET_VARIABLE = /(?:^|_)(?:API)?(?:KEY|TOKEN|SECRET)$|PASSWORD|CREDENTIAL/i;

/** The values of variables named like `*_KEY`, `*_TOKEN`, `*_SECRET`, `*PASSWORD*`, `*CREDENTIAL*`; provider keys are among them. */
export function secretsFromEnvironment(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value && SECRET_VARIABLE.test(name) ? [value] : []));
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
