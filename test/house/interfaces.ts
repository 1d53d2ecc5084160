// The fields of interfaces, read from their text: those of their own, and those that they have from others.

export interface WrittenInterface {
  readonly name: string;
  readonly isExported: boolean;
  /** What it extends, as written. */
  readonly extending: string;
  readonly own: readonly string[];
}

export const interfacesIn = (text: string): readonly WrittenInterface[] =>
  [...text.matchAll(/^(export )?interface (\w+)(.*?) \{(?:\n(.*?)^)?\}/gms)].map(
    ([, exported, name = "", extending = "", body = ""]) => ({
      name,
      isExported: exported !== undefined,
      extending,
      own: [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field = ""]) => field),
    }),
  );

/** With the fields that it has from others, as a whole or by `Pick` and `Omit`, and with the names of those. */
export function withInherited(one: WrittenInterface, all: readonly WrittenInterface[]) {
  const fields = new Set(one.own);
  const parents = new Set<string>();
  const parts = one.extending.matchAll(/(Pick|Omit)<(\w+), ([^>]*)>|(\w+)/g);
  for (const [, part, partly, named = "", name = partly] of parts) {
    const parent = all.find((other) => other.name === name);
    if (!parent) continue;
    const inherited = withInherited(parent, all);
    for (const other of [parent.name, ...inherited.parents]) parents.add(other);
    const isMeant = (field: string): boolean =>
      part === undefined || named.includes(`"${field}"`) === (part === "Pick");
    for (const field of inherited.fields) if (isMeant(field)) fields.add(field);
  }
  return { name: one.name, fields, parents };
}
