// Gathers streamed text into events: few enough for a journal, often enough to be watched. Cuts only at white space, so
// that a secret in the text is never split over two events and redaction sees it whole.
import type { Caller } from "../steps/caller.ts";

const SECONDS_BETWEEN = 1;

export class TextEvents {
  #held = "";
  /** How much of it is whole words. Kept, not searched for: a text without a space would be read again with each piece. */
  #whole = 0;
  #since: number;

  constructor(
    private readonly now: () => number,
    private readonly emit: (text: string) => void,
  ) {
    this.#since = now();
  }

  add(chunk: string): void {
    const spaceAt = chunk.search(/\s\S*$/);
    if (spaceAt >= 0) this.#whole = this.#held.length + spaceAt + 1;
    this.#held += chunk;
    if (this.now() - this.#since < SECONDS_BETWEEN * 1000) return;
    if (this.#whole > 0) this.#send(this.#whole);
  }

  flush(): void {
    if (this.#held !== "") this.#send(this.#held.length);
  }

  #send(length: number): void {
    this.emit(this.#held.slice(0, length));
    this.#held = this.#held.slice(length);
    this.#whole = 0;
    this.#since = this.now();
  }
}

/** What a model says and thinks, each gathered by itself; thoughts come before the words that they led to. */
export class SaidEvents {
  readonly #message: TextEvents;
  readonly #reasoning: TextEvents;

  constructor({ clock, node: agent_name, emit }: Pick<Caller, "clock" | "node" | "emit">) {
    const now = (): number => clock.now();
    this.#message = new TextEvents(now, (content) => emit("agent_message", { agent_name, content }));
    this.#reasoning = new TextEvents(now, (content) => emit("agent_reasoning", { agent_name, content }));
  }

  readonly text = (chunk: string): void => {
    this.#reasoning.flush();
    this.#message.add(chunk);
  };

  readonly reasoning = (chunk: string): void => this.#reasoning.add(chunk);

  readonly flush = (): void => {
    this.#reasoning.flush();
    this.#message.flush();
  };
}
