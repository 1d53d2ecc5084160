// Mistakes in who people are: each would let the wrong person answer a gate, or nobody.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readProject } from "./read-project.ts";

const TOKEN = "a-token-that-is-long";
const SHA256 = createHash("sha256").update(TOKEN).digest("hex");

function findingsOf(yaml: string, env: Readonly<Record<string, string>> = {}): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "segno-people-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "segno.yaml");
  writeFileSync(file, yaml);
  const { findings } = readProject(file, env);
  for (const { message } of findings) expect(message).not.toContain(TOKEN);
  return findings.map(({ rule, location: { line, column } }) => `${rule} ${line}:${column}`);
}

it.each([
  ["as they are", `token: ${TOKEN}`, `token: ${TOKEN}`, "duplicate-token 3:17"],
  ["one of them as its digest", `token: ${TOKEN}`, `token_sha256: ${SHA256}`, "duplicate-token 3:24"],
  ["from the environment", "token: ${ONE}", "token: ${TWO}", "duplicate-token 3:17"],
])("says where two people have the same token: %s", (_, alex, sam, finding) => {
  const yaml = `people:\n  alex: { ${alex} }\n  sam: { ${sam} }\n`;
  expect(findingsOf(yaml, { ONE: TOKEN, TWO: TOKEN })).toEqual([finding]);
});

it("says where two people have the same user", () => {
  const yaml = "people:\n  alex: { user: alex@box }\n  sam: { user: alex@box }\n";
  expect(findingsOf(yaml)).toEqual(["duplicate-user 3:16"]);
});

it("takes tokens that the environment leaves empty for none", () => {
  const yaml = 'people:\n  alex: { token: "${ONE:-}" }\n  sam: { token: "${TWO:-}" }\n';
  expect(findingsOf(yaml)).toEqual([]);
});

it("says where a group is in a group, in a circle or not, and where nobody is meant", () => {
  const yaml = `people: { alex: { user: alex@box } }
groups:
  one: [alex, "@two"]
  two: ["@one"]
  three: [sam@box, sma]
`;
  expect(findingsOf(yaml)).toEqual(["group-in-group 3:15", "group-in-group 4:9", "unknown-name 5:20"]);
});
