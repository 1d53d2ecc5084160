// The loopback HTTP server under every fake: reads requests, picks the answer, makes the faults. A wire format says how
// a request is understood and how an answer is written.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type Answers, type FakeRequest, type Spoken, spoken } from "./answers.ts";

export type Understood = Omit<FakeRequest, "index" | "path" | "headers" | "body">;

/** One event of a stream: `event` is left out where the format has none. */
export interface SseEvent {
  readonly event?: string;
  readonly data: unknown;
}

export interface Wire {
  readonly paths: RegExp;
  understand(body: Readonly<Record<string, unknown>>): Understood;
  /** The events of a stream, in order. */
  stream(answer: Spoken, request: FakeRequest): readonly SseEvent[];
  whole(answer: Spoken, request: FakeRequest): unknown;
  error(status: number, message: string, type?: string): unknown;
  /** An error in the middle of a stream. */
  streamError(): SseEvent;
  readonly lastLine?: string;
}

export interface Fake {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** In order of arrival. */
  readonly requests: readonly FakeRequest[];
  close(): Promise<void>;
}

export interface FakeOptions {
  readonly answers: Answers;
  readonly port?: number;
}

export async function startFake(wires: readonly Wire[], { answers, port = 0 }: FakeOptions): Promise<Fake> {
  const requests: FakeRequest[] = [];
  const pick = async (request: FakeRequest): Promise<Answer> =>
    typeof answers === "function"
      ? await answers(request)
      : (answers[Math.min(request.index, answers.length - 1)] ?? "ok");

  const server = createServer(async (incoming, response) => {
    try {
      const path = incoming.url ?? "/";
      const wire = wires.find((one) => one.paths.test(path));
      const body = JSON.parse((await readBody(incoming)) || "{}") as Readonly<Record<string, unknown>>;
      if (!wire || incoming.method !== "POST")
        return sendJson(response, 404, { error: { type: "not_found_error", message: `no ${path} here` } });
      const request = { ...wire.understand(body), index: requests.length, path, headers: incoming.headers, body };
      requests.push(request);
      await reply(response, wire, request, await pick(request));
    } catch (error) {
      sendJson(response, 500, { error: { type: "api_error", message: `the fake failed: ${String(error)}` } });
    }
  });
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
  return text;
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (!response.headersSent) response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

const asLines = ({ event, data }: SseEvent): string =>
  `${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`;

async function reply(response: ServerResponse, wire: Wire, request: FakeRequest, answer: Answer): Promise<void> {
  if (typeof answer === "object" && "status" in answer) {
    const { status, headers = {}, message = `fake ${status}`, type } = answer;
    return sendJson(response, status, wire.error(status, message, type), headers);
  }
  if (typeof answer === "object" && "fault" in answer) return await misbehave(response, wire, request, answer);
  const said = spoken(answer);
  const isWhole = typeof answer === "object" && "isWhole" in answer && answer.isWhole === true;
  if (!request.stream || isWhole) return sendJson(response, 200, wire.whole(said, request));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of wire.stream(said, request)) response.write(asLines(event));
  response.end(wire.lastLine ?? "");
}

async function misbehave(
  response: ServerResponse,
  wire: Wire,
  request: FakeRequest,
  { fault, ms }: Extract<Answer, { fault: string }>,
): Promise<void> {
  if (fault === "slow_headers") {
    // Ends when the client hangs up, so that no test waits for it.
    await new Promise<void>((done) => {
      const timer = setTimeout(done, ms ?? 60_000);
      response.once("close", () => {
        clearTimeout(timer);
        done();
      });
    });
    if (!response.destroyed) sendJson(response, 200, wire.whole(spoken("late"), request));
    return;
  }
  if (fault === "page") {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end("<html><body>Please sign in</body></html>");
    return;
  }
  if (fault === "other_json") return sendJson(response, 200, { hello: "there" });
  if (fault === "invalid_json") {
    response.writeHead(200, { "content-type": request.stream ? "text/event-stream" : "application/json" });
    response.end(request.stream ? 'data: {"type": "mess\n\n' : '{"type": "mess');
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = wire.stream(spoken("This answer is never finished, because the connection breaks."), request);
  for (const event of events.slice(0, 5)) response.write(asLines(event));
  if (fault === "stream_error") response.end(asLines(wire.streamError()));
  else if (fault === "end_early") response.end();
  // Let what was written leave first: a cut is in the middle of an answer, not before it.
  else setTimeout(() => response.destroy(), 10);
}
