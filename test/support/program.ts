// The built program in a process of its own. Each start compiles what it loads unless compiled code was kept, and a test's
// HOME is new: so all of them keep it in one folder of this checkout.
import { resolve } from "node:path";

export const PROGRAM = resolve("dist/main.cjs");

/** For the environment of whatever starts the program. */
export const KEPT_CODE = { XDG_CACHE_HOME: resolve("node_modules/.cache") };
