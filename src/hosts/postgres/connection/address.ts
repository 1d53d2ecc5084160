// The address of a Postgres: what may be shown of it, and what is wrong with one that is none.
import { whyNoPostgres } from "../../../redact/postgres-address.ts";
import { StoreError } from "../../store-error.ts";

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
  const problem = whyNoPostgres(url);
  if (problem === undefined) return;
  throw new StoreError(
    "io",
    `The address of the fleet (--on or SEGNO_ON) cannot be used: ${problem}. It looks like postgres://user:password@host:5432/database.`,
    UNSHOWN,
  );
}
