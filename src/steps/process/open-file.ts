// Opens a file that others may have put there. Without O_NONBLOCK the open itself would wait for a pipe's writer.
import { constants, lstatSync, openSync } from "node:fs";

/** Windows has neither, and no such pipes in folders. */
type Flags = Partial<Pick<typeof constants, "O_NOFOLLOW" | "O_NONBLOCK">>;

/** `noLink`: throws with the code ELOOP for a link. */
export function openForReading(
  path: string,
  { noLink = false }: { readonly noLink?: boolean } = {},
  { O_NOFOLLOW, O_NONBLOCK = 0 }: Flags = constants,
): number {
  if (noLink && O_NOFOLLOW === undefined && lstatSync(path).isSymbolicLink())
    throw Object.assign(new Error(`${path} is a link`), { code: "ELOOP" });
  return openSync(path, constants.O_RDONLY | O_NONBLOCK | (noLink ? (O_NOFOLLOW ?? 0) : 0));
}
