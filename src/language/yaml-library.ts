// The YAML library, loaded when a file needs it: most are read without it (see quick/), and it takes long to start.
import { createRequire } from "node:module";
import { once } from "../steps/schema/once.ts";

export const yamlLibrary = once(() => createRequire(import.meta.url)("yaml") as typeof import("yaml"));
