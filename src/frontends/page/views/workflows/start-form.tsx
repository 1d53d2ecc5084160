// The inputs of a workflow as a form: starting it, or seeing the plan of what a run would do. When a run is started
// again, the form holds the inputs of that run, or says why not.
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { unpackState } from "../../../../base/events/state/packed-state.ts";
import type { RunSnapshotJson } from "../../../server/contract/run.ts";
import type { ActedJson } from "../../../server/contract/runs.ts";
import type { PlanJson, WorkflowJson } from "../../../server/contract/workflows.ts";
import { apiPath, get, isBig, newKey, postJson, wholeValue } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { ValueTree } from "../../parts/json-tree.tsx";
import { Fold, Pane, Part, RefusalNote } from "../../parts/pane.tsx";
import { isReadOnly, runPath, workflowPath } from "../../state/actions.ts";
import { go, query } from "../../state/address.ts";
import { dropDraft, keepDraft, readDraft } from "../../state/draft.ts";
import { useLoaded, useSending } from "../../state/loaded.ts";
import {
  defaultsOf,
  Field,
  type FilledForm,
  filledAgain,
  type Inputs,
  type Mark,
  type Typed,
  valuesOf,
} from "./field.tsx";

interface StartFormProps {
  readonly workflow: WorkflowJson;
}

export function StartForm({ workflow }: StartFormProps) {
  const like = query.value["like"];
  return (
    <Part title="Start">
      {like ? <AgainForm workflow={workflow} run={like} key={like} /> : <FreshForm workflow={workflow} />}
    </Part>
  );
}

/** What was typed stays until the run is started; secrets are not kept by the browser. */
function FreshForm({ workflow: { file, inputs } }: StartFormProps) {
  const name = `inputs.${file}`;
  const fields = inputs ?? [];
  const found = useMemo(
    () => ({ fields, typed: readDraft<Typed>(name) ?? defaultsOf(fields), marks: {}, left: [] }),
    [name, inputs],
  );
  const keep = (typed: Typed | null): void => {
    if (typed === null) {
      dropDraft(name);
      return;
    }
    const secrets = new Set(fields.filter(({ secret }) => secret).map((field) => field.name));
    keepDraft(name, Object.fromEntries(Object.entries(typed).filter(([field]) => !secrets.has(field))));
  };
  return <InputsForm file={file} found={found} keep={keep} />;
}

function AgainForm({ workflow: { file, inputs }, run }: StartFormProps & { readonly run: string }) {
  const loaded = useLoaded(async (signal) => filledAgain(inputs, await inputsOfRun(run, signal)), [run]);
  return (
    <>
      <Pane loaded={loaded} what="The inputs of that run">
        {(found) => <InputsForm file={file} found={found} keep={() => undefined} />}
      </Pane>
      {loaded.problem.value !== null && <a href={workflowPath(file)}>Start with other inputs</a>}
    </>
  );
}

interface InputsFormProps {
  readonly file: string;
  readonly found: FilledForm;
  /** Called with what is typed; null once it was started. */
  readonly keep: (typed: Typed | null) => void;
}

