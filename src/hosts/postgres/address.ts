// The address of a Postgres, and what may be shown of it.

/** Without the password, and without what stands behind the question mark: keys may be there too. */
export function shownAddress(url: string): string {
  try {
    const { protocol, username, host, pathname } = new URL(url);
    return `${protocol}//${username ? `${username}@` : ""}${host}${pathname}`;
  } catch {
    return "the address that was given";
  }
}
