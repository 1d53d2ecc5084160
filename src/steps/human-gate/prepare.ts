// `type: human_gate`. Prepares the question, and reads the answer into an output; the engine asks and routes.

import type { Preparer } from "../step-type.ts";
import { renderText } from "../values.ts";
import type { HumanGateStep } from "./schema.ts";

export interface GateOption {
  readonly label: string;
  readonly value: string;
  readonly route?: string;
  readonly description?: string;
  /** Name of a text that this option asks for as well. */
  readonly prompt_for?: string;
  readonly multiline?: boolean;
  /** That text may be left out. */
  readonly prompt_optional?: true;
}

export interface PreparedOption extends GateOption {
  readonly name: string;
}

export interface PreparedGate {
  readonly prompt: string;
  readonly options: readonly PreparedOption[];
}

export interface ChosenAnswer {
  /** An option's value, name or label. */
  readonly value: string;
  readonly additional_input?: Readonly<Record<string, string>>;
}

export interface GateOutput {
  readonly selected: string;
  readonly choice: string;
  readonly additional_input: Readonly<Record<string, string>>;
}

export const humanGate: Preparer<HumanGateStep, PreparedGate> = {
  type: "human_gate",
  version: 1,

  prepare(step, scope) {
    const names = scope.everything ?? scope.names;
    const text = (source: string): string => renderText(source, names);
    const options = step.options.map((option) => ({
      name: text(option.name),
      label: text(option.label),
      value: text(option.value),
      ...(option.route === undefined ? {} : { route: option.route }),
      ...(option.description === undefined ? {} : { description: text(option.description) }),
      ...(option.prompt_for === undefined ? {} : { prompt_for: option.prompt_for, multiline: option.multiline }),
      ...(option.prompt_for !== undefined && option.prompt_optional ? { prompt_optional: true as const } : {}),
    }));
    return { prompt: text(step.prompt), options };
  },
};

/** What an answer may name an option by. A question that waits has no names any more. */
interface Choice {
  readonly value: string;
  readonly name?: string;
  readonly label: string;
}

/** The option that an answer names: by value first, then by name, then by label in any case. */
export function chosenOption<Option extends Choice>(
  { options }: { readonly options: readonly Option[] },
  value: string,
): Option | undefined {
  const wanted = value.trim().toLowerCase();
  return (
    options.find((option) => option.value === value) ??
    options.find((option) => option.name === value) ??
    options.find((option) => option.label.toLowerCase() === wanted)
  );
}

/** What can be answered, for people: `yes (Ship it), no`. */
export const shownChoices = (options: readonly Choice[]): string =>
  options.map(({ value, label }) => inOneLine(label === value ? value : `${value} (${label})`)).join(", ");

/** A label may have lines of its own; in a sentence one of them could be taken for a line of ours. */
const inOneLine = (text: string): string => text.replace(/\s+/gu, " ").trim();

/** The step's output for an answer; undefined when the answer is none of the options. */
export function gateOutput(prepared: PreparedGate, answer: ChosenAnswer): GateOutput | undefined {
  const option = chosenOption(prepared, answer.value);
  if (option === undefined) return undefined;
  // Scenarios, skipped gates and optional texts: what was not given is empty, so that the next template can read it.
  const asked = option.prompt_for === undefined ? {} : { [option.prompt_for]: "" };
  return { selected: option.value, choice: option.name, additional_input: { ...asked, ...answer.additional_input } };
}
