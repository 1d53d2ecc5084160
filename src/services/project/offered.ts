// Which workflow files a project offers: `workflows: [flows/**/*.yaml]`.
import { relative, sep } from "node:path";

/** `**` is any number of folders, `*` any part of a name, `?` one letter. */
export function offers(patterns: readonly string[], dir: string): (file: string) => boolean {
  const all = patterns.map((pattern) => new RegExp(`^${expressionOf(pattern.replace(/^\.\//, ""))}$`));
  return (file) => {
    const way = relative(dir, file).split(sep).join("/");
    return all.some((one) => one.test(way));
  };
}

const expressionOf = (pattern: string): string =>
  pattern.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (part) => {
    if (part === "**/") return "(?:[^/]+/)*";
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    return part === "?" ? "[^/]" : `\\${part}`;
  });
