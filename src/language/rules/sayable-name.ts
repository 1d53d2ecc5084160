// Which names templates can say, and what becomes of one that they cannot: `my-step` is `my` minus `step`.

/** Words of the template language that cannot be names. */
const WORDS: ReadonlySet<string> = new Set([
  ..."and or not in is if else elif for true false none True False None null recursive".split(" "),
  ..."loop self super caller varargs kwargs".split(" "),
]);

export const isSayable = (name: string): boolean => /^[\p{ID_Start}_]\p{ID_Continue}*$/u.test(name) && !WORDS.has(name);

const NOT_IN_NAMES = /[^\p{ID_Continue}]+/gu;

/** The nearest name that templates can say. */
export function toIdentifier(name: string): string {
  const spelled = name
    .trim()
    .replace(NOT_IN_NAMES, "_")
    .replace(/^(?=\p{N})/u, "_");
  return isSayable(spelled) ? spelled : `${spelled}_step`;
}

/** The words that a template takes such a name for. */
export const wordsOf = (name: string): readonly string[] => name.split(NOT_IN_NAMES).filter((word) => word !== "");
