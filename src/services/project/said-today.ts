// What a command says of a project that is not trusted: once a day and project, and again when there is something else to
// say. Remembered in the user's own folder, as trust is: a clone must not be able to silence it.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { userFolder } from "../../results/run-home.ts";
import type { Session } from "../session/session.ts";
import { exposure } from "./exposure.ts";

const DAY_MS = 24 * 3600 * 1000;

interface Said {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** True when it was not said within a day, and remembers that it is now. Where nothing can be remembered it is always true. */
export function isNewToday(
  project: string,
  text: string,
  { env, now }: Pick<Session, "env"> & { readonly now: number },
): boolean {
  const folder = userFolder(env);
  if (folder === undefined) return true;
  const book = join(folder, ".segno", "notices.json");
  const said = readSaid(book, now);
  if (said.get(project)?.text === text) return false;
  remember(book, said.set(project, { text, at: now }));
  return true;
}

/** Of the last day; what others may have written says nothing. */
function readSaid(book: string, now: number): Map<string, Said> {
  try {
    const real = realpathSync(book);
    if (exposure(real, dirname(real)) !== undefined) return new Map();
    const read: unknown = JSON.parse(readFileSync(real, "utf8"));
    const isRecent = ({ at }: Said): boolean => at <= now && now - at < DAY_MS;
    return new Map(
      Object.entries(isMapping(read) ? read : {}).filter(
        (entry): entry is [string, Said] => isSaid(entry[1]) && isRecent(entry[1]),
      ),
    );
  } catch {
    return new Map();
  }
}

const isSaid = (value: unknown): value is Said =>
  isMapping(value) && typeof value.text === "string" && typeof value.at === "number";

/** A folder that cannot be written costs the notice again next time, and nothing else. */
function remember(book: string, said: ReadonlyMap<string, Said>): void {
  try {
    // Only in a folder that is there: making folders on the way never ends below /proc.
    if (!existsSync(dirname(book))) mkdirSync(dirname(book), { mode: 0o700 });
    const draft = `${book}.${randomBytes(6).toString("hex")}.tmp`;
    writeFileSync(draft, JSON.stringify(Object.fromEntries(said)), { mode: 0o600, flag: "wx" });
    renameSync(draft, book);
  } catch {
    // Nothing depends on it.
  }
}
