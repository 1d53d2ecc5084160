// The wire to an agent, held: a message has a largest size, a task a most of all of them, and what is no message or answers
// nothing that was asked is dropped here. The SDK would answer each line of rubbish, and print each wrong id on the terminal.

import { ReadableStream } from "node:stream/web";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isMapping } from "../../../errors/mapping.ts";
import { parseJson } from "../../../json/bounded.ts";
import { ProviderFailure } from "../../failure.ts";
import { LineBuffer, MessageTooLarge } from "../../mcp/message-cap.ts";
import type { AgentProcess } from "../processes.ts";

/** Of one task. Rubbish is what programs print that should not. */
const CAPS = { bytes: 512 * 1024 * 1024, messages: 2_000_000, requests: 10_000, rubbish: 10_000 };
const NAMES = { bytes: "bytes", messages: "messages", requests: "requests", rubbish: "lines that are no messages" };

export interface Wire {
  readonly stream: Stream;
  /** Rejects when the agent has sent too much. */
  readonly exceeded: Promise<never>;
}

/** Notifications are given to `notified`: the SDK would print each that it cannot read. */
export function openWire(
  { stdin, stdout, exited }: Pick<AgentProcess, "stdin" | "stdout" | "exited">,
  notified: (method: string, params: unknown) => void,
): Wire {
  let reject: (failure: ProviderFailure) => void = () => {};
  const exceeded = new Promise<never>((_, refuse) => {
    reject = refuse;
  });
  exceeded.catch(() => {});
  /** Ids that Segno asked with. */
  const asked = new Set<unknown>();
  const counts = { bytes: 0, messages: 0, requests: 0, rubbish: 0 };
  const count = (what: keyof typeof counts, more = 1): void => {
    counts[what] += more;
    if (counts[what] > CAPS[what])
      throw new ProviderFailure(
        "unavailable",
        `the agent does not stop sending: more than ${CAPS[what]} ${NAMES[what]}`,
      );
  };

  async function* messages(): AsyncGenerator<AnyMessage> {
    try {
      for await (const line of linesOf(stdout)) {
        count("bytes", line.length);
        count("messages");
        const message = parsed(line);
        if (message === undefined) count("rubbish");
        else if (typeof message.method !== "string") {
          if (asked.delete(message.id)) yield message as AnyMessage;
        } else if ("id" in message) {
          count("requests");
          yield message as AnyMessage;
        } else notified(message.method, message.params);
      }
    } catch (error) {
      if (error instanceof ProviderFailure) reject(error);
      if (error instanceof MessageTooLarge) reject(new ProviderFailure("unavailable", `the agent: ${error.message}`));
    }
    // How it ended says more than that it has nothing more to say.
    await exited;
  }

  const writable = new WritableStream<AnyMessage>({
    write(message) {
      if ("method" in message && "id" in message) asked.add(message.id);
      return new Promise((resolve) => {
        stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
      });
    },
  });
  return { stream: { readable: ReadableStream.from(messages()) as unknown as Stream["readable"], writable }, exceeded };
}

async function* linesOf(input: AgentProcess["stdout"]): AsyncGenerator<string> {
  const lines = new LineBuffer();
  for await (const chunk of input as AsyncIterable<Buffer>) yield* lines.add(chunk);
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(line);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
