// Who is at this machine, as far as the operating system knows: what is recorded with an answer that a person gave.
import { hostname, userInfo } from "node:os";

/** `alex@box`. */
export const personHere = (): string => `${user()}@${hostname()}`;

function user(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers run under numbers that have no name.
    return `uid-${process.getuid?.() ?? "unknown"}`;
  }
}
