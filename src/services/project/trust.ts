// Which projects are trusted: by file and digest, in the user's own home. A project's `home` has no say in it.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMapping } from "../../errors/mapping.ts";
import { homeOf } from "../home.ts";
import type { Surroundings } from "../request.ts";

type Where = Pick<Surroundings, "cwd" | "env">;

export interface TrustedProject {
  readonly file: string;
  readonly digest: string;
  readonly at: string;
}

const bookOf = ({ cwd, env }: Where): string => join(homeOf({ cwd, env }), "trusted.json");

export function trustedProjects(where: Where): readonly TrustedProject[] {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(bookOf(where), "utf8"));
  } catch {
    // Not there, or damaged: nothing is trusted then.
    return [];
  }
  if (!isMapping(read)) return [];
  return Object.entries(read).flatMap(([file, one]) =>
    isMapping(one) && typeof one.digest === "string" ? [{ file, digest: one.digest, at: String(one.at ?? "") }] : [],
  );
}

export const isTrusted = (project: Pick<TrustedProject, "file" | "digest">, where: Where): boolean =>
  trustedProjects(where).some(({ file, digest }) => file === project.file && digest === project.digest);

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
  const draft = `${book}.${randomBytes(6).toString("hex")}.tmp`;
  const folder = dirname(book);
  if (mkdirSync(folder, { recursive: true, mode: 0o700 })) chmodSync(folder, 0o700);
  const all = Object.fromEntries(projects.map(({ file, digest, at }) => [file, { digest, at }]));
  writeFileSync(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  renameSync(draft, book);
}
