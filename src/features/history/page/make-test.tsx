// Makes a test of a run: asks first, since it writes a file, then shows the scenario and whether it passes.
import { useSignal } from "@preact/signals";
import { apiPath, postJson } from "../../../frontends/page/api/client.ts";
import { StepState } from "../../../frontends/page/parts/button.tsx";
import { Dialog } from "../../../frontends/page/parts/dialog.tsx";
import { CommandText, PaneTrouble } from "../../../frontends/page/parts/pane.tsx";
import { copy } from "../../../frontends/page/parts/toast.tsx";
import { Yaml } from "../../../frontends/page/parts/yaml.tsx";
import { useSending } from "../../../frontends/page/state/loaded.ts";
import type { RecordedJson } from "../../../frontends/server/contract/history.ts";

export function MakeTestDialog({ run, close }: { readonly run: string; readonly close: () => void }) {
  const { isSending, problem, send } = useSending();
  const made = useSignal<RecordedJson | null>(null);
  const make = (): Promise<void> =>
    send(async () => {
      made.value = await postJson<RecordedJson>(apiPath("runs", run, "record"), {});
    });
  const test = made.value;
  const ask = {
    icon: "file" as const,
    label: isSending.value ? "Recording …" : "Make the test",
    isFirst: true,
    "aria-disabled": isSending.value,
    onClick: () => void make(),
  };
  return (
    <Dialog
      title="Make a test of this run"
      close={close}
      more="wide"
      no={
        test
          ? { icon: "copy", label: "Copy the scenario", onClick: () => void copy(test.yaml, "the scenario") }
          : "Not now"
      }
      yes={test ? { label: "Close", onClick: close } : ask}
    >
      {problem.value !== null && <PaneTrouble message={problem.value} />}
      {test ? (
        <MadeTest test={test} />
      ) : (
        <p>
          Writes a scenario into <code>tests</code> beside the workflow: the inputs of the run, every answer, and the
          steps, routes and errors that they led to. It is played at once, offline. Secrets are replaced by stand-ins.
        </p>
      )}
    </Dialog>
  );
}

function MadeTest({ test: { file, yaml, passed, problems, notes } }: { readonly test: RecordedJson }) {
  return (
    <>
      <p class="row wrap" role="status">
        <StepState state={passed ? "completed" : "failed"} word={passed ? "passes" : "does not pass"} pill />
        <code>{file}</code>
      </p>
      {!passed && <p>It is played with the workflow file as it is now, which may have changed since the run.</p>}
      {problems.length > 0 && (
        <ul class="stack tight">
          {problems.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {notes.map((note) => (
        <p class="soft small" key={note}>
          {note}
        </p>
      ))}
      <Yaml text={yaml} line={1} />
      <p class="soft">Play it again in a terminal:</p>
      <CommandText>{`segno test ${file}`}</CommandText>
    </>
  );
}
