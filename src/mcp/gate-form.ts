// A gate as a form that a client shows its user, and what the user filled in as an answer to the gate.
import { type InputRequest, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import type { QuestionItem } from "../engine/people/ask.ts";
import type { ResultGate } from "../results/result.ts";

type Form = Parameters<typeof inputRequired.elicit>[0];
type Fields = Record<string, Readonly<Record<string, unknown>>>;

/** The name of the field with the chosen option; a text that an option asks for has its own name after `for_`. */
const CHOICE = "choice";
const textField = (name: string): string => `for_${name}`;

const itemsOf = ({ questions = [] }: ResultGate) => questions as unknown as readonly QuestionItem[];

/** Nothing where a form cannot ask it. */
export function gateForm(gate: ResultGate): InputRequest | undefined {
  const properties = gate.kind === "questions" ? questionFields(gate) : optionFields(gate);
  if (Object.keys(properties).length === 0) return undefined;
  const required =
    gate.kind === "questions" ? itemsOf(gate).flatMap(({ id, required }) => (required ? [id] : [])) : [CHOICE];
  const message = [gate.name, gate.prompt].filter(Boolean).join(": ");
  return inputRequired.elicit({
    message,
    requestedSchema: { type: "object", properties, required } as Form["requestedSchema"],
  });
}

function optionFields({ options }: ResultGate): Fields {
  if (options.length === 0) return {};
  const texts = options.flatMap(({ label, prompt_for }) =>
    prompt_for ? [[textField(prompt_for), { type: "string", title: prompt_for, description: `for ${label}` }]] : [],
  );
  // Every client since the first knows `enum`; the names beside it are shown by those that can.
  const choice = {
    type: "string",
    enum: options.map(({ value }) => value),
    enumNames: options.map(({ label }) => label),
  };
  return { [CHOICE]: choice, ...Object.fromEntries(texts) };
}

function questionFields(gate: ResultGate): Fields {
  const fields = itemsOf(gate).map(({ id, text, hint, choices, allow_free_text, default: standard }) => [
    id,
    {
      type: "string",
      title: text,
      ...(hint === undefined ? {} : { description: hint }),
      ...(choices && !allow_free_text ? { enum: choices } : {}),
      ...(standard === undefined ? {} : { default: standard }),
    },
  ]);
  return Object.fromEntries(fields);
}

export interface FormAnswer {
  readonly value: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/** Nothing when the user declined, cancelled or could not be asked: then the gate waits on. */
export function formAnswer(gate: ResultGate, answers: Readonly<Record<string, unknown>>): FormAnswer | undefined {
  const response = inputResponse({ ...answers }, "gate");
  if (response.kind !== "elicit" || response.action !== "accept") return undefined;
  const given = Object.entries(response.content ?? {}).map(([name, value]) => [name, String(value ?? "")] as const);
  if (gate.kind === "questions") return { value: "", inputs: Object.fromEntries(given) };
  const texts = new Map(given);
  const value = texts.get(CHOICE) ?? "";
  // Texts for options that were not chosen are left out: the gate would refuse them.
  const wanted = gate.options.find((option) => option.value === value)?.prompt_for;
  const text = wanted === undefined ? undefined : texts.get(textField(wanted));
  return { value, inputs: wanted !== undefined && text ? { [wanted]: text } : {} };
}
