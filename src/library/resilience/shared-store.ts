// The store in which programs without workflows share breakers and dead letters: opened when it is first needed. Nothing of
// it keeps the process alive.
import type { RunStore } from "../../hosts/store.ts";
import type { StoreAddress } from "../options.ts";

export class SharedStore {
  #opened: Promise<RunStore> | undefined;

  constructor(private readonly address: StoreAddress) {}

  /** One that could not be opened is tried again by the next who asks. */
  open(): Promise<RunStore> {
    this.#opened ??= opened(this.address).catch((problem: unknown) => {
      this.#opened = undefined;
      throw problem;
    });
    return this.#opened;
  }

  /** Opened again by the next who asks. */
  async close(): Promise<void> {
    const open = this.#opened;
    this.#opened = undefined;
    await (await open)?.close();
  }
}

async function opened(address: StoreAddress): Promise<RunStore> {
  const [{ storeFor }, { standingOf }, { placeOf }] = await Promise.all([
    import("../../services/session/store.ts"),
    import("../standing.ts"),
    import("../store.ts"),
  ]);
  return storeFor(standingOf(placeOf(address)));
}
