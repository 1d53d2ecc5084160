// Which projects are trusted: by file and digest, in the user's own folder. Neither a project's `home` nor SEGNO_HOME has a
// say in it: a clone can bring such a folder along.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { userFolder } from "../../results/run-home.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";
import { exposure } from "./exposure.ts";

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
  const draft = `${book}.${randomBytes(6).toString("hex")}.tmp`;
  const all = Object.fromEntries(projects.map(({ file, digest, at }) => [file, { digest, at }]));
  writeFileSync(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, book);
}

/** Of the book or its folder, wherever the user has put them. With `sudo`, HOME may still be another user's. */
function exposed(path: string): string | undefined {
  const real = realpathSync(path);
  return exposure(real, real.endsWith(".json") ? dirname(real) : real);
}
