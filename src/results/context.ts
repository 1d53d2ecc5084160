// What a result needs beside the run's state: how things are shown here, and who may read what.
import type { Envelope } from "../errors/index.ts";
import type { Redactor } from "../redact/index.ts";
import type { Reader } from "./reader.ts";
import type { Artifacts, Place } from "./result.ts";

export interface ErrorPlace {
  /** The step that raised it; null for the workflow's own output. */
  readonly node: string | null;
  /** Slots of the sub-workflows that lead to it. */
  readonly path: readonly string[];
  readonly error: Envelope | null;
}

export interface ResultContext {
  /** For callers that need the run's state only: no list of its steps is made. */
  readonly withoutSteps?: boolean;
  readonly redactor: Redactor;
  /** The file as shown to the user: relative to where they stand. */
  readonly file: string | null;
  readonly artifacts: Artifacts | null;
  readonly locate?: (place: ErrorPlace) => Place | undefined;
  /** Whether the file's own policy retries an error; nothing where it does not say, and the registry does. */
  readonly retries?: (place: ErrorPlace & { readonly error: Envelope }) => boolean | undefined;
  /** What the file's error routes at a step do with a kind before it leaves; nothing where none takes it. */
  readonly routedBy?: (place: Omit<ErrorPlace, "error">, kind: string) => "retry" | "propagate" | undefined;
  /** Who reads the hints; people at a terminal if it is left out. */
  readonly reader?: Reader;
  /** Epoch milliseconds, for a run that a process drives: until when it, and what runs in it, counts. */
  readonly now?: number;
  /** No process drives the run any more, and its last drive recorded no end: it crashed. */
  readonly interrupted?: boolean;
}
