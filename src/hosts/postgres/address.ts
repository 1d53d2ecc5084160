// The address of a Postgres: what may be shown of it, and what is wrong with one that is none.
import { StoreError } from "../store-error.ts";

const UNSHOWN = "the address that was given";

/** Without the password, and without what stands behind the question mark: keys may be there too. */
export function shownAddress(url: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username ? `${username}@` : ""}${host}${pathname}`;
  } catch {
    return UNSHOWN;
  }
}

/** Said before anything is asked of the network. Nothing of the address is quoted: what is misread may be a password. */
export function requireAddress(url: string): void {
  const problem = problemOf(url);
  if (problem === undefined) return;
  throw new StoreError(
    "io",
    `The address of the fleet (--on or SEGNO_ON) cannot be used: ${problem}. It looks like postgres://user:password@host:5432/database.`,
    UNSHOWN,
  );
}

const ESCAPES = "a # in the password is written %23, a / is %2F, a @ is %40, a % is %25";

function problemOf(url: string): string | undefined {
  if (!/^postgres(ql)?:\/\//i.test(url)) return "it does not begin with postgres://";
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    return `it cannot be read: its port is no number up to 65535, or the password has characters that have to be escaped (${ESCAPES})`;
  }
  const { hash, pathname, username, password } = parts;
  if (hash !== "" || pathname.includes("@"))
    return `the part before the @ cannot be told from the rest: the password has characters that have to be escaped (${ESCAPES})`;
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    return `a % in it is not followed by two hexadecimal digits (${ESCAPES})`;
  }
  return undefined;
}
