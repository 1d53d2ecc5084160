// `segno lsp`: the language server on stdio. Nothing of the protocol is loaded before this.
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import { version } from "../../../services/session/home.ts";
import type { Session } from "../../../services/session/session.ts";
import { serveConnection } from "./server.ts";

export { type LspOptions, serveConnection } from "./server.ts";

/** What the command line was asked; the part of it that is needed here. */
interface Asked {
  readonly session: Session;
}

export async function serveLsp({ session }: Asked): Promise<number> {
  const reader = new StreamMessageReader(process.stdin);
  const writer = new StreamMessageWriter(process.stdout);
  const connection = createProtocolConnection(reader, writer);
  reader.onError((problem) => {
    const why = problem instanceof SyntaxError ? "it is no JSON" : "its header must be Content-Length and a number";
    process.stderr.write(`segno lsp: cannot read a message of the editor: ${why}.\n`);
  });
  try {
    return await serveConnection(connection, { session, version: version() });
  } finally {
    connection.dispose();
  }
}
