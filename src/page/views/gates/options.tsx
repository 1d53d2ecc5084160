// The answers of a gate, and the text that one of them asks for.
import type { GateJson } from "../../../server/contract/gates.ts";
import type { GateDraft } from "./draft.ts";

interface GatePartProps {
  readonly gate: GateJson;
  readonly draft: GateDraft;
  readonly change: (next: Partial<GateDraft>) => void;
}

export function OptionList({ gate, draft, change }: GatePartProps) {
  const chosen = gate.options.find((one) => one.value === draft.value);
  const wanted = chosen?.prompt_for;
  return (
    <fieldset class="options" disabled={!gate.you.may_answer}>
      <legend class="only-heard">Answer</legend>
      {gate.options.map((option) => (
        <label class="option" key={option.value}>
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
        <label class="asked">
          <span class="soft">
            {wanted}
            {chosen?.prompt_optional && " (may stay empty)"}
          </span>
          <textarea
            class="field"
            rows={chosen?.multiline ? 4 : 1}
            value={draft.inputs[wanted] ?? ""}
            onInput={(event) => change({ inputs: { ...draft.inputs, [wanted]: event.currentTarget.value } })}
          />
        </label>
      )}
    </fieldset>
  );
}
