import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { answer, aWhile, keep, project, work } from "./shared.mjs";

rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
cpSync(project, work, { recursive: true });
const calm = process.argv[2] === "True" || process.argv[2] === "true";
// A repository in a nutshell: where the branch is, and what we know of it.
keep({ head: "c1", seen: "c1", tags: {}, uploads: 0, busyFor: calm ? 0 : 2, colleaguePushes: !calm });
await aWhile(0.2);
const { version } = JSON.parse(readFileSync(join(work, "package.json"), "utf8"));
answer({ folder: work, version });
