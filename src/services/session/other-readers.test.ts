// Agents and programs have no command line: what they are told names none of its options.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freshStore, openTestStore, someRun } from "../../../test/support/stores/homes.ts";
import { COMMAND_LINE, type Reader, type Result } from "../../base/results/index.ts";
import { repairRun } from "../../features/history/repair/repair.ts";
import { LIBRARY_USER } from "../../frontends/library/reader.ts";
import { mcpClient } from "../../frontends/mcp/reader.ts";
import { Blobs } from "../../storage/embedded/blobs.ts";
import { migrate } from "../../storage/embedded/database-file.ts";
import { storeError } from "../../storage/files/guarded.ts";
import { openFile } from "../../storage/sqlite/open.ts";
import { LeaseLost } from "../../storage/store-error.ts";
import { checkStore, doctor } from "../doctor/index.ts";
import { openToDrive, takenOverText } from "../drive/open-to-drive.ts";
import { withRefusals } from "../refusals.ts";
import { runWorkflow } from "../runs/run.ts";
import { homeOf } from "./home.ts";

// A user without a home, as in a container.
vi.mock("node:os", async (original) => ({
  ...(await original<typeof import("node:os")>()),
  userInfo: () => {
    throw new Error("no such user");
  },
}));

const folder = mkdtempSync(join(tmpdir(), "segno-readers-"));
const here = { cwd: folder, env: { PATH: process.env.PATH }, home: join(folder, "home") };
let failed = "";
beforeAll(async () => {
  writeFileSync(
    join(folder, "broken.yaml"),
    "workflow: { name: w, entry_point: a }\nagents: [{ name: b, tpye: set }, { name: b }]\n",
  );
  writeFileSync(
    join(folder, "fails.yaml"),
    "workflow: { name: w, entry_point: a }\nagents: [{ name: a, type: set, value: '{{ workflow.input.x.y }}', routes: [{ to: $end }] }]\n",
  );
  failed = (await runWorkflow(here, { file: "fails.yaml", inputs: {} })).run_id ?? "";
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The refusal of some work, with its hint. */
async function refused(reader: Reader, work: () => unknown): Promise<string> {
  const { error, errors } = await withRefusals({ reader }, async (): Promise<Result> => {
    await work();
    throw new Error("nothing was refused");
  });
  return [error, errors[0]?.hint].filter(Boolean).join(" ");
}

const TEXTS: Readonly<Record<string, (reader: Reader) => Promise<string>>> = {
  "a user without a home": (reader) => refused(reader, () => homeOf({ cwd: folder, env: {}, reader })),
  "a provider that is not known": async (reader) => {
    const { error, errors } = await runWorkflow(
      { ...here, reader },
      { file: "fails.yaml", inputs: {}, provider: "nobody" },
    );
    return `${error} ${errors[0]?.hint}`;
  },
  "a repair with nobody to ask": async (reader) =>
    (await repairRun({ ...here, reader }, { run: failed })).repair?.reason ?? "",
  "a driver that cannot be seen": async (reader) => {
    const store = freshStore({ host: "one" });
    const { runId } = store.createRun(someRun());
    const there = openTestStore(store.home, { host: "two", elapsed: () => performance.now() * 1000 });
    let said = "";
    const watching = (text: string): void => {
      said = text;
    };
    const run = await openToDrive(there, runId, { reader, watching });
    return `${said} ${run.takenOver && takenOverText(run.takenOver)}`;
  },
  "a file with several mistakes": async (reader) =>
    (await doctor({ ...here, reader }, { file: "broken.yaml" })).checks.find(({ name }) => name === "file")?.message ??
    "",
  "a store without room or index": async (reader) => {
    const check = () => [
      { name: "space", ok: false, message: "only 3 MB free", remedy: "prune" as const },
      { name: "index", ok: false, message: "folders that are not in the index: 01A", remedy: "reindex" as const },
    ];
    const census = (): never => {
      throw new Error("not counted");
    };
    return checkStore({ check, census } as never, 0, reader)
      .map(({ message }) => message)
      .join(" ");
  },
  "a store that cannot be written": (reader) =>
    refused(reader, () => {
      throw storeError(Object.assign(new Error("denied"), { code: "EACCES" }), "opening it", "state.db");
    }),
  "a store of a newer Segno": (reader) =>
    refused(reader, () => {
      const file = openFile(join(folder, "newer.db"), { busyMs: 1000 });
      file.exec("PRAGMA file.user_version=99");
      try {
        migrate(file, [], "newer.db");
      } finally {
        file.close();
      }
    }),
  "a big value that was edited": (reader) =>
    refused(reader, () => {
      const blobs = new Blobs(folder);
      const name = blobs.keep("as it was", false);
      writeFileSync(join(folder, "blobs", name.slice("sha256:".length)), "edited");
      blobs.fetch(name);
    }),
  "a run that was taken over": (reader) =>
    refused(reader, () => {
      throw new LeaseLost("01RUN", { host: "box", pid: 7, since: "12:00" });
    }),
};

const OF_THE_COMMAND_LINE = /(^|\s|`)--?[a-z][a-z-]*\b|\bsegno [a-z]+/;

describe.each([
  ["an agent", mcpClient({ mayAnswerGates: false })],
  ["a program", LIBRARY_USER],
])("%s is told without the command line of", (_, reader) => {
  it.each(Object.entries(TEXTS))("%s", async (_name, textFor) => {
    const text = await textFor(reader);
    expect(text).not.toBe("");
    expect(text).not.toMatch(OF_THE_COMMAND_LINE);
  });
});

it.each([
  ["a user without a home", "Name one with --home or SEGNO_HOME"],
  ["a provider that is not known", "Choose one of them with --provider"],
  ["a repair with nobody to ask", "--yes allows changes"],
  ["a driver that cannot be seen", "--take-over does not wait"],
  ["a file with several mistakes", "more: segno validate broken.yaml)"],
  ["a store without room or index", "only 3 MB free. segno runs prune removes old runs."],
  ["a store without room or index", "To make it anew from the folders: segno doctor --reindex"],
  ["a store that cannot be written", "Name another place for runs with --home or SEGNO_HOME."],
  ["a store of a newer Segno", "Name another place for runs with --home or SEGNO_HOME."],
])("a person at a terminal is told of %s: %s", async (name, text) => {
  expect(await TEXTS[name]?.(COMMAND_LINE)).toContain(text);
});
