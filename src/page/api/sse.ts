// Server-sent events out of a response's bytes: an EventSource cannot send a header, so they are read with `fetch`.

export interface StreamMessage {
  readonly name: string;
  readonly data: string;
}

/** @param heard called with everything that comes, also with what is no message */
export async function* messagesOf(
  body: ReadableStream<Uint8Array>,
  heard: () => void = () => undefined,
): AsyncIterable<StreamMessage> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      rest += value.replaceAll("\r", "");
      for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
        const message = messageIn(rest.slice(0, end));
        rest = rest.slice(end + 2);
        if (message) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function messageIn(text: string): StreamMessage | null {
  let name = "message";
  const data: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
  }
  return data.length === 0 ? null : { name, data: data.join("\n") };
}
