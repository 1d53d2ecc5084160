// The tests that failed, out of what Node's test runner prints as TAP: `not ok`, and a block of YAML below it.

/** [{ test, message }], of the innermost tests: that a suite failed because of them says nothing more. */
export function failuresIn(tap) {
  const lines = tap.split("\n");
  const failures = [];
  for (const [at, line] of lines.entries()) {
    const [, indent, test] = /^(\s*)not ok \d+ - (.*?)(?: # .*)?$/.exec(line) ?? [];
    if (test === undefined) continue;
    const block = blockBelow(lines, at + 1, `${indent}  `);
    if (fieldOf(block, "failureType") === "subtestsFailed") continue;
    failures.push({ test, message: fieldOf(block, "error") ?? "no message" });
  }
  return failures;
}

/** The lines between `---` and `...`, without their indent. */
function blockBelow(lines, start, indent) {
  if (lines[start] !== `${indent}---`) return [];
  const end = lines.indexOf(`${indent}...`, start);
  return lines.slice(start + 1, end === -1 ? undefined : end).map((line) => line.slice(indent.length));
}

/** A value on the line of its name, in quotes or not, or as a block of lines below it (`|-`). */
function fieldOf(block, name) {
  const at = block.findIndex((line) => line.startsWith(`${name}: `));
  if (at === -1) return undefined;
  const value = block[at].slice(name.length + 2);
  if (!/^[|>][-+]?$/.test(value)) return value.replace(/^'(.*)'$/, "$1").replaceAll("''", "'");
  const below = block.slice(at + 1);
  const end = below.findIndex((line) => line !== "" && !line.startsWith("  "));
  return below
    .slice(0, end === -1 ? undefined : end)
    .map((line) => line.slice(2))
    .join("\n")
    .trim();
}
