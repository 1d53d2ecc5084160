// The end of what a stream printed, as far as a panel shows it at once. It takes the chunks as they were recorded and
// hides secrets in the end alone: megabytes of output are not searched each time a user opens the step.
import type { Redactor } from "../../../redact/index.ts";
import { MOST_IN_MEMORY } from "../../../steps/process/capture.ts";

export interface Printed {
  readonly text: string;
  readonly bytes: number;
  readonly is_cut: boolean;
  readonly first_seq: number | null;
  readonly last_seq: number | null;
}

const SHOWN_CHARACTERS = 64 * 1024;
/** So much more is searched: a secret that begins before what is shown must be seen whole. */
const BEFORE = 64 * 1024;

export class PrintedTail {
  #chunks: string[] = [];
  #first = 0;
  #characters = 0;
  #bytes = 0;
  #firstSeq: number | null = null;
  #lastSeq: number | null = null;
  #isCut = false;

  add(text: string, seq: number): void {
    this.#chunks.push(text);
    this.#characters += text.length;
    this.#bytes += Buffer.byteLength(text);
    this.#firstSeq ??= seq;
    this.#lastSeq = seq;
    for (let oldest = this.#chunks[this.#first]; oldest !== undefined; oldest = this.#chunks[this.#first]) {
      if (this.#characters - oldest.length < SHOWN_CHARACTERS + BEFORE) break;
      this.#characters -= oldest.length;
      this.#first += 1;
      this.#isCut = true;
    }
    if (this.#first < 1000) return;
    this.#chunks = this.#chunks.slice(this.#first);
    this.#first = 0;
  }

  /** How much it was in all, once the process has ended: the log has the first 10 MiB. */
  count(bytes: number): void {
    if (bytes <= MOST_IN_MEMORY) return;
    this.#bytes = bytes;
    this.#isCut = true;
  }

  shown(redactor: Redactor): Printed {
    const stream = redactor.stream();
    const text = stream.push(this.#chunks.slice(this.#first).join("")) + stream.end();
    return {
      text: text.slice(-SHOWN_CHARACTERS),
      bytes: this.#bytes,
      is_cut: this.#isCut || text.length > SHOWN_CHARACTERS,
      first_seq: this.#firstSeq,
      last_seq: this.#lastSeq,
    };
  }
}