function InputsForm({ file, found: { fields, left, ...found }, keep }: InputsFormProps) {
  const typed = useSignal(found.typed);
  const marks = useSignal(found.marks);
  const { isSending, problem, send } = useSending();
  const plan = useSignal<PlanJson | null>(null);
  const runName = useSignal("");
  const key = useSignal(newKey());
  const set = (field: string, text: string): void => {
    typed.value = { ...typed.value, [field]: text };
    // With other inputs it is another start: the server would take the same key for a mistake.
    key.value = newKey();
    // A user who clears the field wants what the hint says.
    if (marks.value[field]?.kind === "as-it-was") unmark(field);
    keep(typed.value);
  };
  const setName = (text: string): void => {
    runName.value = text;
    key.value = newKey();
  };
  const unmark = (field: string): void => {
    const { [field]: _, ...others }: Readonly<Record<string, Mark>> = marks.value;
    marks.value = others;
  };
  const withValues = async (act: (values: Readonly<Record<string, unknown>>) => Promise<void>): Promise<void> => {
    const given = valuesOf(fields, typed.value, marks.value);
    if ("problem" in given) {
      problem.value = given.problem;
      return;
    }
    await send(() => act(given.values));
  };
  const start = (): Promise<void> =>
    withValues(async (values) => {
      const name = runName.value.trim();
      const body = { file, inputs: values, ...(name === "" ? {} : { name }) };
      const { run_id } = await postJson<ActedJson>("/api/runs", body, key.value);
      key.value = newKey();
      keep(null);
      go(runPath(run_id));
    });
  const seePlan = (): Promise<void> =>
    withValues(async (values) => {
      plan.value = await postJson<PlanJson>(apiPath("plan", ...file.split("/")), { inputs: values });
    });
  return (
    <>
      <form
        class="stack form"
        onKeyDown={startByKey}
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        {fields.map((field) => (
          <Field
            field={field}
            text={typed.value[field.name] ?? ""}
            mark={marks.value[field.name]}
            set={(text) => set(field.name, text)}
            leaveOut={() => {
              unmark(field.name);
              set(field.name, "");
            }}
            key={field.name}
          />
        ))}
        {fields.length === 0 && <p class="soft">It declares no inputs.</p>}
        {left.length > 0 && (
          <p class="soft">That run also had {left.join(", ")}, which the file does not take any more.</p>
        )}
        {!isReadOnly() && <RunNameField name={runName.value} set={setName} />}
        <RefusalNote text={problem.value} />
        <div class="row">
          {!isReadOnly() && <Button type="submit" is="main" icon="play" label="Start" disabled={isSending.value} />}
          <Button label="Plan" onClick={() => void seePlan()} />
        </div>
      </form>
      {plan.value && (
        <Part head="h3" title="The plan of a run with these inputs">
          <PlanSteps steps={plan.value.plan} />
        </Part>
      )}
    </>
  );
}

const RunNameField = ({ name, set }: { readonly name: string; readonly set: (text: string) => void }) => (
  <label class="asked column">
    <span>
      <strong>Name of the run</strong> <span class="soft small">what the file says when empty</span>
    </span>
    <input class="field" value={name} onInput={(event) => set(event.currentTarget.value)} />
  </label>
);

/** Enter starts from a text of one line, as it does from any field of one line; with Ctrl or ⌘ from everywhere. */
function startByKey(event: KeyboardEvent & { readonly currentTarget: HTMLFormElement }): void {
  const { key, ctrlKey, metaKey, shiftKey, isComposing, target, currentTarget } = event;
  if (key !== "Enter" || isComposing || isReadOnly()) return;
  const isOneLine = target instanceof HTMLTextAreaElement && target.matches(".line") && !target.value.includes("\n");
  if (!(ctrlKey || metaKey) && !(isOneLine && !shiftKey)) return;
  event.preventDefault();
  currentTarget.requestSubmit();
}

/** What a run was given, as far as the page may see it, with its long values whole; fails when one of them cannot be had. */
async function inputsOfRun(run: string, signal: AbortSignal): Promise<Inputs> {
  const { run_id, state } = await get<RunSnapshotJson>(apiPath("runs", run), {}, signal);
  const entries = Object.entries(unpackState(state).inputs).map(async ([name, value]) => [
    name,
    isBig(value) ? await wholeValue(value, run_id, signal) : value,
  ]);
  return Object.fromEntries(await Promise.all(entries));
}

function PlanSteps({ steps }: { readonly steps: readonly PlanJson["plan"][number][] }) {
  return (
    <ol class="plan column">
      {steps.map(({ node_id, type, fields, routes, members, steps: inside, steps_under }) => (
        <li key={node_id}>
          <Fold
            title={
              <>
                <strong>{node_id}</strong> {type.replace("_", " ")}
                {routes.length > 0 && <span> · {routes.join(", ")}</span>}
              </>
            }
          >
            <ValueTree value={fields} />
          </Fold>
          {members && <PlanSteps steps={members} />}
          {inside && <PlanSteps steps={inside} />}
          {steps_under !== undefined && <p class="dim">its steps are those of {steps_under || "the whole plan"}</p>}
        </li>
      ))}
    </ol>
  );
}
