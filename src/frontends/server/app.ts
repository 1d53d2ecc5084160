// The HTTP application: doors, addresses, the stream, the page's files.
import { type Context, Hono } from "hono";
import { TriggerCommands } from "../../features/triggers/api/trigger-commands.ts";
import { alwaysOn } from "./always-on.ts";
import { ADDRESSES, type Address, type AddressName } from "./contract/addresses.ts";
import type { HealthJson } from "./contract/operations.ts";
import { type SessionJson, sessionBody } from "./contract/values.ts";
import { type AddressCall, HANDLERS, sessionNow } from "./handlers.ts";
import {
  answerThrown,
  blobResponse,
  exitOf,
  Idempotency,
  jsonAnswer,
  type KeptAnswer,
  LONGEST_KEY,
  MOST_BODY_BYTES,
  MOST_SESSION_BYTES,
  openExit,
  problem,
  readBody,
  SESSION_PATH,
} from "./http-server.ts";
import { openApi } from "./openapi.ts";
import { BadRequest, json, parsed, problemOf } from "./problems.ts";
import {
  denialOf,
  denialWith,
  HEADERS,
  type OurNames,
  PREVIEW_HEADERS,
  type Sessions,
  type Visitor,
} from "./security.ts";
import type { ServedRuns } from "./served-runs.ts";
import type { StaticFiles } from "./static-files.ts";
import { eachOnce, messages, OpenStreams, positionOf, streamBody } from "./stream.ts";

export interface AppParts {
  readonly serving: ServedRuns;
  readonly names: () => OurNames;
  readonly sessions: Sessions;
  readonly files: StaticFiles;
  readonly defect: (problem: unknown) => void;
}

