// Notices between the processes of a fleet that there is work, by NOTIFY and LISTEN. They only save time: a process that
// misses a notice finds the work when it next polls.
import type { Client } from "pg";
import type { Database } from "../database.ts";
import { loadPg } from "../dbos.ts";

/** `drive`, `branch`: one is in the queue. `wish`: a run shall stop, or a worker leave. */
export type Notice = "drive" | "branch" | "wish";

const CHANNEL = "segno";

const send = async (database: Database, notices: readonly string[]): Promise<void> => {
  // One that is lost is found out by looking: it is not worth waiting for a database that is away.
  await database.once("select pg_notify($1, n) from unnest($2::text[]) n", [CHANNEL, notices]).catch(() => {});
};

/** After the commit and not in it: transactions that notify commit one after the other, each with its wait for the disk. Notices that wait go together. */
export class Teller {
  readonly #untold = new Set<Notice>();
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  tell(notice: Notice): Promise<void> {
    this.#untold.add(notice);
    this.#next ??= this.#last.then(() => {
      const notices = [...this.#untold];
      this.#untold.clear();
      this.#next = undefined;
      this.#last = send(this.database, notices);
      return this.#last;
    });
    return this.#next;
  }
}

export interface NoticeListener {
  /** Whether notices come through: behind a pooler of transactions none do. */
  readonly isHearing: boolean;
  stop(): Promise<void>;
}

/** So often a notice of one's own shows whether any are heard. */
const ECHO_MS = 30_000;
/** The same while none are, and how soon a lost connection is replaced. */
const RETRY_MS = 3000;
const SOON_MS = 300;

/** `heard` is also called without a notice: some may have been missed. */
export function hearNotices(database: Database, name: string, heard: (notice?: Notice) => void): NoticeListener {
  const echo = `echo ${name}`;
  let client: Client | undefined;
  let isHearing = false;
  let isAwaited = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const lose = (lost: Client | undefined): void => {
    if (lost === undefined || lost !== client) return;
    client = undefined;
    isHearing = false;
    isAwaited = false;
    void lost.end().catch(() => {});
    again(SOON_MS);
  };

  const again = (ms: number): void => {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(() => void turn(), ms);
  };

  const connect = async (): Promise<void> => {
    const { Client } = await loadPg();
    const own = new Client({
      connectionString: database.url,
      application_name: "segno",
      connectionTimeoutMillis: 5000,
    });
    own.on("error", () => lose(own));
    own.on("end", () => lose(own));
    own.on("notification", ({ payload = "" }) => {
      if (payload === "drive" || payload === "branch" || payload === "wish") heard(payload);
      if (payload !== echo) return;
      isAwaited = false;
      if (isHearing) return;
      isHearing = true;
      heard();
    });
    client = own;
    try {
      await own.connect();
      await own.query(`listen ${CHANNEL}`);
    } catch {
      lose(own);
    }
  };

  const turn = async (): Promise<void> => {
    if (isAwaited) lose(client);
    if (!client) await connect();
    if (client && !isStopped) {
      isAwaited = true;
      await send(database, [echo]);
    }
    again(isHearing ? ECHO_MS : RETRY_MS);
  };
  const begun = turn();

  return {
    get isHearing() {
      return isHearing;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await begun;
      lose(client);
    },
  };
}
