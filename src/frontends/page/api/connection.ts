// One connection to the server's stream, for everybody who wants to follow something. It comes back by itself, with the
// position of each run, so that nothing is lost in between. It runs in a SharedWorker, or in the page where there is none.

/** What followers receive. `seq` of a `position`: events before it are not coming here. */
export type StreamNotice =
  | { readonly what: "message"; readonly name: string; readonly data: unknown }
  | { readonly what: "connected" }
  | { readonly what: "away"; readonly since: number }
  | { readonly what: "no session" };

export interface Following {
  readonly runs: ReadonlyMap<string, number>;
  readonly list: boolean;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 2000;
/** The server says something every second. It is counted in looks: after a page or machine slept, the clock alone lies. */
const LOOK_MS = 500;
const SILENT_LOOKS = 5;

export class StreamConnection {
  readonly #positions = new Map<string, number>();
  #session: string | null = null;
  #list = false;
  #current: AbortController | null = null;
  #awaySince: number | null = null;
  #heardAt = Date.now();
  #wait = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly tell: (notice: StreamNotice) => void) {}

  get awaySince(): number | null {
    return this.#awaySince;
  }

  positionOf(run: string): number | undefined {
    return this.#positions.get(run);
  }

  /** Follows what is wanted now; runs that are followed already keep their position. */
  want(session: string | null, { runs, list }: Following): void {
    const isSame =
      session === this.#session &&
      list === this.#list &&
      runs.size === this.#positions.size &&
      [...runs.keys()].every((run) => this.#positions.has(run));
    if (isSame && this.#current) return;
    this.#session = session;
    this.#list = list;
    for (const run of this.#positions.keys()) if (!runs.has(run)) this.#positions.delete(run);
    for (const [run, seq] of runs) if (!this.#positions.has(run)) this.#positions.set(run, seq);
    this.#open();
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#current?.abort();
    this.#current = null;
    if (this.#session === null) return;
    const opened = new AbortController();
    this.#current = opened;
    this.#read(opened)
      .catch(() => undefined)
      .finally(() => {
        if (this.#current === opened) this.#lost();
      });
  }

  async #read(opened: AbortController): Promise<void> {
    let looks = 0;
    const isThere = (): void => {
      looks = 0;
      this.#heardAt = Date.now();
    };
    const watch = setInterval(() => {
      looks += 1;
      if (looks >= SILENT_LOOKS) opened.abort();
    }, LOOK_MS);
    try {
      const response = await this.#ask(opened.signal);
      if (!response.ok || !response.body) return;
      isThere();
      this.#awaySince = null;
      this.#wait = FIRST_WAIT_MS;
      this.tell({ what: "connected" });
      for await (const { name, data } of messagesOf(response.body, isThere)) {
        if (opened.signal.aborted) return;
        this.#heard(name, JSON.parse(data));
      }
    } finally {
      clearInterval(watch);
    }
  }

  async #ask(signal: AbortSignal): Promise<Response> {
    const query = new URLSearchParams([...this.#positions].map(([run, seq]) => ["run", `${run}:${seq}`]));
    if (this.#list) query.set("runs", "1");
    const response = await fetch(`/api/stream?${query}`, {
      headers: { authorization: `Bearer ${this.#session}`, accept: "text/event-stream" },
      signal,
    });
    if (response.status === 401) {
      this.#session = null;
      this.tell({ what: "no session" });
    }
    return response;
  }

  #heard(name: string, data: { readonly run_id?: string; readonly to?: number }): void {
    if ((name === "events" || name === "gap") && data.run_id !== undefined && data.to !== undefined)
      if (this.#positions.has(data.run_id)) this.#positions.set(data.run_id, data.to);
    this.tell({ what: "message", name, data });
  }

  #lost(): void {
    this.#current = null;
    if (this.#session === null) return;
    // Since the last sign of life: what happened after that is not known.
    this.#awaySince ??= this.#heardAt;
    this.tell({ what: "away", since: this.#awaySince });
    this.#timer = setTimeout(() => this.#open(), this.#wait);
    this.#wait = Math.min(this.#wait * 1.6, LONGEST_WAIT_MS);
  }
}

/** Server-sent events out of a response's bytes: an EventSource cannot send a header, so they are read with `fetch`. */
interface StreamMessage {
  readonly name: string;
  readonly data: string;
}

/** @param heard called with everything that comes, also with what is no message */
async function* messagesOf(body: ReadableStream<Uint8Array>, heard: () => void): AsyncIterable<StreamMessage> {
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
