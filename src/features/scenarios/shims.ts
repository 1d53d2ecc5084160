// Commands that real scripts call, replaced by small programs first on the PATH. They are written before the first such
// call: many drives are set up only to be refused, and must leave nothing in the temporary folder.
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { system } from "../../steps/process/here.ts";
import { foldersLeftBehind, namedAfterThisProcess } from "../../steps/process/private-folder.ts";
import type { ScenarioFile } from "./schema.ts";

export interface Shims {
  /** The PATH with the shims first. */
  readonly path: string;
  /** Writes them, the first time. */
  make(): void;
  close(): void;
}

const PREFIX = "segno-shims-";

/** Nothing to do when the scenario is strict, or scripts no command by name. */
export function shimsFor({ cli_scripts, strict }: ScenarioFile, path: string): Shims | undefined {
  const named = cli_scripts.filter(
    ({ command, step }) => step === undefined && command !== undefined && !/[\\/]/.test(command),
  );
  if (strict !== false || named.length === 0) return undefined;
  const folder = join(tmpdir(), `${namedAfterThisProcess(PREFIX)}${randomBytes(6).toString("hex")}`);
  let isMade = false;
  return {
    path: `${folder}${delimiter}${path}`,
    make() {
      if (isMade) return;
      for (const left of foldersLeftBehind(tmpdir(), PREFIX)) rmSync(left, { recursive: true, force: true });
      // Not recursive: a folder that another user made under this name is refused, not used.
      mkdirSync(folder, { mode: 0o700 });
      isMade = true;
      for (const command of new Set(named.map((script) => script.command ?? ""))) {
        const scripts = named.filter((script) => script.command === command);
        const files = system.shim.files(command, program(command, scripts, path));
        for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 });
      }
    },
    close() {
      if (isMade) rmSync(folder, { recursive: true, force: true });
      isMade = false;
    },
  };
}

/** First entry whose args begin the call's; `times` is counted by files, since each call is a process of its own. */
const program = (
  command: string,
  scripts: readonly unknown[],
  path: string,
): string => `const { closeSync, openSync, writeFileSync } = require("node:fs");
const { spawnSync } = require("node:child_process");
const scripts = ${JSON.stringify(scripts)};
const command = ${JSON.stringify(command)};
const args = process.argv.slice(2);
const mayBeUsed = (times, index) => {
  if (times === undefined) return true;
  for (let n = 0; n < times; n++)
    try {
      closeSync(openSync(__filename + "." + index + "." + n, "wx"));
      return true;
    } catch {}
  return false;
};
const found = scripts.find((one, index) => one.args.every((arg, at) => args[at] === arg) && mayBeUsed(one.times, index));
if (found) {
  if (found.error && process.env.CONDUCTOR_ERROR_OUT) writeFileSync(process.env.CONDUCTOR_ERROR_OUT, JSON.stringify(found.error));
  process.stderr.write(found.stderr);
  process.stdout.write(found.stdout, () => process.exit(found.exit_code));
} else {
  process.env.PATH = ${JSON.stringify(path)};
  const real = spawnSync(${system.shim.real});
  if (real.error) process.stderr.write(real.error.message + "\\n");
  process.exit(real.status ?? 127);
}
`;
