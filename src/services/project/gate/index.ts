// Lets a project's plugins load nothing but what trust covers, and that from the bytes that were hashed.
import { existsSync, realpathSync } from "node:fs";
import { register } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { PluginLoading } from "./loading.ts";
import { guardRequire } from "./require-hooks.ts";
import type { Gate } from "./verdict.ts";

/** For the rest of the process: a plugin may still take something in while its steps run. */
export function closeGate(dir: string, files: ReadonlyMap<string, Buffer>, loading: PluginLoading): void {
  // The built program lies in a folder beside its library and the hooks.
  const hooks = new URL("../plugin-gate.js", import.meta.url);
  if (!existsSync(fileURLToPath(hooks)))
    throw new Error("the program is not built, and only the built one loads plugins");
  const gate: Gate = {
    dir: realpathSync(dir),
    program: realpathSync(dirname(fileURLToPath(hooks))),
    covered: new Map([...files].map(([file, bytes]) => [file, file.endsWith(".node") ? "" : bytes.toString("utf8")])),
    loading,
  };
  register(hooks, { data: gate });
  guardRequire(gate);
}
