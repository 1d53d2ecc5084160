// The inputs of a workflow as a form: starting it, or seeing the plan of what a run would do.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { unpackState } from "../../../events/packed-state.ts";
import type { RunSnapshotJson } from "../../../server/contract/run.ts";
import type { InputFieldJson, PlanJson, WorkflowJson } from "../../../server/contract/workflows.ts";
import type { ActedJson } from "../../../server/contract/writes.ts";
import { apiPath, get, newKey, postJson } from "../../api/client.ts";
import { Icon } from "../../parts/icon.tsx";
import { isReadOnly } from "../../state/actions.ts";
import { go, query } from "../../state/address.ts";
import { dropDraft, keepDraft, readDraft } from "../../state/draft.ts";
import { inputText, isNeeded, type Typed, valuesOf } from "./input-values.ts";
import { PlanView } from "./plan.tsx";

export function StartForm({ workflow }: { readonly workflow: WorkflowJson }) {
  const { file, inputs } = workflow;
  const fields = useMemo(() => inputs ?? [], [inputs]);
  const name = `start.${file}`;
  const typed = useSignal<Typed>(readDraft<Typed>(name) ?? defaultsOf(fields));
  const problem = useSignal<string | null>(null);
  const plan = useSignal<PlanJson | null>(null);
  const isSending = useSignal(false);
  const key = useSignal(newKey());
  const like = query.value["like"];
  useEffect(() => {
    if (like)
      void inputsOf(like).then(
        (known) => (typed.value = { ...typed.value, ...known }),
        () => undefined,
      );
  }, [like]);
  const set = (field: string, text: string): void => {
    typed.value = { ...typed.value, [field]: text };
    keepDraft(name, typed.value);
  };
  const withValues = async (act: (values: Readonly<Record<string, unknown>>) => Promise<void>): Promise<void> => {
    const found = valuesOf(fields, typed.value);
    if ("problem" in found) {
      problem.value = found.problem;
      return;
    }
    if (isSending.value) return;
    isSending.value = true;
    problem.value = null;
    try {
      await act(found.values);
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error);
    } finally {
      isSending.value = false;
    }
  };
  const start = (): Promise<void> =>
    withValues(async (values) => {
      const { run_id } = await postJson<ActedJson>("/api/runs", { file, inputs: values }, key.value);
      key.value = newKey();
      dropDraft(name);
      go(`/runs/${encodeURIComponent(run_id)}`);
    });
  const seePlan = (): Promise<void> =>
    withValues(async (values) => {
      plan.value = await postJson<PlanJson>(apiPath("plan", ...file.split("/")), { inputs: values });
    });
  return (
    <section class="part">
      <h2>Start</h2>
      <form
        class="stack form"
        onSubmit={(event) => {
          event.preventDefault();
          void start();
        }}
      >
        {fields.map((field) => (
          <Field
            field={field}
            text={typed.value[field.name] ?? ""}
            set={(text) => set(field.name, text)}
            key={field.name}
          />
        ))}
        {inputs === null && <p class="soft">It declares no inputs.</p>}
        {problem.value && (
          <p class="note" role="alert">
            {problem.value}
          </p>
        )}
        <div class="row">
          {!isReadOnly() && (
            <button type="submit" class="button main" disabled={isSending.value}>
              <Icon name="play" /> Start
            </button>
          )}
          <button type="button" class="button" onClick={() => void seePlan()}>
            Plan
          </button>
        </div>
      </form>
      {plan.value && <PlanView plan={plan.value} />}
    </section>
  );
}

interface FieldProps {
  readonly field: InputFieldJson;
  readonly text: string;
  readonly set: (text: string) => void;
}

function Field({ field, text, set }: FieldProps) {
  const { name, type, description, secret } = field;
  const hint = field.default === undefined ? type : `${type}, ${inputText(field.default)} when empty`;
  const common = { class: "field", value: text, "aria-required": isNeeded(field) };
  return (
    <label class="asked">
      <span>
        <strong>{name}</strong> <span class="soft small">{isNeeded(field) ? `${hint}, needed` : hint}</span>
      </span>
      {description && <span class="soft small">{description}</span>}
      {type === "boolean" ? (
        <select {...common} onChange={(event) => set(event.currentTarget.value)}>
          <option value="" />
          <option value="true">true</option>
          <option value="false">false</option>
        </select>
      ) : type === "array" || type === "object" ? (
        <textarea {...common} rows={3} onInput={(event) => set(event.currentTarget.value)} />
      ) : (
        <input
          {...common}
          type={(secret ? "password" : "text") as "text"}
          autocomplete="off"
          inputMode={type === "number" ? "decimal" : undefined}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </label>
  );
}

const defaultsOf = (fields: readonly InputFieldJson[]): Typed =>
  Object.fromEntries(
    fields.filter((field) => field.default !== undefined).map((field) => [field.name, inputText(field.default)]),
  );

async function inputsOf(run: string): Promise<Typed> {
  const { state } = await get<RunSnapshotJson>(apiPath("runs", run));
  return Object.fromEntries(Object.entries(unpackState(state).inputs).map(([name, value]) => [name, inputText(value)]));
}
