// What the user's own folder remembers of projects: which are trusted, and which notices were shown today. Neither a
// project's `home` nor SEGNO_HOME changes where that is: a clone could bring such a folder along.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMapping } from "../../base/errors/mapping.ts";
import { userFolder } from "../../base/results/run-home.ts";
import { refusal } from "../refusals.ts";
import { exposure } from "../session/find-project.ts";
import type { Session } from "../session/session.ts";

type Where = Pick<Session, "env">;

export interface TrustedProject {
  readonly file: string;
  readonly digest: string;
  readonly at: string;
}

function bookOf({ env }: Where): string | undefined {
  const folder = userFolder(env);
  return folder === undefined ? undefined : join(folder, ".segno", "trusted.json");
}

export function trustedProjects(where: Where): readonly TrustedProject[] {
  const book = bookOf(where);
  let read: unknown;
  try {
    if (book === undefined || exposed(book) !== undefined) return [];
    read = JSON.parse(readFileSync(book, "utf8"));
  } catch {
    // Not there, or damaged: nothing is trusted then.
    return [];
  }
  if (!isMapping(read)) return [];
  return Object.entries(read).flatMap(([file, one]) =>
    isMapping(one) && typeof one.digest === "string" ? [{ file, digest: one.digest, at: String(one.at ?? "") }] : [],
  );
}

export const isTrusted = (
  project: Pick<TrustedProject, "file" | "digest"> & { readonly untrustable?: string },
  where: Where,
): boolean =>
  project.untrustable === undefined &&
  trustedProjects(where).some(({ file, digest }) => file === project.file && digest === project.digest);

export const wasOnceTrusted = (project: Pick<TrustedProject, "file">, where: Where): boolean =>
  trustedProjects(where).some(({ file }) => file === project.file);

export function trust(project: Pick<TrustedProject, "file" | "digest">, where: Where): void {
  const others = trustedProjects(where).filter(({ file }) => file !== project.file);
  write([...others, { file: project.file, digest: project.digest, at: new Date().toISOString() }], where);
}

/** False when it was not trusted. */
export function revoke(file: string, where: Where): boolean {
  const all = trustedProjects(where);
  const others = all.filter((one) => one.file !== file);
  if (others.length === all.length) return false;
  write(others, where);
  return true;
}

function write(projects: readonly TrustedProject[], where: Where): void {
  const book = bookOf(where);
  if (book === undefined)
    throw refusal("there is no folder of yours to remember it in: HOME is not set, and the system knows none", {
      hint: "Set HOME to a folder of your own.",
    });
  const folder = dirname(book);
  if (mkdirSync(folder, { recursive: true, mode: 0o700 })) chmodSync(folder, 0o700);
  const why = exposed(folder);
  if (why !== undefined)
    throw refusal(`${why}, so others could say there what you trust`, { hint: "Set HOME to a folder of your own." });
  const all = Object.fromEntries(projects.map(({ file, digest, at }) => [file, { digest, at }]));
  writeForUserAlone(book, `${JSON.stringify(all, null, 2)}\n`);
}

/** There whole or not at all, and for this user alone. */
export function writeForUserAlone(path: string, text: string): void {
  const draft = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}

/** Of the book or its folder, wherever the user has put them. With `sudo`, HOME may still be another user's. */
function exposed(path: string): string | undefined {
  const real = realpathSync(path);
  return exposure(real, real.endsWith(".json") ? dirname(real) : real);
}

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
    writeForUserAlone(book, JSON.stringify(Object.fromEntries(said)));
  } catch {
    // Nothing depends on it.
  }
}
