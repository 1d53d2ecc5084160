// Where the text of a stream comes from: the file beside the journal when there is one, which holds all of it, otherwise the
// log, which holds its first 10 MiB. Both give it without secrets, a piece at a time.
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { HIDDEN_MARK, SPILL_FOLDER, type SpillingAttempt, spillName } from "../../../steps/process/spill-file.ts";
import type { WatchedRun } from "../watched-run.ts";

export type StreamName = "stdout" | "stderr";

/** One stream of one attempt, as far as events tell of it. */
export interface PrintedBy extends SpillingAttempt {
  readonly stream: StreamName;
  /** The event that began the attempt. */
  readonly from: number;
  /** The last event that can be of the attempt; null while it runs. */
  readonly to: number | null;
  /** Another attempt has written over its file. */
  readonly isOverwritten: boolean;
}

export interface PrintedSource {
  /** The next piece; nothing when there is no more for now. */
  next(): Promise<string | undefined>;
  close(): Promise<void>;
}

const PIECE = 64 * 1024;

/**
 * The file with all of it, when there is one on this machine. One of another machine's run whose secrets are forgotten
 * may hold secrets that are no longer known.
 */
export async function spillOf(run: WatchedRun, printed: PrintedBy): Promise<string | undefined> {
  if (printed.isOverwritten) return undefined;
  const folder = join(run.reader.folder, SPILL_FOLDER);
  const path = join(folder, spillName(printed, printed.stream));
  if (!(await isFile(path))) return undefined;
  const isUnsafe = (await run.reader.hasForgottenSecrets()) && !(await isFile(join(folder, HIDDEN_MARK)));
  return isUnsafe ? undefined : path;
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true;

export function fromSpill(path: string, run: WatchedRun, now: () => PrintedBy): PrintedSource {
  const decoder = new StringDecoder("utf8");
  const redacting = run.redactor.stream();
  const buffer = Buffer.alloc(PIECE);
  let file: FileHandle | undefined;
  let [place, isDone] = [0, false];
  return {
    async next() {
      if (isDone) return undefined;
      file ??= await open(path, "r");
      // Before it is read: what comes after the end of the process does not count.
      const isOver = now().to !== null;
      const { bytesRead } = await file.read(buffer, 0, PIECE, place);
      place += bytesRead;
      if (bytesRead > 0) return redacting.push(decoder.write(buffer.subarray(0, bytesRead)));
      if (!isOver) return undefined;
      isDone = true;
      return redacting.push(decoder.end()) + redacting.end();
    },
    close: async () => file?.close(),
  };
}

export function fromLog(run: WatchedRun, now: () => PrintedBy): PrintedSource {
  let place = now().from - 1;
  return {
    async next() {
      const { key, stream, to } = now();
      const until = Math.min(to ?? run.position, run.position);
      if (place >= until) return undefined;
      let text = "";
      for await (const stretch of run.stretches(place, until))
        for (const { event } of stretch)
          if (event.type === "script_output" && event.data.key === key && event.data.stream === stream)
            text += textOf(event.data.text);
      place = until;
      return text;
    },
    close: () => Promise.resolve(),
  };
}

/** A piece that was too long to be sent along stands as its beginning. */
const textOf = (text: unknown): string =>
  typeof text === "string" ? text : String((text as { preview?: unknown }).preview ?? "");
