// Makes a test of a run: asks first, since it writes a file, then shows the scenario and whether it passes.
import { useSignal } from "@preact/signals";
import type { RecordedJson } from "../../server/contract/history.ts";
import { apiPath, postJson } from "../api/client.ts";
import { Button, StepState } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { PaneTrouble } from "./pane.tsx";
import { copy } from "./toast.tsx";
import { Yaml } from "./yaml.tsx";

export function MakeTestDialog({ run, close }: { readonly run: string; readonly close: () => void }) {
  const isSending = useSignal(false);
  const problem = useSignal<string | null>(null);
  const made = useSignal<RecordedJson | null>(null);
  const make = async (): Promise<void> => {
    if (isSending.value) return;
    isSending.value = true;
    problem.value = null;
    try {
      made.value = await postJson<RecordedJson>(apiPath("runs", run, "record"), {});
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    }
    isSending.value = false;
  };
  const test = made.value;
  return (
    <Dialog
      title="Make a test of this run"
      close={close}
      more="wide"
      footer={
        test ? (
          <>
            <Button icon="copy" label="Copy the scenario" onClick={() => void copy(test.yaml, "the scenario")} />
            <Button is="main" label="Close" onClick={close} />
          </>
        ) : (
          <>
            <Button label="Not now" onClick={close} />
            <Button
              is="main"
              icon="file"
              label={isSending.value ? "Recording …" : "Make the test"}
              data-first
              aria-disabled={isSending.value}
              onClick={() => void make()}
            />
          </>
        )
      }
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
      <pre class="code">segno test {file}</pre>
    </>
  );
}
