// The folders that a client has open, asked for once and again when it says that they changed.
import { fileURLToPath } from "node:url";

interface Root {
  readonly uri: string;
}

export class ClientRoots {
  #known: Promise<readonly string[]> | undefined;

  forget(): void {
    this.#known = undefined;
  }

  /** Empty when the client has none to give, or does not answer. */
  folders(ask: () => Promise<readonly Root[]>): Promise<readonly string[]> {
    this.#known ??= ask().then(
      (roots) => roots.flatMap(({ uri }) => folderOf(uri)),
      () => {
        this.#known = undefined;
        return [];
      },
    );
    return this.#known;
  }
}

function folderOf(uri: string): readonly string[] {
  try {
    return uri.startsWith("file:") ? [fileURLToPath(uri)] : [];
  } catch {
    return [];
  }
}
