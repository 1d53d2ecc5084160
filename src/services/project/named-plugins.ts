// The plugins that a project names: where each is, and why one of them cannot be loaded at all.
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Finding, Location } from "../../language/loaded.ts";
import { isBelow } from "../below.ts";
import type { Covered } from "./covered.ts";
import { cover } from "./covered-files.ts";

export interface NamedPlugin {
  /** As it is written. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  readonly place: Location;
}

export const namedPlugins = (names: readonly string[], dir: string, at: (index: number) => Location): NamedPlugin[] =>
  names.map((name, index) => ({ name, file: resolve(dir, name), place: at(index) }));

/** Adds them, and what they take in, to what trust covers; gives what is wrong with them. */
export function coverPlugins(plugins: readonly NamedPlugin[], dir: string, covered: Covered): readonly Finding[] {
  return plugins.flatMap((plugin) => {
    const problem = misplaced(plugin, dir) ?? unreadable(plugin, dir, covered);
    if (!problem) return [];
    return [{ ...problem, severity: "error" as const, location: plugin.place, suggestions: [] }];
  });
}

type Problem = Pick<Finding, "rule" | "message">;

function misplaced({ name, file }: NamedPlugin, dir: string): Problem | undefined {
  if (!existsSync(file))
    return { rule: "missing-file", message: `There is no file \`${name}\`. Paths are relative to this file.` };
  if (!statSync(file).isFile())
    return {
      rule: "unreadable-file",
      message: `The plugin \`${name}\` is no file but a folder, a pipe or a device, and code is loaded from files only.`,
    };
  if (!isBelow(file, dir))
    return {
      rule: "unreadable-file",
      message: `The plugin \`${name}\` is not below this file's folder, and only code from there is loaded. Move it there.`,
    };
  return undefined;
}

function unreadable({ name, file }: NamedPlugin, dir: string, covered: Covered): Problem | undefined {
  try {
    cover(file, dir, covered);
    return undefined;
  } catch (problem) {
    const why = (problem as Error).message;
    return { rule: "unreadable-file", message: `What the plugin \`${name}\` takes in cannot be read: ${why}.` };
  }
}
