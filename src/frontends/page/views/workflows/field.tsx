// One input of a workflow: what it takes, the field for it, what became of the value that an earlier run had here; and the
// values that a run is started with.
import type { TargetedClipboardEvent } from "preact";
import { useId } from "preact/hooks";
import { REDACTED } from "../../../../base/redact/mark.ts";
import type { InputFieldJson } from "../../../server/contract/workflows.ts";
import { Button } from "../../parts/button.tsx";

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
    <div class="asked column">
      <label class="asked column">
        <span>
          <strong>{name}</strong>{" "}
          <span class="soft small">{isNeeded(field) ? `${hintOf(field)}, needed` : hintOf(field)}</span>
        </span>
        {description && <span class="soft small">{description}</span>}
        <Control field={field} text={text} set={set} isWanted={isWanted} about={said ? about : undefined} />
      </label>
      {said && (
        <div class="row small" id={about}>
          <span>{said}</span>
          {!isNeeded(field) && (
            <Button
              is="low"
              label={field.default === undefined ? "Leave it out" : "Use the default"}
              onClick={leaveOut}
            />
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

export type Typed = Readonly<Record<string, string>>;

/**
 * What there is to know of a field that was filled in from an earlier run:
 * - `secret`: its value was a secret, which is not shown, and it has to be written in again;
 * - `hidden`: a secret stood in its text, where the mark stands now;
 * - `as-it-was`: nothing is typed, and that was its value; not the default.
 */
export type Mark =
  | { readonly kind: "secret" }
  | { readonly kind: "hidden" }
  | { readonly kind: "as-it-was"; readonly value: "" | null };
type Marks = Readonly<Record<string, Mark>>;

const inputText = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

const isNeeded = (field: InputFieldJson): boolean => field.required && field.default === undefined;

/** A secret that was here has not been written in again. */
const isSecretMissing = (text: string, mark: Mark | undefined): boolean =>
  (mark?.kind === "secret" && text === "") || (mark?.kind === "hidden" && text.includes(REDACTED));

/** A default that holds a secret stays out of its field: what is shown of it would be sent in its place. */
export const defaultsOf = (fields: readonly InputFieldJson[]): Typed =>
  Object.fromEntries(
    fields
      .filter((field) => field.default !== undefined)
      .map((field) => [field.name, inputText(field.default)] as const)
      .filter(([, text]) => !text.includes(REDACTED)),
  );

/** Values by name, or what is wrong with one of them. Nothing typed means the default, or that nothing is given. */
export function valuesOf(
  fields: readonly InputFieldJson[],
  typed: Typed,
  marks: Marks = {},
): { readonly values: Readonly<Record<string, unknown>> } | { readonly field: string; readonly problem: string } {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, type } = field;
    const text = typed[name] ?? "";
    const mark = marks[name];
    if (isSecretMissing(text, mark)) return { field: name, problem: secretIsMissing(field, text) };
    if (text === "") {
      if (mark?.kind === "as-it-was") values[name] = mark.value;
      else if (isNeeded(field)) return { field: name, problem: `${name} is needed.` };
      continue;
    }
    if (type === "string") values[name] = text;
    else if (type === "number" || type === "integer") {
      if (Number.isNaN(Number(text))) return { field: name, problem: `${name} is a number.` };
      values[name] = Number(text);
    } else
      try {
        values[name] = JSON.parse(text);
      } catch {
        return { field: name, problem: `${name} is written as JSON, and this is none.` };
      }
  }
  return { values };
}

function secretIsMissing(field: InputFieldJson, text: string): string {
  const where =
    text === "" ? `${field.name} was a secret` : `A secret stood in ${field.name} where it says ${REDACTED}`;
  return `${where}, and secrets are not shown: write it in again${isNeeded(field) ? "" : `, or ${withoutIt(field)}`}.`;
}

const withoutIt = (field: InputFieldJson): string => (field.default === undefined ? "leave it out" : "use the default");

// A form filled with the inputs of a run, to start it again. The page is not shown the secrets that the run was given, and no
// run may be started with what stands in their place.

export type Inputs = Readonly<Record<string, unknown>>;

export interface FilledForm {
  readonly fields: readonly InputFieldJson[];
  readonly typed: Typed;
  readonly marks: Marks;
  /** Inputs of that run that the file does not take any more. */
  readonly left: readonly string[];
}

/** `declared`: null when the file takes any inputs; those of the run are then its fields. */
export function filledAgain(declared: readonly InputFieldJson[] | null, inputs: Inputs): FilledForm {
  const fields = declared ?? Object.entries(inputs).map(([name, value]) => fieldFor(name, value));
  const typed: Record<string, string> = { ...defaultsOf(fields) };
  const marks: Record<string, Mark> = {};
  for (const field of fields) {
    if (!Object.hasOwn(inputs, field.name)) continue;
    const value = inputs[field.name];
    const mark = markOf(field, value);
    if (mark) marks[field.name] = mark;
    typed[field.name] = mark?.kind === "secret" ? "" : inputText(value);
  }
  const names = new Set(fields.map(({ name }) => name));
  return { fields, typed, marks, left: Object.keys(inputs).filter((name) => !names.has(name)) };
}

const fieldFor = (name: string, value: unknown): InputFieldJson => ({
  name,
  type: Array.isArray(value) ? "array" : value === null ? "object" : typeof value,
  required: false,
  schema: {},
});

const SIMPLE: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean"]);

function markOf({ type, secret }: InputFieldJson, value: unknown): Mark | undefined {
  if (value === "" || value === null) return secret ? undefined : { kind: "as-it-was", value };
  const text = inputText(value);
  if (secret || text === REDACTED) return { kind: "secret" };
  if (!text.includes(REDACTED)) return undefined;
  // No text, number or boolean is an object: then a name of the secret is what was recorded.
  return SIMPLE.has(type) && typeof value === "object" ? { kind: "secret" } : { kind: "hidden" };
}
