// What a driver's or the file system's error means for a store. The two drivers report the same SQLite codes differently.

export type Fault = "readonly" | "full" | "locked" | "corrupt" | "io" | "missing";

const BY_SQLITE: Readonly<Record<number, Fault>> = {
  1: "corrupt", // SQLITE_ERROR: our own statements fail to compile only over a schema that is not ours
  5: "locked",
  6: "locked",
  8: "readonly",
  10: "io",
  11: "corrupt",
  13: "full",
  14: "io",
  23: "readonly",
  26: "corrupt",
};

const BY_ERRNO: Readonly<Record<string, Fault>> = {
  EACCES: "readonly",
  EPERM: "readonly",
  EROFS: "readonly",
  ENOSPC: "full",
  EDQUOT: "full",
  ENOENT: "missing",
};

interface Coded {
  readonly code?: unknown;
  readonly rawCode?: unknown;
  readonly errcode?: unknown;
}

/** SQLite's primary result code, if the error is one of SQLite's. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { rawCode, errcode } = error as Coded;
  const code = typeof rawCode === "number" ? rawCode : errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

const SQLITE_CONSTRAINT = 19;

export const isConstraint = (error: unknown): boolean => sqliteCode(error) === SQLITE_CONSTRAINT;

export const isLocked = (error: unknown): boolean => {
  const code = sqliteCode(error);
  return code !== undefined && BY_SQLITE[code] === "locked";
};

export function faultOf(error: unknown): Fault {
  const code = sqliteCode(error);
  if (code !== undefined) return BY_SQLITE[code] ?? "io";
  const errno = (error as Coded | null)?.code;
  return (typeof errno === "string" ? BY_ERRNO[errno] : undefined) ?? "io";
}
