// Asks a gate at the terminal: one of its options, and the text that the option wants.
import { type GateAnswer, type GateQuestion, missingText, type Unsigned } from "../../engine/people/ask.ts";
import { askerName } from "../../events/asker-name.ts";
import { LEFT, type Left, type Prompts } from "./prompts.ts";

export async function askGate(question: GateQuestion, prompts: Prompts): Promise<Unsigned<GateAnswer> | Left> {
  const choices = question.options.map(({ value, label, description }) => ({
    value,
    label,
    ...(description ? { hint: description } : {}),
  }));
  const value = await prompts.choose(askerName(question.key), choices);
  if (value === LEFT) return LEFT;
  const option = question.options.find((each) => each.value === value);
  if (!option?.prompt_for) return { kind: "gate", value, additional_input: {} };
  const { prompt_for, prompt_optional } = option;
  const text = await prompts.write(prompt_optional ? `${prompt_for} (may be left out)` : prompt_for, {
    multiline: option.multiline === true,
    refuse: (written) =>
      missingText(option, { [prompt_for]: written }) ? `${option.label} needs this text.` : undefined,
  });
  if (text === LEFT) return LEFT;
  return { kind: "gate", value, additional_input: { [option.prompt_for]: text } };
}
