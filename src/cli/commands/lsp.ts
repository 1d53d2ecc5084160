// `segno lsp`: hands over to the face that speaks the language server protocol.
import type { Call } from "../command.ts";
import { UsageError } from "../usage-error.ts";

export default async function lsp({ asked, faces }: Call): Promise<number> {
  if (!faces.lsp) throw new UsageError("This build has no language server.", { command: "lsp" });
  const { serveLsp } = await faces.lsp();
  return serveLsp(asked);
}
