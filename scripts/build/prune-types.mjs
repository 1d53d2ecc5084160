// Leaves of the declarations those that the package's doors lead to, name by name: the rest is internal, and needs packages
// that users do not have. What is left speaks of the files that are there, and those end in .js.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|function|const|let|class|enum) (\w+)/;
const LIST = /^(import|export)(?: type)? \{([^}]*)\}(?: from "([^"]+)")?;/;
const WHOLE = /^(?:export \*(?: as \w+)?|import(?: type)? (?:\* as )?\w+) from "(\.[^"]+)"/;
const PACKAGE = /^import(?: type)? \* as (\w+) from "([^".][^"]*)"/;
/** To a library of TypeScript, which the file needs whatever is left of it. */
const REFERENCE = /^\/\/\/ .*\n/gm;
const IN_PLACE = /import\("(\.[^"]+)"\)/g;

/** Removes what cannot be reached from `doors`, paths below `folder`. */
export function pruneTypes(folder, doors) {
  const files = new Map();
  const fileOf = (path) => {
    if (!files.has(path)) {
      const text = readFileSync(path, "utf8");
      const references = text.match(REFERENCE) ?? [];
      files.set(path, { references, parts: partsOf(text.replace(REFERENCE, "")), reached: new Set() });
    }
    return files.get(path);
  };
  const reachAll = (path) => {
    for (const part of fileOf(path).parts) reachPart(path, part);
  };
  const reachName = (path, name) => {
    const { parts } = fileOf(path);
    const own = parts.filter((part) => part.names.has(name));
    // What the file does not name itself comes from a file that it passes on.
    for (const part of own.length > 0 ? own : parts.filter(({ isWhole }) => isWhole)) reachPart(path, part, name);
  };
  const reachPart = (path, part, name) => {
    const { reached } = fileOf(path);
    const mark = part.isList ? `${part.text} ${name ?? "*"}` : part;
    if (reached.has(mark)) return;
    reached.add(mark).add(part);
    if (part.isList) {
      for (const [local, other] of part.names) {
        if (name !== undefined && local !== name) continue;
        part.kept.add(local);
        if (!part.from) reachName(path, other);
        else if (part.from.startsWith(".")) reachName(declared(path, part.from), other);
      }
      return;
    }
    if (part.package) throw new Error(`${path} needs ${part.package}, which users may not have, for a declaration`);
    if (part.isWhole) return reachAll(declared(path, part.from));
    for (const [, from] of part.text.matchAll(IN_PLACE)) reachAll(declared(path, from));
    const words = new Set(part.text.replace(/\/\*[\s\S]*?\*\//g, "").match(/\w+/g));
    for (const other of fileOf(path).parts)
      for (const local of other.names.keys())
        if (other !== part && words.has(local) && !(other.isList && other.isExport)) reachPart(path, other, local);
  };
  for (const door of doors) reachAll(resolve(folder, door));
  for (const [path, { references, parts, reached }] of files) {
    const left = parts.filter((part) => reached.has(part) || part.text === "export {};").map(textOf);
    writeFileSync(
      path,
      `${references.join("")}${left.join("\n")}\n`.replace(/((?:from |import\()"\.[^"]+)\.ts"/g, '$1.js"'),
    );
  }
  removeBut(new Set(files.keys()), resolve(folder));
}

/** The top-level statements of a file, each with its comment. */
function partsOf(text) {
  const parts = [];
  let lines = [];
  let isComment = false;
  for (const line of text.trimEnd().split("\n")) {
    const begins = /^(?:\/\*\*|[a-z])/.test(line) && !isComment && isEnded(lines);
    if (begins) {
      parts.push(lines.join("\n"));
      lines = [];
    }
    lines.push(line);
    if (/^\/\*\*/.test(line)) isComment = true;
    if (/\*\/$/.test(line)) isComment = false;
  }
  return [...parts, lines.join("\n")].map(partOf);
}

/** A comment has its statement after it, and may also stand within a union of types. */
function isEnded(lines) {
  const last = lines.at(-1) ?? "";
  return last.endsWith(";") || (last === "}" && !lines.some((line) => /^(?:export )?(?:declare )?type /.test(line)));
}

function partOf(text) {
  const said = text.replace(/^\/\*\*[\s\S]*?\*\/\n/, "");
  const list = LIST.exec(said);
  if (list) {
    const [, word, inner, from] = list;
    const isExport = word === "export";
    const names = new Map();
    for (const one of inner.split(",").map((each) => each.trim().replace(/^type /, ""))) {
      if (one === "") continue;
      const [first, second = first] = one.split(" as ");
      names.set(second, first);
    }
    return { text, names, from, isExport, isList: true, kept: new Set() };
  }
  const whole = WHOLE.exec(said);
  if (whole) return { text, names: new Map(), from: whole[1], isWhole: true };
  const [, local, from] = PACKAGE.exec(said) ?? [];
  if (local) return { text, names: new Map([[local, local]]), package: from };
  const name = DECLARED.exec(said)?.[1];
  // What is not understood would be left out without a word.
  if (name === undefined && said.trim() !== "" && said !== "export {};") throw new Error(`cannot prune: ${said}`);
  return { text, names: new Map(name === undefined ? [] : [[name, name]]) };
}

function textOf({ text, isList, names, kept }) {
  if (!isList || names.size === 0) return text;
  const inner = /\{([^}]*)\}/.exec(text)[1].split(",");
  const left = inner
    .map((each) => each.trim())
    .filter((each) =>
      kept.has(
        each
          .replace(/^type /, "")
          .split(" as ")
          .at(-1),
      ),
    );
  return text.replace(/\{[^}]*\}/, () => `{ ${left.join(", ")} }`);
}

function declared(file, path) {
  const found = resolve(dirname(file), path.replace(/\.[jt]s$/, ".d.ts"));
  if (!existsSync(found)) throw new Error(`${file} imports ${path}, which is not declared`);
  return found;
}

/** True when nothing is left of the folder. */
function removeBut(kept, folder) {
  let isEmpty = true;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const isGone = entry.isDirectory() ? removeBut(kept, path) : !kept.has(path);
    if (isGone) rmSync(path, { recursive: true, force: true });
    else isEmpty = false;
  }
  return isEmpty;
}
