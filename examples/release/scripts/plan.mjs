import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { answer, aWhile, raise, work } from "./shared.mjs";

const [bump = "minor"] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(work, "package.json"), "utf8"));
const part = ["major", "minor", "patch"].indexOf(bump);
if (part < 0) raise("release.bad_bump", `${bump} is no part of a version; say major, minor or patch`, { bump });

const notes = readdirSync(join(work, "changes"))
  .filter((name) => name.endsWith(".md"))
  .sort()
  .map((name) => readFileSync(join(work, "changes", name), "utf8").trim());
if (notes.length === 0)
  raise("release.nothing_new", `${version} is up to date: there are no changes to release`, { version });

const numbers = version.split(".").map(Number);
const next = numbers.map((number, index) => (index < part ? number : index === part ? number + 1 : 0)).join(".");
await aWhile(0.3);
answer({ version: next, before: version, notes });
