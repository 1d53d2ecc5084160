// The bin. Answers --version before anything is loaded, and hands everything else to the command line.
// Only this file may import every face, so the command line gets the others from here, as promises not yet made.
import type { OtherFaces } from "./frontends/cli/command.ts";

/** Put in by the build. */
declare const SEGNO_VERSION: string;

const faces: OtherFaces = {
  lsp: () => import("./features/editor/server/index.ts"),
  mcp: () => import("./frontends/mcp/index.ts"),
  server: () => import("./frontends/server/index.ts"),
};

/** Straight to the file descriptor: building process.stdout takes longer than all the rest of this answer. */
function printVersion(): void {
  try {
    process.getBuiltinModule("node:fs").writeSync(1, `${SEGNO_VERSION}\n`);
  } catch {
    // stdout is closed.
  }
}

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) printVersion();
else void import("./frontends/cli/start.ts").then(({ start }) => start(args, { version: SEGNO_VERSION, faces }));
