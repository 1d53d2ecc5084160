// Homes for tests: a fresh folder each, removed at the end of the test.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type EmbeddedStore, openStore, type StoreOptions } from "../store.ts";

export { output, someRun } from "../../conformance/store-maker.ts";

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "segno-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function freshStore(options: StoreOptions = {}): EmbeddedStore {
  return openTestStore(join(freshFolder(), "home"), options);
}

export function openTestStore(home: string, options: StoreOptions = {}): EmbeddedStore {
  const store = openStore(home, options);
  onTestFinished(() => store.close());
  return store;
}
