// The Postgres that all test files share: names a folder for it, in which the first test that needs one starts it, and ends
// it after the last. A run of tests without any that needs one starts none.
import { hasPostgres, removeServer, SHARED_FOLDER, serverFolder } from "./server.ts";

export default function setup(): (() => void) | undefined {
  if (!hasPostgres) return undefined;
  const folder = serverFolder();
  process.env[SHARED_FOLDER] = folder;
  const end = (): void => removeServer(folder);
  // Also where somebody ends the run with Ctrl-C.
  process.once("exit", end);
  return end;
}
