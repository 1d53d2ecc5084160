// Writes a scenario: long values as files beside it, and only what differs from the one that it extends.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { parse, stringify } from "yaml";
import { isMapping } from "../../errors/mapping.ts";
import { loadScenario } from "../scenarios/file.ts";
import type { WrittenScenario } from "./scenario-of-run.ts";

/** Longer values go into files beside the scenario. */
const LONGEST_INLINE = 4096;

/** For values that are too long for the scenario itself. */
export const folderOf = (file: string): string => file.replace(/(\.scenario)?\.ya?ml$/, "");

interface Saving {
  /** Comments above it. */
  readonly notes: readonly string[];
  readonly cwd: string;
  /** A scenario whose fields are left out here. */
  readonly base?: string | undefined;
}

export function saveScenario(file: string, scenario: WrittenScenario, { notes, cwd, base }: Saving): void {
  const folder = folderOf(file);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const shared = base === undefined ? scenario : difference(scenario, file, { cwd, base });
  let count = 0;
  /** A long value as a file of its own, where that is read back as it was. */
  const large = (value: unknown): unknown => {
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
    if (text === undefined || text.length <= LONGEST_INLINE) return inside(value);
    const isText = typeof value === "string";
    if (isText && !staysText(value)) return value;
    const parts = isText ? value : inside(value);
    if (!isText && JSON.stringify(parts) !== JSON.stringify(value)) return parts;
    count += 1;
    const name = `${count}.${isText ? "txt" : "json"}`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), text);
    return new Included(`${basename(folder)}/${name}`);
  };
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(large);
    if (!isMapping(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, large(one)]));
  };
  const sections = Object.fromEntries(Object.entries(shared).map(([key, value]) => [key, inside(value)]));
  const comment = notes.map((note) => `# ${note.replaceAll("\n", " ")}\n`).join("");
  writeFileSync(file, comment + stringify(sections, { lineWidth: 0, customTags: [INCLUDED] }));
}

/** Text that YAML takes for a structure would come back as one. */
function staysText(text: string): boolean {
  if (text.includes("\r")) return false;
  try {
    return typeof parse(text) !== "object";
  } catch {
    return true;
  }
}

class Included {
  constructor(readonly path: string) {}
}

const INCLUDED = {
  tag: "!file",
  identify: (value: unknown) => value instanceof Included,
  resolve: (text: string) => new Included(text),
  stringify: ({ value }: { value?: unknown }) => (value as Included).path,
};

/** Without what the base has already. */
function difference(
  scenario: WrittenScenario,
  file: string,
  { cwd, base }: { readonly cwd: string; readonly base: string },
): WrittenScenario {
  const path = resolve(cwd, base);
  const there = loadScenario(base, cwd).scenario as WrittenScenario;
  const own: WrittenScenario = { extends: relative(dirname(file), path).split(sep).join("/") };
  for (const [name, value] of Object.entries(scenario)) {
    if (name === "workflow" || same(value, there[name])) continue;
    const known = there[name];
    own[name] =
      name !== "expected_trace" && isMapping(value) && isMapping(known)
        ? Object.fromEntries(Object.entries(value).filter(([key, one]) => !same(one, known[key])))
        : value;
  }
  return own;
}

/** As the file is read: defaults filled in count as nothing. */
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
