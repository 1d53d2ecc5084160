import { readdirSync } from "node:fs";
import { answer, aWhile, work } from "./shared.mjs";

const files = readdirSync(work, { recursive: true, withFileTypes: true })
  .filter(
    (entry) =>
      entry.isFile() && !/^(state\.json|test\.mjs)$|\.tgz$/.test(entry.name) && !entry.parentPath.includes("changes"),
  )
  .map((entry) => `${entry.parentPath}/${entry.name}`.slice(work.length + 1))
  .sort();
await aWhile(0.2);
answer({ files });
