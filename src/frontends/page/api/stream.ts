// What a page follows: runs by their position, and the list. Callers need not know which connection carries it.
import { signal } from "@preact/signals";
import type { StreamMessage } from "../../server/contract/log.ts";
import { loseSession, sessionId } from "./client.ts";
import { setServerTime, startClock, stopClock } from "./clock.ts";
import { type Following, StreamConnection, type StreamNotice } from "./connection.ts";
import type { TabRequest } from "./stream-worker.ts";

/** Since when there is no connection, in this machine's time; null while there is one. */
export const awaySince = signal<number | null>(null);

export interface RunFollower {
  position(): number;
  events(message: StreamMessage<"events">): void;
  gap(message: StreamMessage<"gap">): void;
  driver(message: StreamMessage<"driver">): void;
}

const followers = new Map<string, Set<RunFollower>>();
const lists = new Set<(message: StreamMessage<"runs">) => void>();
const HEARTBEAT_MS = 30_000;

export function followLive(run: string, follower: RunFollower): () => void {
  const all = followers.get(run) ?? new Set();
  followers.set(run, all.add(follower));
  ask();
  return () => {
    all.delete(follower);
    if (all.size === 0) followers.delete(run);
    ask();
  };
}

export function followList(listener: (message: StreamMessage<"runs">) => void): () => void {
  lists.add(listener);
  ask();
  return () => {
    lists.delete(listener);
    ask();
  };
}

function wanted(): Following {
  const runs = [...followers].map(([run, all]) => [run, Math.min(...[...all].map((one) => one.position()))] as const);
  return { runs: new Map(runs), list: lists.size > 0 };
}

function heard(notice: StreamNotice): void {
  switch (notice.what) {
    case "connected":
      awaySince.value = null;
      startClock();
      break;
    case "away":
      awaySince.value = notice.since;
      stopClock(notice.since);
      break;
    case "no session":
      loseSession();
      break;
    case "message":
      deliver(notice.name, notice.data);
      break;
    default:
      notice satisfies never;
  }
}

function deliver(name: string, data: unknown): void {
  if (name === "ping") setServerTime((data as StreamMessage<"ping">).server_time);
  else if (name === "runs") for (const list of lists) list(data as StreamMessage<"runs">);
  else if (name === "events" || name === "gap" || name === "driver")
    for (const one of followers.get((data as { readonly run_id: string }).run_id) ?? []) one[name](data as never);
}

type Line = (asked: TabRequest) => void;
let line: Line | null = null;
let isAsked = false;

/** Several changes at once are one question. Also asked when the session is another one. */
export function ask(): void {
  if (isAsked) return;
  isAsked = true;
  queueMicrotask(() => {
    isAsked = false;
    line ??= openLine();
    line({ session: sessionId(), wanted: wanted() });
  });
}

function openLine(): Line {
  if (typeof SharedWorker === "undefined") return ownLine();
  const { port } = new SharedWorker(scriptAddress(__STREAM_WORKER__), { type: "module", name: "segno" });
  port.onmessage = ({ data }: MessageEvent<StreamNotice>) => heard(data);
  const tell: Line = (asked) => port.postMessage(asked);
  setInterval(() => tell({ session: sessionId(), wanted: wanted() }), HEARTBEAT_MS);
  addEventListener("pagehide", () =>
    tell({ session: sessionId(), wanted: { runs: new Map(), list: false }, isLeaving: true }),
  );
  addEventListener("pageshow", ({ persisted }) => persisted && ask());
  return tell;
}

function ownLine(): Line {
  const connection = new StreamConnection(heard);
  return ({ session, wanted: all }) => connection.want(session, all);
}

interface Policy {
  createScriptURL(url: string): string;
}
interface Factory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): Policy;
}

const factory = (globalThis as { readonly trustedTypes?: Factory }).trustedTypes;

const ownOnly = (url: string): string => {
  if (!/^\/assets\/[\w-]+\.js$/.test(url)) throw new TypeError(`${url} is not a script of this page`);
  return url;
};

const policy = factory?.createPolicy("segno", { createScriptURL: ownOnly });

export const scriptAddress = (url: string): string => policy?.createScriptURL(url) ?? ownOnly(url);
