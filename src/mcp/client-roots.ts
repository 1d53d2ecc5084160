// Below which folders a client works: those of `--root`, else those that it has open, else where the server was started.
import { fileURLToPath } from "node:url";
import { type ClientCapabilities, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import type { Era, Questions, Round } from "./ask-client.ts";
import type { Serving } from "./session.ts";

export class ClientRoots {
  /** Of an old client, which says when they change; a new one is asked at every request that needs them. */
  #known: readonly string[] | undefined;

  constructor(
    private readonly serving: Serving,
    private readonly era: Era,
  ) {}

  forget(): void {
    this.#known = undefined;
  }

  toAsk({ roots }: ClientCapabilities): Questions["ask"] {
    const isKnown = this.serving.roots.length > 0 || this.#known !== undefined;
    return isKnown || !roots ? {} : { roots: inputRequired.listRoots() };
  }

  /** Nothing while the client has to be asked. One that does not answer has none to give. */
  folders(capabilities: ClientCapabilities, { state, answers = {} }: Round): readonly string[] | undefined {
    const { roots, session } = this.serving;
    if (roots.length > 0) return roots;
    const known = this.#known ?? state?.roots;
    if (known) return known;
    if (!state && capabilities.roots) return undefined;
    const response = inputResponse({ ...answers }, "roots");
    const given = response.kind === "roots" ? response.roots.flatMap(({ uri }) => folderOf(uri)) : [];
    const folders = given.length > 0 ? given : [session.cwd];
    if (this.era === "legacy" && response.kind === "roots") this.#known = folders;
    return folders;
  }
}

function folderOf(uri: string): readonly string[] {
  try {
    return uri.startsWith("file:") ? [fileURLToPath(uri)] : [];
  } catch {
    return [];
  }
}
