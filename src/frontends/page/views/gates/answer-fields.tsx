// What a card holds: the inputs of the run, the answers of a gate, and a list of questions.
import type { GateJson } from "../../../server/contract/gates.ts";
import { AskedText } from "../../parts/field.tsx";
import type { GateDraft } from "./gate-words.ts";

const MOST = 5;

/** The inputs of a run as they are now, in brief: they distinguish two runs of a workflow. */
export function InputsInBrief({ inputs }: { readonly inputs: Readonly<Record<string, string>> }) {
  const all = Object.entries(inputs).filter(([, value]) => value !== "");
  if (all.length === 0) return null;
  const rest = all.slice(MOST);
  return (
    <dl class="brief small">
      {all.slice(0, MOST).map(([name, value]) => (
        <div key={name} title={`${name}: ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      {rest.length > 0 && (
        <div title={rest.map(([name, value]) => `${name}: ${value}`).join("\n")}>
          <dt>and {rest.length} more</dt>
        </div>
      )}
    </dl>
  );
}

interface GatePartProps {
  readonly gate: GateJson;
  readonly draft: GateDraft;
  readonly change: (next: Partial<GateDraft>) => void;
}

/** The answers of a gate, and the text that one of them asks for. */
export function OptionList({ gate, draft, change }: GatePartProps) {
  const chosen = gate.options.find((one) => one.value === draft.value);
  const wanted = chosen?.prompt_for;
  return (
    <fieldset class="options column" disabled={!gate.you.may_answer}>
      <legend class="only-heard">Answer</legend>
      {gate.options.map((option) => (
        <label class="option middle" key={option.value}>
          <input
            type="radio"
            name={gate.id}
            value={option.value}
            checked={option.value === draft.value}
            onChange={() => change({ value: option.value })}
          />
          <span>
            <strong>{option.label}</strong>
            {option.description && <span class="soft"> {option.description}</span>}
          </span>
        </label>
      ))}
      {wanted && (
        <AskedText
          label={`${wanted}${chosen?.prompt_optional ? " (may stay empty)" : ""}`}
          rows={chosen?.multiline ? 4 : 1}
          value={draft.inputs[wanted] ?? ""}
          set={(text) => change({ inputs: { ...draft.inputs, [wanted]: text } })}
        />
      )}
    </fieldset>
  );
}

/** A list of questions, or one turn of a dialog. */
export function GateQuestions({ gate, draft, change }: GatePartProps) {
  const set = (id: string, value: string): void =>
    change({ value: value || draft.value, inputs: { ...draft.inputs, [id]: value } });
  return (
    <fieldset class="options column" disabled={!gate.you.may_answer}>
      <legend class="only-heard">Answers</legend>
      {gate.questions.map(({ id, text, hint, choices, allow_free_text, required, multiline }) => (
        <label class="asked column" key={id}>
          <span>
            {text}
            {required && <span class="soft"> (has to be answered)</span>}
          </span>
          {hint && <span class="soft small">{hint}</span>}
          {choices && !allow_free_text ? (
            <select
              class="field"
              value={draft.inputs[id] ?? ""}
              onChange={(event) => set(id, event.currentTarget.value)}
            >
              <option value="" />
              {choices.map((choice) => (
                <option value={choice} key={choice}>
                  {choice}
                </option>
              ))}
            </select>
          ) : (
            <>
              {choices && (
                <span class="row wrap">
                  {choices.map((choice) => (
                    <button
                      type="button"
                      class="chip"
                      aria-pressed={draft.inputs[id] === choice}
                      key={choice}
                      onClick={() => set(id, choice)}
                    >
                      {choice}
                    </button>
                  ))}
                </span>
              )}
              <textarea
                class="field"
                rows={multiline ? 4 : 1}
                value={draft.inputs[id] ?? ""}
                onInput={(event) => set(id, event.currentTarget.value)}
              />
            </>
          )}
        </label>
      ))}
    </fieldset>
  );
}
