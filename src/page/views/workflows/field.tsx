// One input of a workflow: what it takes, the field for it, and what became of the value that an earlier run had here.
import type { TargetedClipboardEvent } from "preact";
import { useId } from "preact/hooks";
import { REDACTED } from "../../../redact/mark.ts";
import type { InputFieldJson } from "../../../server/contract/workflows.ts";
import { inputText, isNeeded, isSecretMissing, type Mark, withoutIt } from "./input-values.ts";

const MOST_ROWS = 16;
/** About so many letters are in a row. */
const ROW = 60;

interface FieldProps {
  readonly field: InputFieldJson;
  readonly text: string;
  readonly mark: Mark | undefined;
  readonly set: (text: string) => void;
  /** Leaves the input out, so that its default counts. */
  readonly leaveOut: () => void;
}

export function Field({ field, text, mark, set, leaveOut }: FieldProps) {
  const about = useId();
  const { name, description } = field;
  const said = saidOf(field, text, mark);
  const isWanted = isNeeded(field) || isSecretMissing(text, mark);
  return (
    <div class="asked">
      <label class="asked">
        <span>
          <strong>{name}</strong>{" "}
          <span class="soft small">{isNeeded(field) ? `${hintOf(field)}, needed` : hintOf(field)}</span>
        </span>
        {description && <span class="soft small">{description}</span>}
        <Control field={field} text={text} set={set} isWanted={isWanted} {...(said ? { about } : {})} />
      </label>
      {said && (
        <div class="row small" id={about}>
          <span>{said}</span>
          {!isNeeded(field) && (
            <button type="button" class="button low" onClick={leaveOut}>
              {field.default === undefined ? "Leave it out" : "Use the default"}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const hintOf = (field: InputFieldJson): string =>
  field.default === undefined ? field.type : `${field.type}, ${inputText(field.default)} when empty`;

function saidOf(field: InputFieldJson, text: string, mark: Mark | undefined): string | null {
  if (mark?.kind === "as-it-was") {
    // Of an input that may be left out, an empty text says the same.
    if (text !== "" || (mark.value === "" && !isNeeded(field) && field.default === undefined)) return null;
    const was = mark.value === null ? "null" : "an empty text";
    return field.default === undefined
      ? `It was ${was}, and is again.`
      : `It was ${was}, and is again: not the default.`;
  }
  if (!isSecretMissing(text, mark)) return null;
  const or = isNeeded(field) ? "" : `, or ${withoutIt(field)}`;
  return mark?.kind === "secret"
    ? `The value that the run had is a secret and is not shown: write it in again${or}.`
    : `A secret stood where it says ${REDACTED}: write it in again${or}.`;
}

interface ControlProps extends Pick<FieldProps, "field" | "text" | "set"> {
  readonly isWanted: boolean;
  /** The id of what is said about it. */
  readonly about?: string;
}

function Control({ field: { type, secret }, text, set, isWanted, about }: ControlProps) {
  const common = { class: "field", value: text, "aria-required": isWanted, "aria-describedby": about };
  const onInput = (event: { readonly currentTarget: { readonly value: string } }): void =>
    set(event.currentTarget.value);
  if (type === "boolean" && isOption(text))
    return (
      <select {...common} onChange={onInput}>
        <option value="" />
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  if (secret && !text.includes("\n"))
    return (
      <input
        {...common}
        type="password"
        autocomplete="off"
        onInput={onInput}
        onPaste={(event) => pasteLines(event, set)}
      />
    );
  if (type === "number" || type === "integer" || type === "boolean")
    return (
      <input
        {...common}
        type="text"
        autocomplete="off"
        inputMode={type === "boolean" ? undefined : "decimal"}
        onInput={onInput}
      />
    );
  if (secret)
    return <textarea {...common} class="field line unread" rows={rowsOf(text)} spellcheck={false} onInput={onInput} />;
  if (type === "string") return <textarea {...common} class="field line" rows={rowsOf(text)} onInput={onInput} />;
  return <textarea {...common} rows={Math.max(3, rowsOf(text))} onInput={onInput} />;
}

/** A key of several lines is no key any more in one line, which is all that a password field has. */
function pasteLines(event: TargetedClipboardEvent<HTMLInputElement>, set: (text: string) => void): void {
  const pasted = event.clipboardData?.getData("text/plain") ?? "";
  if (!pasted.includes("\n")) return;
  event.preventDefault();
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  set(`${value.slice(0, selectionStart ?? 0)}${pasted}${value.slice(selectionEnd ?? value.length)}`);
}

/** Otherwise it is written out: a list of true and false would not show what stands there. */
const isOption = (text: string): boolean => text === "" || text === "true" || text === "false";

/** As many as the text fills, up to what leaves room for the rest. */
function rowsOf(text: string): number {
  let rows = 0;
  for (const line of text.split("\n", MOST_ROWS)) rows += Math.max(1, Math.ceil(line.length / ROW));
  return Math.min(rows, MOST_ROWS);
}
