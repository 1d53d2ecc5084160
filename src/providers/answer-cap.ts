// How much one call to a model may bring: a server that never stops would fill the memory long before the call's time is
// over. Counted in two places, since either alone can be endless: what the model says, and the bytes that carry it.
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
  /** Counts what the model says. */
  said(chunk: string): void;
  /** Counts what a response brings. */
  readonly fetch: typeof fetch;
  exceeded(): ProviderFailure | undefined;
}

/**
 * One call's cap. `unavailable`, since a server that does not stop would not stop the next time either: nothing is tried
 * again, the next model of the list is asked.
 */
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
