// Milliseconds that a one-row commit takes in a new process, with rows as long as a step leaves them.
//
//   node commits.mjs FOLDER COUNT BYTES
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, count, bytes] = process.argv.slice(2);
const Database = createRequire(import.meta.url)("libsql");
const database = new Database(join(folder, `floor-${randomUUID()}.db`));
database.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL");
database.exec("CREATE TABLE batches (first_seq INTEGER PRIMARY KEY, last_seq INTEGER, data TEXT)");
const insert = database.prepare("INSERT INTO batches VALUES (?, ?, ?)");
const payload = "x".repeat(Number(bytes));
const began = performance.now();
for (let at = 0; at < count; at++) insert.run([at, at, payload]);
console.log((performance.now() - began) / count);
