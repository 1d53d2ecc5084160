// A gzip of JSON lines: enough of an archive to be read back and compared.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { answer, aWhile, work } from "./shared.mjs";

const [version = "0.0.0"] = process.argv.slice(2);
const hashes = JSON.parse(readFileSync(0, "utf8"));
const lines = hashes.map(({ file, sha256 }) =>
  JSON.stringify({ file, sha256, text: readFileSync(join(work, file), "utf8") }),
);
const packed = gzipSync(lines.join("\n"));
const name = `tally-${version}.tgz`;
writeFileSync(join(work, name), packed);
await aWhile(0.3);
answer({
  path: `release/work/${name}`,
  bytes: packed.length,
  sha256: createHash("sha256").update(packed).digest("hex"),
});
