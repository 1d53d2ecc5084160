// The address of a Postgres, or of several as cells of one fleet: what is wrong with one that is none, and what of it may be
// printed in a command to copy.

const ESCAPES = "a # in the password is written %23, a / is %2F, a @ is %40, a ? is %3F, a % is %25";

/** Nothing when it can be used. Nothing of the address is quoted: what is misread may be a password. */
export function whyNoPostgres(url: string): string | undefined {
  if (!/^postgres(ql)?:\/\//i.test(url)) return "it does not begin with postgres://";
  let parts: URL;
  try {
    parts = new URL(url);
  } catch {
    return `it cannot be read: its port is no number up to 65535, or the password has characters that have to be escaped (${ESCAPES})`;
  }
  const { hash, pathname, search, username, password } = parts;
  if (hash !== "" || pathname.includes("@") || search.includes("@"))
    return `it is not clear where the password ends: it has characters that have to be escaped (${ESCAPES})`;
  try {
    for (const part of [username, password, pathname]) decodeURIComponent(part);
  } catch {
    return `a % in it is not followed by two hexadecimal digits (${ESCAPES})`;
  }
  return undefined;
}

/** Parameters whose values say where and how, and nothing secret. */
const HARMLESS: ReadonlySet<string> = new Set(
  "host port dbname user sslmode sslrootcert sslcert sslkey application_name connect_timeout".split(" "),
);

/** `eu=postgres://… us=postgres://…`: a list of names and addresses, rather than the address of one database. */
export const isOfCells = (address: string): boolean => /^\s*[a-z][\w/-]*=postgres(ql)?:\/\//i.test(address);

export interface CellAddress {
  readonly name: string;
  readonly url: string;
  /** `/draining` behind its name: it gets no new runs. */
  readonly isDraining: boolean;
}

const CELL = /^([a-z][a-z0-9_-]*)(\/draining)?=(.*)$/i;

/** What stands in such a list, in its order; nothing for a part that cannot be read. */
export const cellAddresses = (address: string): readonly (CellAddress | undefined)[] =>
  address
    .trim()
    .split(/\s+/)
    .map((part) => {
      const [, name, draining, url] = CELL.exec(part) ?? [];
      return name === undefined || url === undefined ? undefined : { name, url, isDraining: draining !== undefined };
    });

/** The same the other way round. */
export const joinedCells = (cells: readonly CellAddress[]): string =>
  cells.map(({ name, isDraining, url }) => `${name}${isDraining ? "/draining" : ""}=${url}`).join(" ");

/** For a command that a person copies: the password, and what may be one, is theirs to fill in. */
export function copyableAddress(address: string): string {
  if (isOfCells(address))
    return joinedCells(
      cellAddresses(address)
        .filter((cell) => cell !== undefined)
        .map((cell) => ({ ...cell, url: copyableAddress(cell.url) })),
    );
  if (whyNoPostgres(address) !== undefined) return "URL";
  const url = new URL(address);
  if (url.password !== "") url.password = "PASSWORD";
  for (const name of [...url.searchParams.keys()])
    if (name === "password") url.searchParams.set(name, "PASSWORD");
    else if (!HARMLESS.has(name)) url.searchParams.delete(name);
  return url.href;
}
