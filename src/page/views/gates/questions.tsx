// A list of questions, or one turn of a dialog.
import type { GateJson } from "../../../server/contract/gates.ts";
import type { GateDraft } from "./draft.ts";

interface GateQuestionsProps {
  readonly gate: GateJson;
  readonly draft: GateDraft;
  readonly change: (next: Partial<GateDraft>) => void;
}

export function GateQuestions({ gate, draft, change }: GateQuestionsProps) {
  const set = (id: string, value: string): void =>
    change({ value: value || draft.value, inputs: { ...draft.inputs, [id]: value } });
  return (
    <fieldset class="options" disabled={!gate.you.may_answer}>
      <legend class="only-heard">Answers</legend>
      {gate.questions.map(({ id, text, hint, choices, allow_free_text, required, multiline }) => (
        <label class="asked" key={id}>
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
