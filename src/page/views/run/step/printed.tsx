// stdout and stderr of a process, however much it is.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { AttemptJson } from "../../../../server/contract/step.ts";
import { withoutEscapes } from "../../../parts/ansi.ts";
import { PaneTrouble } from "../../../parts/pane.tsx";
import { PrintedLines } from "../../../parts/printed.tsx";
import { bytesText } from "../../../parts/text.ts";
import { rowsOfText, ServedRows } from "../../../state/printed-rows.ts";

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

interface OneStreamProps extends OutputProps {
  readonly stream: Stream;
}

function OneStream(props: OneStreamProps) {
  const { attempt, visit, stream } = props;
  const { is_cut, text } = attempt[stream];
  const isLive = attempt.status === "running";
  if (is_cut && visit !== null) return <LongStream {...props} visit={visit} />;
  return <ShortStream text={text} isLive={isLive} label={stream} />;
}

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

function ShortStream({ text, ...rest }: { readonly text: string; readonly isLive: boolean; readonly label: string }) {
  const rows = useMemo(() => rowsOfText(text, withoutEscapes), [text]);
  return <PrintedLines rows={rows} {...rest} />;
}
