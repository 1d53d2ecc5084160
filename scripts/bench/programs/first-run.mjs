// The library in a new process: runs one file.
import { openStore, run } from "../../../dist/index.js";

const [file, home] = process.argv.slice(2);
const result = await run(file, { store: openStore(home) });
if (!result.success) throw new Error(result.error);