export function createApp({ serving, names, sessions, files, defect }: AppParts): Hono {
  const app = new Hono();
  const idempotency = new Idempotency();
  const streams = new OpenStreams();

  app.use(async (c, next) => {
    openExit(c, serving.session.env);
    const denial = denialOf(
      { method: c.req.method, path: c.req.path, header: (name) => c.req.header(name) },
      names(),
      sessions,
    );
    if (denial) c.res = await problem(c, denial);
    else await next();
    const headers = serving.preview === undefined ? HEADERS : PREVIEW_HEADERS;
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
    if (c.req.path.startsWith("/api")) c.res.headers.set("cache-control", "no-store");
  });
  app.onError(answerThrown(defect));

  app.get("/healthz", (c) => {
    const health: HealthJson = { status: serving.stopping.aborted ? "stopping" : "ok", version: serving.version };
    return jsonAnswer(c, { status: 200, body: health });
  });

  app.post(SESSION_PATH, async (c) => {
    const { token } = parsed(sessionBody, json(await textOf(c, MOST_SESSION_BYTES)));
    const opened = sessions.exchange(token);
    if (opened === undefined)
      return problem(c, denialWith(401, "wrong_token", "this is not the token of this server", sessions.howToSignIn));
    const answer: SessionJson = { session: opened.session, ...sessionNow(servingAs(c, opened.visitor)) };
    return jsonAnswer(c, { status: 200, body: answer });
  });

  for (const [name, address] of Object.entries(ADDRESSES) as [AddressName, Address][]) {
    if (name === "openSession") continue;
    const handle = HANDLERS[name] as (asked: AddressCall<AddressName>) => Promise<object> | object;
    app.on(address.method, patternOf(address.path), async (c) => {
      const segments = segmentsOf(address.path, c.req.url);
      const query = address.query ? parsed(address.query, c.req.query()) : undefined;
      const text = address.body ? await textOf(c) : "";
      const body = address.body ? parsed(address.body, json(text)) : undefined;
      const visitor = sessions.find(c.req.header("authorization"));
      const asked = { segments, query, body, serving: servingAs(c, visitor) } as AddressCall<AddressName>;
      if (!address.isWrite) return jsonAnswer(c, { status: 200, body: await handle(asked) });
      if (serving.readOnly)
        return problem(c, denialWith(403, "read_only", "this server only shows: it was started with --read-only"));
      const key = c.req.header("idempotency-key");
      if (!key) throw new BadRequest("a write needs a header Idempotency-Key of its own, so that it is done once");
      if (key.length > LONGEST_KEY)
        throw new BadRequest(`the Idempotency-Key has ${key.length} characters; it may have ${LONGEST_KEY}`);
      const act = async (): Promise<KeptAnswer> => {
        try {
          return { status: 200, body: await handle(asked) };
        } catch (thrown) {
          const refused = problemOf(thrown);
          if (refused.code === "defect") throw thrown;
          return { status: refused.status, body: refused };
        }
      };
      const whose = sessions.whose(c.req.header("authorization"));
      return jsonAnswer(c, await idempotency.once(whose, key, `${address.method} ${c.req.path} ${text}`, act));
    });
  }

  /** The runs as this visitor acts on them: in their own name, where it is known. */
  function servingAs(c: Context, { person }: Visitor = {}): ServedRuns {
    const own = person === undefined ? {} : { person };
    const session = { ...serving.session, ...own, exit: exitOf(c) };
    return {
      ...serving,
      ...own,
      session,
      commands: serving.commands.forRequest(session),
      triggerCommands: new TriggerCommands(serving.watched, session, serving.drives),
    };
  }

  const { deliver } = serving;
  alwaysOn(app, { isToken: (token) => sessions.isToken(token), scrape: () => serving.scrape(), deliver });

  app.get("/api/openapi.json", (c) => jsonAnswer(c, { status: 200, body: openApi(serving.version) }));

  app.get("/api/blobs/:hash", async (c) => {
    const text = await serving.watched.wholeValue(c.req.param("hash"), c.req.query("run"));
    if (text !== undefined) return blobResponse(text, c.req.header("range"));
    return problem(
      c,
      denialWith(
        404,
        "not_found",
        "there is no such value in a run that was shown lately",
        "Ask for the run again: it names its long values.",
      ),
    );
  });

  app.get("/api/stream", (c) => {
    const asked = (c.req.queries("run") ?? []).map((text) => {
      const position = positionOf(text);
      if (!position) throw new BadRequest(`${JSON.stringify(text)} is no position; write run=ID:SEQ`);
      return position;
    });
    const wanted = eachOnce(asked);
    const closed = streams.enter(sessions.whose(c.req.header("authorization")));
    const gone = new AbortController();
    const leave = serving.readers.enter();
    const left = (): void => {
      closed();
      leave();
    };
    gone.signal.addEventListener("abort", left, { once: true });
    c.req.raw.signal.addEventListener("abort", left, { once: true });
    const signal = AbortSignal.any([gone.signal, serving.stopping, c.req.raw.signal]);
    const texts = messages(serving, { runs: wanted, list: c.req.query("runs") === "1" }, signal);
    return new Response(
      streamBody(texts, () => gone.abort()),
      { headers: { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" } },
    );
  });

  app.all("/api/*", (c) => noSuchAddress(app, c));

  app.get("*", (c) => {
    if (/^\/runs\/?$/.test(c.req.path)) return c.redirect("/");
    const file = files.find(c.req.path);
    // A person who mistyped an address reads a sentence in the page; a program gets JSON, as everywhere.
    const shown = file ?? (/\btext\/html\b/.test(c.req.header("accept") ?? "") ? files.page() : undefined);
    if (!shown) return noSuchAddress(app, c, "there is no such page");
    return new Response(shown.body, {
      status: file ? 200 : 404,
      headers: {
        "content-type": shown.type,
        "cache-control": shown.isForEver ? "public, max-age=31536000, immutable" : "no-cache",
      },
    });
  });
  app.all("*", (c) => noSuchAddress(app, c));
  return app;
}

/** `/api/runs/{run}/steps/{step+}` as the router writes it. */
const patternOf = (path: string): string =>
  path.replace(/\{(\w+)(\+?)\}/g, (_, name: string, many: string) => (many ? `:${name}{.+}` : `:${name}`));

/** Split before it is decoded: an item's name may hold a slash. */
function segmentsOf(path: string, url: string): Record<string, readonly string[]> {
  const given = new URL(url).pathname.split("/").slice(1);
  const found: Record<string, readonly string[]> = {};
  for (const [index, part] of path.split("/").slice(1).entries()) {
    const name = /^\{(\w+)(\+?)\}$/.exec(part);
    if (name?.[1]) found[name[1]] = (name[2] ? given.slice(index) : given.slice(index, index + 1)).map(decoded);
  }
  return found;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new BadRequest(`${segment} is not encoded as an address is`);
  }
}

const textOf = async (c: Context, most = MOST_BODY_BYTES): Promise<string> =>
  new TextDecoder().decode(await readBody(c.req.raw, most, "that is too much for one request"));

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** `GET *` is the page, which has an answer to every address. */
const isAddress = ({ path }: { readonly path: string }): boolean => path !== "*" && path !== "/*";

function methodsAt(app: Hono, path: string): readonly string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method && isAddress(route)),
  );
}

function noSuchAddress(app: Hono, c: Context, missing = "there is no such address"): Promise<Response> {
  const methods = methodsAt(app, c.req.path);
  if (methods.length === 0) return problem(c, { status: 404, code: "not_found", message: missing });
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  const message = `${c.req.method} is not a method of ${c.req.path}: it takes ${methods.join(" and ")}`;
  return problem(c, { status: 405, code: "wrong_method", message }, { allow });
}
