// Big values of a run, each kept once, by its hash, and written before the row that speaks of it.
import type { RunEvent } from "../../events/registry.ts";
import type { DataText } from "../data-text.ts";
import { encodeRow } from "../rows/batch.ts";
import { contentHash } from "../rows/kept-text.ts";
import { blobNamesIn } from "../rows/spill.ts";
import type { Seal } from "../state/seal.ts";
import { ChangedInDatabase, type StoreError } from "../store-error.ts";
import type { Database } from "./database.ts";

/** Of the values that a text refers to. What only looks like a reference is an author's value. */
const hashesIn = (text: string): readonly string[] =>
  blobNamesIn(text).flatMap((name) => /^sha256:([0-9a-f]{64})$/.exec(name)?.[1] ?? []);

/** Events as one row; what is too big for it goes to `big`, by its hash. */
export function encodedRow(
  runId: string,
  events: readonly RunEvent[],
  dataTexts: readonly DataText[],
  big: Map<string, string>,
): string {
  const keep = (value: string): string => {
    const hash = contentHash(value);
    big.set(hash, value);
    return `sha256:${hash}`;
  };
  return encodeRow(events, dataTexts, keep, { runId, place: runId });
}

export class BlobTable {
  /** What this process has written of the run already. */
  readonly #kept = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly seal: Seal,
    private readonly runId: string,
  ) {}

  async keep(texts: ReadonlyMap<string, string>): Promise<void> {
    for (const [hash, text] of texts) {
      if (this.#kept.has(hash)) continue;
      await this.database.run(
        "insert into segno.blobs (run_id, hash, data) values ($1, $2, $3) on conflict do nothing",
        [this.runId, hash, this.seal.close(text, [this.runId, "blob", hash])],
      );
      this.#kept.add(hash);
    }
  }

  /** All that a row speaks of, and what those speak of in turn. */
  async fetch(row: string): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let wanted = hashesIn(row); wanted.length > 0; ) {
      const rows = await this.database.rows<{ hash: string; data: string }>(
        "select hash, data from segno.blobs where run_id = $1 and hash = any($2::text[])",
        [this.runId, wanted],
      );
      const next: string[] = [];
      for (const { hash, data } of rows) {
        const text = this.seal.open(data, [this.runId, "blob", hash]);
        if (contentHash(text) !== hash) throw lostValue(this.runId, hash);
        found.set(hash, text);
        next.push(...hashesIn(text).filter((one) => !found.has(one)));
      }
      for (const hash of wanted) if (!found.has(hash)) throw lostValue(this.runId, hash);
      wanted = next;
    }
    return found;
  }
}

export const lostValue = (runId: string, hash: string): StoreError =>
  new ChangedInDatabase(
    `A big value of run ${runId} (${hash.replace("sha256:", "").slice(0, 12)}) is missing or damaged. A resume that is forced runs its steps again.`,
    runId,
  );
