// One option of a gate for people: the value to answer with, what it means, the text that it asks for.
import type { Colors } from "../output.ts";
import { plainLineOf } from "./harmless.ts";

export interface AnswerOption {
  readonly value: string;
  readonly label: string;
  readonly prompt_for?: string;
  readonly prompt_optional?: true;
}

export function optionLine({ value, label, prompt_for, prompt_optional }: AnswerOption, colors: Colors): string {
  const text = prompt_for ? `  with --input ${prompt_for}=TEXT${prompt_optional ? ", if you like" : ""}` : "";
  return `${colors.cyan(plainLineOf(value))}${label === value ? "" : `  ${plainLineOf(label)}`}${colors.dim(plainLineOf(text))}`;
}
