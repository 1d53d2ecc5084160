// stdout and stderr of a process, however much it is: a short text is here as a whole; of a long one the server sends the
// windows that the user looks at, and searches it.
import { signal, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { FoundRowsJson, PrintedRowsJson } from "../../../../server/contract/log.ts";
import type { AttemptJson } from "../../../../server/contract/step.ts";
import { apiPath, get } from "../../../api/client.ts";
import { withoutEscapes } from "../../../parts/ansi.ts";
import { Tabs } from "../../../parts/field.tsx";
import { PaneTrouble } from "../../../parts/pane.tsx";
import { ServerAsking } from "../../../state/loaded.ts";
import { bytesText } from "../../../text.ts";
import { type FoundIn, PrintedLines, type PrintedRows } from "./printed-lines.tsx";

type Stream = "stdout" | "stderr";
const STREAMS: readonly Stream[] = ["stdout", "stderr"];
/** The log has no more of a stream. */
const MOST_IN_LOG = 10 * 1024 * 1024;
const AGAIN_MS = 700;

interface OutputProps {
  readonly attempt: AttemptJson;
  readonly run: string;
  readonly visit: string | null;
}

export function ProcessOutput({ attempt, run, visit }: OutputProps) {
  const there = STREAMS.filter((stream) => attempt[stream].bytes > 0);
  const wanted = useSignal<Stream | null>(null);
  const chosen =
    wanted.value ?? (attempt.status === "failed" && there.includes("stderr") ? "stderr" : (there[0] ?? "stdout"));
  if (there.length === 0) return null;
  return (
    <section class="part column">
      <Tabs
        label="Output of the process"
        tabs={there.map((stream) => ({
          name: stream,
          look: "low",
          words: (
            <>
              {stream} <span class="soft">{bytesText(attempt[stream].bytes)}</span>
            </>
          ),
        }))}
        chosen={chosen}
        choose={(stream) => (wanted.value = stream)}
      />
      <OneStream attempt={attempt} run={run} visit={visit} stream={chosen} key={chosen} />
    </section>
  );
}

interface OneStreamProps extends OutputProps {
  readonly stream: Stream;
}

const OneStream = (props: OneStreamProps) =>
  props.attempt[props.stream].is_cut && props.visit !== null ? (
    <LongStream {...props} visit={props.visit} />
  ) : (
    <ShortStream {...props} />
  );

/** More than is sent with the step: asked for as one scrolls. */
function LongStream({ attempt, run, visit, stream }: OneStreamProps & { readonly visit: string }) {
  const rows = useMemo(
    () => new ServedRows({ run, key: visit, attempt: attempt.attempt, drive: attempt.drive, stream }),
    [run, visit, attempt.attempt, attempt.drive, stream],
  );
  useEffect(() => {
    rows.lookAgain();
    const timer = setInterval(() => !rows.isAll.peek() && rows.lookAgain(), AGAIN_MS);
    return () => {
      clearInterval(timer);
      rows.stop();
    };
  }, [rows]);
  const { bytes } = attempt[stream];
  const isCutHere = rows.source.value === "log" && bytes > MOST_IN_LOG;
  return (
    <>
      {rows.problem.value && <PaneTrouble message={rows.problem.value} retry={rows.lookAgain} />}
      {isCutHere && (
        <p class="small soft">
          The first 10 MiB of {bytesText(bytes)}. All of it is in the run's folder on the machine that ran the script.
        </p>
      )}
      <PrintedLines rows={rows} isLive={attempt.status === "running"} label={stream} />
    </>
  );
}

function ShortStream({ attempt, stream }: OneStreamProps) {
  const { text } = attempt[stream];
  const rows = useMemo(() => rowsOfText(text), [text]);
  return <PrintedLines rows={rows} isLive={attempt.status === "running"} label={stream} />;
}

function rowsOfText(text: string): PrintedRows {
  const rows = text.split("\n");
  if (rows.at(-1) === "") rows.pop();
  return {
    rowCount: signal(rows.length),
    isAll: signal(true),
    version: signal(0),
    row: (index) => rows[index],
    want: () => undefined,
    async find(wanted) {
      const lower = wanted.toLowerCase();
      const found = rows.flatMap((row, index) => (withoutEscapes(row).toLowerCase().includes(lower) ? [index] : []));
      return { count: found.length, rows: found };
    },
  };
}

interface PrintedAddress {
  readonly run: string;
  readonly key: string;
  readonly attempt: number;
  readonly drive: number;
  readonly stream: Stream;
}

const WINDOW = 200;
const MOST_WINDOWS = 60;

class ServedRows extends ServerAsking implements PrintedRows {
  readonly rowCount = signal(0);
  readonly isAll = signal(false);
  readonly version = signal(0);
  readonly source = signal<PrintedRowsJson["source"]>("file");
  /** By the number of the window; those that were used last are last. */
  readonly #windows = new Map<number, readonly string[]>();
  readonly #asked = new Set<number>();

  constructor(private readonly address: PrintedAddress) {
    super();
  }

  row(index: number): string | undefined {
    return this.#windows.get(Math.floor(index / WINDOW))?.[index % WINDOW];
  }

  want(from: number, to: number): void {
    for (let window = Math.floor(from / WINDOW); window * WINDOW <= to; window++) {
      const known = this.#windows.get(window);
      const whole = Math.min(WINDOW, this.rowCount.peek() - window * WINDOW);
      if (known && known.length >= whole) this.#use(window, known);
      else void this.#ask(window);
    }
  }

  readonly lookAgain = (): void => {
    void this.#ask(Math.floor(this.rowCount.peek() / WINDOW));
  };

  async #ask(window: number): Promise<void> {
    if (this.#asked.has(window)) return;
    this.#asked.add(window);
    await this.attempt(async () => {
      const { run, ...query } = this.address;
      const asked = { ...query, from: window * WINDOW, limit: WINDOW };
      const answer = await get<PrintedRowsJson>(apiPath("runs", run, "printed"), asked, this.signal);
      if (answer.rows.length > 0) this.#use(window, answer.rows);
      this.rowCount.value = answer.row_count;
      this.isAll.value = answer.is_all;
      this.source.value = answer.source;
      this.version.value += 1;
    });
    this.#asked.delete(window);
  }

  #use(window: number, rows: readonly string[]): void {
    this.#windows.delete(window);
    this.#windows.set(window, rows);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > MOST_WINDOWS && oldest !== undefined) this.#windows.delete(oldest);
  }

  find(text: string): Promise<FoundIn> {
    const { run, ...query } = this.address;
    return get<FoundRowsJson>(apiPath("runs", run, "printed", "found"), { ...query, text }, this.signal);
  }
}
