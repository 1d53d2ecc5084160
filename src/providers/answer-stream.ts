// What comes of one call while it runs: how much it may be, and its text as events.

import type { Caller } from "../steps/caller.ts";
import { ProviderFailure } from "./failure.ts";

const MEGABYTE = 1024 * 1024;

export const ANSWER_CAPS = {
  /** Text and reasoning of one answer, in characters: over ten times what the largest models write. */
  text: 8 * MEGABYTE,
  /** Bytes of one response. A stream wraps each word into some hundred of them. */
  bytes: 64 * MEGABYTE,
} as const;

export interface AnswerCap {
  /** Aborts with the outer signal, and with the failure once there is too much. */
  readonly signal: AbortSignal;
  said(chunk: string): void;
  readonly fetch: typeof fetch;
  exceeded(): ProviderFailure | undefined;
}

/** `unavailable`: a server that does not stop would not stop the next time either; the next model of the list is asked. */
export function capAnswer(outer: AbortSignal, send: typeof fetch = fetch): AnswerCap {
  const controller = new AbortController();
  let text = 0;
  let failure: ProviderFailure | undefined;
  const exceed = (came: string, cap: string): ProviderFailure => {
    failure ??= new ProviderFailure("unavailable", `the answer does not end: ${came} came, and one may have ${cap}`);
    controller.abort(failure);
    return failure;
  };
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    said(chunk) {
      text += chunk.length;
      if (text > ANSWER_CAPS.text)
        exceed(`${millions(text)} of text`, `${ANSWER_CAPS.text / MEGABYTE} million characters`);
    },
    async fetch(input, init) {
      const response = await send(input, init);
      if (!response.body) return response;
      let bytes = 0;
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, stream) {
          bytes += chunk.byteLength;
          if (bytes <= ANSWER_CAPS.bytes) stream.enqueue(chunk);
          else stream.error(exceed(`${Math.round(bytes / MEGABYTE)} MB of data`, `${ANSWER_CAPS.bytes / MEGABYTE} MB`));
        },
      });
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
    },
    exceeded: () => failure,
  };
}

const millions = (characters: number): string => `${(characters / MEGABYTE).toFixed(1)} million characters`;

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
