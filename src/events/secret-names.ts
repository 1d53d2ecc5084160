// Which recorded inputs are placeholders of secrets. The journal lists their names beside the inputs, and only that list
// counts: anybody may send an input that looks like a placeholder.

type Inputs = Readonly<Record<string, unknown>>;

/** What begins a drive or a sub-workflow records these two. */
export interface RecordedInputs {
  readonly inputs: Inputs;
  readonly hidden_inputs?: readonly string[] | undefined;
}

const MARK = "$secret";

export const placeholderOf = (name: string): Inputs => ({ [MARK]: name });

/** Journals of 0.2 and before have no list: there the shape has to do. */
export const secretNamesIn = ({ inputs, hidden_inputs }: RecordedInputs): readonly string[] =>
  hidden_inputs ?? Object.keys(inputs).filter((name) => looksLikePlaceholder(inputs[name], name));

const looksLikePlaceholder = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 1 && (value as Inputs)[MARK] === name;
