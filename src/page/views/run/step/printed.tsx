// stdout and stderr of a process: the end at once, all of it on demand.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { EventsJson } from "../../../../server/contract/events.ts";
import type { AttemptJson } from "../../../../server/contract/step.ts";
import { apiPath, get } from "../../../api/client.ts";
import { PrintedLines } from "../../../parts/printed.tsx";
import { bytesText } from "../../../parts/text.ts";
import { say } from "../../../parts/toast.tsx";

type Stream = "stdout" | "stderr";
const STREAMS: readonly Stream[] = ["stdout", "stderr"];
const PAGE = 5000;

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
    <section class="part">
      <div class="row" role="tablist" aria-label="Output of the process">
        {there.map((stream) => (
          <button
            type="button"
            role="tab"
            class="tab low"
            aria-selected={stream === chosen}
            key={stream}
            onClick={() => (wanted.value = stream)}
          >
            {stream} <span class="soft">{bytesText(attempt[stream].bytes)}</span>
          </button>
        ))}
      </div>
      <OneStream attempt={attempt} run={run} visit={visit} stream={chosen} key={chosen} />
    </section>
  );
}

function OneStream({ attempt, run, visit, stream }: OutputProps & { readonly stream: Stream }) {
  const printed = attempt[stream];
  const whole = useSignal<readonly string[] | null>(null);
  const progress = useSignal<number | null>(null);
  const tail = useMemo(() => linesOf(printed.text), [printed.text]);
  const loadAll = async (): Promise<void> => {
    progress.value = 0;
    try {
      whole.value = await allLines({ run, visit, stream, attempt }, (read) => (progress.value = read));
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    } finally {
      progress.value = null;
    }
  };
  return (
    <>
      {printed.is_cut && whole.value === null && (
        <div class="row small">
          <span class="soft">The end of {bytesText(printed.bytes)}.</span>
          <button type="button" class="button low" disabled={progress.value !== null} onClick={() => void loadAll()}>
            {progress.value === null ? "Load all" : `${bytesText(progress.value)} …`}
          </button>
        </div>
      )}
      <PrintedLines lines={whole.value ?? tail} isLive={attempt.status === "running"} label={stream} />
    </>
  );
}

const linesOf = (text: string): readonly string[] => {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
};

async function allLines(
  { run, visit, stream, attempt }: OutputProps & { readonly stream: Stream },
  tell: (bytes: number) => void,
): Promise<readonly string[]> {
  const { first_seq, last_seq } = attempt[stream];
  const lines: string[] = [];
  let [rest, read] = ["", 0];
  for (let after: number | null = (first_seq ?? 1) - 1; after !== null; ) {
    const page: EventsJson = await get(apiPath("runs", run, "events"), {
      after,
      to: last_seq,
      limit: PAGE,
      type: "script_output",
      step: visit,
    });
    for (const event of page.events) {
      if (event.type !== "script_output" || event.data.stream !== stream) continue;
      const parts = (rest + event.data.text).split("\n");
      rest = parts.pop() ?? "";
      read += event.data.text.length;
      for (const part of parts) lines.push(part);
    }
    tell(read);
    after = page.next;
  }
  if (rest !== "") lines.push(rest);
  return lines;
}
