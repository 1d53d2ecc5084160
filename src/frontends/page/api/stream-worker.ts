// One connection for all tabs: with one for each, the seventh tab would wait for ever (browsers open six to a server).
import { type Following, StreamConnection, type StreamNotice } from "./connection.ts";

/** What a tab says: what it wants to follow now, and that it is still there. */
export interface TabRequest {
  readonly session: string | null;
  readonly wanted: Following;
  readonly isLeaving?: boolean;
}

interface Tab {
  readonly port: MessagePort;
  wanted: Following;
  heardAt: number;
}

/** A tab in the background speaks once a minute at most. */
const GONE_MS = 200_000;

const tabs = new Set<Tab>();
let session: string | null = null;

const connection = new StreamConnection((notice) => {
  for (const { port } of tabs) port.postMessage(notice);
});

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (!port) return;
  const tab: Tab = { port, wanted: { runs: new Map(), list: false }, heardAt: Date.now() };
  tabs.add(tab);
  port.onmessage = ({ data }: MessageEvent<TabRequest>) => heard(tab, data);
  port.start();
});

function heard(tab: Tab, { session: named, wanted, isLeaving }: TabRequest): void {
  const isNew = (run: string): boolean => !tab.wanted.runs.has(run);
  const fresh = [...wanted.runs].filter(([run]) => isNew(run));
  tab.heardAt = Date.now();
  tab.wanted = wanted;
  if (isLeaving) tabs.delete(tab);
  else tabs.add(tab);
  for (const other of tabs) if (Date.now() - other.heardAt > GONE_MS) tabs.delete(other);
  session = named ?? session;
  // Another tab is further on in this run: what lies between, this one fetches.
  for (const [run, seq] of fresh) {
    const position = connection.positionOf(run);
    if (position !== undefined && position > seq)
      tab.port.postMessage({
        what: "message",
        name: "gap",
        data: { run_id: run, from: seq, to: position },
      } satisfies StreamNotice);
  }
  const runs = new Map<string, number>();
  for (const other of tabs)
    for (const [run, seq] of other.wanted.runs) runs.set(run, Math.min(seq, runs.get(run) ?? seq));
  connection.want(session, { runs, list: [...tabs].some((other) => other.wanted.list) });
  const away = connection.awaySince;
  tab.port.postMessage((away === null ? { what: "connected" } : { what: "away", since: away }) satisfies StreamNotice);
}
