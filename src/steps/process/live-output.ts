// What a process writes, as it comes, for whoever watches: in batches of 50 ms or 16 KiB, whole characters only.
// It stops where the capture is full; from there on the spill file is the place to look.
import { StringDecoder } from "node:string_decoder";

const BATCH_MS = 50;
const BATCH_CHARACTERS = 16 * 1024;

export class LiveOutput {
  #decoder: StringDecoder | undefined;
  #pending = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (text: string) => void) {}

  add(chunk: Buffer): void {
    this.#decoder ??= new StringDecoder("utf8");
    this.#pending += this.#decoder.write(chunk);
    if (this.#pending.length >= BATCH_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  finish(): void {
    this.#pending += this.#decoder?.end() ?? "";
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.tell(text);
  }
}
