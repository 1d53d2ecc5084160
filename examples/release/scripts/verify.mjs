import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { answer, aWhile, raise, work } from "./shared.mjs";

const [path = ""] = process.argv.slice(2);
const entries = gunzipSync(readFileSync(join(work, basename(path))))
  .toString("utf8")
  .split("\n")
  .map((line) => JSON.parse(line));
for (const { file, sha256, text } of entries)
  if (createHash("sha256").update(text).digest("hex") !== sha256)
    raise("package.corrupt", `${file} does not come back as it went in`, { file });
await aWhile(0.2);
answer({ files: entries.length });
