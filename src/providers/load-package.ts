// Packages that are there only if somebody installed them. The name is known at run time only: bundlers leave it alone,
// and the compiler does not look for its types.

/** Where the command line leaves an `import()` that works: in scripts of which compiled code is kept, Node 20 has none. */
const IMPORT = Symbol.for("segno.import");

type Import = (name: string) => Promise<unknown>;

export function loadPackage(name: string): Promise<unknown> {
  const given = (globalThis as { [IMPORT]?: Import })[IMPORT];
  return given ? given(name) : import(name);
}
