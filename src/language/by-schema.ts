// The door to everything that knows a schema. The command line opens it only for a file with something unusual in it.
import type { Mapping } from "../errors/mapping.ts";
import type { StepTypes } from "../steps/types.ts";
import type { Page } from "./page.ts";
import { type FileRead, readFile } from "./read-file.ts";
import { STEP_TYPES } from "./schema/index.ts";
import { warnWithoutEffect as warn } from "./unsupported.ts";

const all = (own: StepTypes | undefined): StepTypes => (own ? { ...STEP_TYPES, ...own } : STEP_TYPES);

/** Reads a file part by part; what is wrong is said on its page. */
export function readBySchema(value: Mapping, page: Page, ownTypes?: StepTypes): FileRead {
  return readFile(value, page, all(ownTypes));
}

/** Warns about every option of a file that has no effect. */
export function warnWithoutEffect(value: Mapping, page: Page, ownTypes?: StepTypes): void {
  warn(value, page, all(ownTypes));
}
