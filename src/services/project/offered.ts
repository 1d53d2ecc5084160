// Which workflow files a project offers: `workflows: [flows/**/*.yaml]`.
import { relative, sep } from "node:path";
import { pathPattern } from "../../errors/path-pattern.ts";

export function offers(patterns: readonly string[], dir: string): (file: string) => boolean {
  const all = patterns.map((pattern) => pathPattern(pattern.replace(/^\.\//, "")));
  return (file) => {
    const path = relative(dir, file).split(sep).join("/");
    return all.some((fits) => fits(path));
  };
}
