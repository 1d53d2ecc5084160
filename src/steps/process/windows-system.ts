// Programs that Windows itself has, by their full path: what PATH or the working folder has first may be an agent's.
import { win32 } from "node:path";

export const systemFile = (...path: readonly string[]): string =>
  win32.join(process.env.SystemRoot || "C:\\Windows", "System32", ...path);
