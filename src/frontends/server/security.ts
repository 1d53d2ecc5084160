// Who may ask. Every request passes these checks in this order: a Host of this server, an Origin of this server, a
// session, JSON for writes. A refusal says why.
import { createHash, randomBytes } from "node:crypto";
import { isSameSecret } from "../../base/errors/same-secret.ts";
import type { ProblemJson } from "./contract/values.ts";

type Denial = Pick<ProblemJson, "status" | "code" | "message" | "hint">;

export const denialWith = (status: number, code: ProblemJson["code"], message: string, hint?: string): Denial => ({
  status,
  code,
  message,
  hint,
});

/** Headers of every answer. Nothing of the page is loaded from elsewhere, and no other page may hold it. */
export const HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify segno 'allow-duplicates'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
};

/** The preview of `segno graph --watch` also stands in a panel of an editor; it only shows. No web page has these schemes. */
export const PREVIEW_HEADERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(HEADERS).flatMap(([name, value]) =>
    name === "x-frame-options"
      ? []
      : [[name, value.replace("frame-ancestors 'none'", "frame-ancestors vscode-webview: vscode-file:")]],
  ),
);

/** Names under which this server is reached: a page that points its own name at 127.0.0.1 has another. */
export class OurNames {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor({
    host,
    port,
    publicUrl,
  }: { readonly host: string; readonly port: number; readonly publicUrl?: string }) {
    const names = new Set(["127.0.0.1", "localhost", "[::1]"]);
    if (!isAnyAddress(host)) names.add(host.includes(":") ? `[${host}]` : host);
    const url = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#hosts = new Set([...[...names].map((name) => `${name}:${port}`), ...(url ? [url.host] : [])]);
    this.#origins = new Set([...[...names].map((name) => `http://${name}:${port}`), ...(url ? [url.origin] : [])]);
  }

  hasHost(host: string | undefined): boolean {
    return host !== undefined && this.#hosts.has(host.toLowerCase());
  }

  hasOrigin(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin.toLowerCase());
  }
}

const isAnyAddress = (host: string): boolean => host === "0.0.0.0" || host === "::";

/** Only this machine can reach it. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

const MOST_SESSIONS = 10_000;

/** The token of the printed address, and the sessions that it was exchanged for. */
export class Sessions {
  /** By digest: looking one up tells nothing about how much of it was right. */
  readonly #open = new Map<string, Visitor>();

  readonly token: string;
  /** What a visitor with a wrong token, or without a session, can do. */
  readonly howToSignIn: string;

  /** `fixed` is SEGNO_SERVE_TOKEN. `personOf` knows the tokens that a project gave to people. */
  constructor(
    fixed?: string,
    private readonly personOf: (token: string) => string | undefined = () => undefined,
  ) {
    this.token = fixed ?? randomBytes(24).toString("base64url");
    this.howToSignIn =
      fixed === undefined
        ? "Open the address that the server printed when it started: it carries the token, a new one at each start."
        : "Add #token= to the address, and after it the token in the server's SEGNO_SERVE_TOKEN, or a person's own.";
  }

  /** A session for a visitor who has a valid token. */
  exchange(token: string): { readonly session: string; readonly visitor: Visitor } | undefined {
    const person = this.personOf(token);
    if (person === undefined && !this.isToken(token)) return undefined;
    const session = randomBytes(32).toString("base64url");
    const visitor = person === undefined ? {} : { person };
    this.#open.set(digest(session), visitor);
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_SESSIONS && oldest !== undefined) this.#open.delete(oldest);
    return { session, visitor };
  }

  isToken(token: string): boolean {
    return isSameSecret(token, this.token);
  }

  /** The visitor who has this session; nothing when there is none. */
  find(authorization: string | undefined): Visitor | undefined {
    const session = bearerOf(authorization);
    return session === undefined ? undefined : this.#open.get(digest(session));
  }

  /** A name for the visitor who has this session: the person, else the session. Two unknown visitors share nothing. */
  whose(authorization: string | undefined): string {
    const person = this.find(authorization)?.person;
    return person === undefined ? `session ${digest(bearerOf(authorization) ?? "")}` : `person ${person}`;
  }
}

/** Who has a session: a person whom the project knows, or a user who has the server's own token. */
export interface Visitor {
  readonly person?: string;
}

export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer (\S{16,200})$/.exec(authorization ?? "")?.[1];

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

interface RequestHead {
  readonly method: string;
  readonly path: string;
  header(name: string): string | undefined;
}

/** Why a request is not let in; nothing when it is. */
export function denialOf(asking: RequestHead, names: OurNames, sessions: Sessions): Denial | undefined {
  const { method, path } = asking;
  if (path === "/healthz") return undefined;
  if (!names.hasHost(asking.header("host")))
    return denialWith(
      403,
      "foreign_host",
      "this server is not known under that name",
      "Behind a proxy, start it with --public-url and the address that people use.",
    );
  if (path !== "/api" && !path.startsWith("/api/")) return undefined;
  const origin = asking.header("origin");
  const isWrite = method !== "GET" && method !== "HEAD";
  if ((origin !== undefined || isWrite) && !names.hasOrigin(origin))
    return denialWith(
      403,
      "foreign_origin",
      "only the page of this server may ask for that",
      "A program sends the address of this server in a header Origin.",
    );
  const site = asking.header("sec-fetch-site");
  if (site !== undefined && site !== "same-origin" && site !== "none")
    return denialWith(403, "foreign_origin", "another site asked for this");
  if (isWrite && !/^application\/json\s*(;|$)/i.test(asking.header("content-type") ?? ""))
    return denialWith(415, "not_json", "what is written is sent as application/json");
  if (method === "POST" && path === "/api/session") return undefined;
  if (!sessions.find(asking.header("authorization")))
    return denialWith(
      401,
      "no_session",
      "there is no session, or it has ended",
      `${sessions.howToSignIn} A program sends the token to POST /api/session, and the session that it gets as a bearer token.`,
    );
  return undefined;
}
