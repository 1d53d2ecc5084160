// `segno lsp`, `segno mcp` and `segno serve`: hand over to the faces that speak these protocols.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { unlessItThrows } from "../../../base/errors/mapping.ts";
import type { Head } from "../../../base/results/result.ts";
import type { Call } from "../command.ts";
import type { Output } from "../output.ts";
import { refuse, UsageError } from "../usage-error.ts";

export async function lspCommand({ asked, faces }: Call): Promise<number> {
  const { serveLsp } = await faces.lsp();
  return serveLsp(asked);
}

export async function mcpCommand({ asked, output, faces }: Call): Promise<number> {
  requireFolders(asked.list("root"), asked.cwd);
  if (asked.number("port") !== undefined && !asked.flag("http"))
    throw new UsageError("--port needs --http: over stdio there is no port.");
  const { serveMcp } = await faces.mcp();
  return serveMcp(asked, output);
}

export async function serveCommand({ asked, output, faces }: Call): Promise<number> {
  requireFolders([asked.text("root") ?? "."], asked.cwd);
  return served(await (await faces.server()).serve(asked, output), output);
}

/** The exit code of what was served until a signal came, or the answer that refused to. */
export function served(answer: number | Head, output: Output): number {
  if (typeof answer === "number") return answer;
  if (output.format === "text") refuse(answer, output);
  else output.json(answer);
  return answer.exit_code ?? 2;
}

/** A misspelled one would have nothing to show, and nothing would say why. */
function requireFolders(roots: readonly string[], cwd: string): void {
  for (const root of roots)
    if (!unlessItThrows(() => statSync(resolve(cwd, root)).isDirectory(), false))
      throw new UsageError(`--root must be a folder: ${resolve(cwd, root)} is not one.`);
}
