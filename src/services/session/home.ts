// Where runs are kept, for services: a refusal where there is no such folder, or where others may write it. And which copy
// and version of the program this is.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMMAND_LINE } from "../../base/results/index.ts";
import { NO_HOME, runHome } from "../../base/results/run-home.ts";
import { refusal } from "../refusals.ts";
import { sharedWith } from "./find-project.ts";
import type { Session } from "./session.ts";

export function homeOf(session: Session): string {
  const home = runHome(session);
  const named = (): string => (session.reader ?? COMMAND_LINE).give({ what: "home" });
  if (home === undefined) throw refusal(`${NO_HOME}. Name one with ${named()}`);
  const shared = sharedWith(home);
  if (shared !== undefined)
    throw refusal(
      `${home} is not used to keep runs: it ${shared}, who could change what was recorded, answered and allowed there. Make it yours alone (chmod go-w), or name another folder with ${named()}`,
    );
  return home;
}

declare const SEGNO_VERSION: string | undefined;

/** The version of the program; what is not built is a development copy. */
export const version = (): string => (typeof SEGNO_VERSION === "string" ? SEGNO_VERSION : "0.0.0-dev");

export function packageFolder(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return folder;
}
