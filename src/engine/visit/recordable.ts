// Whether a step's output can be recorded. One that no journal can hold is a failure of the step, which a route can
// take; found only while writing, it would end the run. Values that share parts can double with every visit.
import { failed, type Outcome, raised, UNRECORDABLE } from "../../base/errors/index.ts";
import { isOfShortText } from "../../base/json/bounded.ts";
import { latesOf } from "../../base/json/late.ts";

export interface RecordCaps {
  readonly levels: number;
  /** Entries of lists and mappings, counted as often as they are written. */
  readonly values: number;
  /** Characters of all texts together. */
  readonly characters: number;
  /** Characters of one text as JSON: no text can be longer. */
  readonly jsonText: number;
}

export const RECORD_CAPS: RecordCaps = {
  levels: 500,
  values: 10_000_000,
  characters: 1024 ** 3,
  jsonText: 0x1fff_ffe8,
};

const NO_NUMBER = "it has a number that JSON cannot hold";

/** JSON writes a control character as six. */
const LONGEST_ESCAPE = 6;

class Weighing {
  #values = 0;
  #characters = 0;

  constructor(private readonly caps: RecordCaps) {}

  /** Why it is too much. Recursive: it goes no deeper than the cap. */
  over(value: unknown, level: number): string | undefined {
    if (typeof value === "string") return this.#overText(value);
    if (typeof value === "number" && !Number.isFinite(value)) return NO_NUMBER;
    if (typeof value !== "object" || value === null) return undefined;
    if (level >= this.caps.levels) return `it is nested more than ${this.caps.levels} levels deep`;
    const lates = latesOf(value);
    for (const key in value) {
      this.#values++;
      this.#characters += key.length;
      if (this.#values > this.caps.values) return `it has more than ${this.caps.values} values`;
      const late = lates?.get(key);
      // It is recorded: all that is left to ask is how long all texts are together.
      if (late) this.#characters += late.length;
      const why = this.over(late ? "" : (value as Record<string, unknown>)[key], level + 1);
      if (why) return why;
    }
    return undefined;
  }

  #overText(text: string): string | undefined {
    this.#characters += text.length;
    const { characters, jsonText } = this.caps;
    if (this.#characters > characters) return `its texts have more than ${characters} characters`;
    if (text.length * LONGEST_ESCAPE + 2 <= jsonText) return undefined;
    return writtenLength(text) > jsonText ? `a text in it is longer than ${jsonText} characters as JSON` : undefined;
  }
}

function writtenLength(text: string): number {
  try {
    return JSON.stringify(text).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export function whyUnrecordable(value: unknown, caps = RECORD_CAPS): string | undefined {
  if (caps === RECORD_CAPS && typeof value === "object" && value !== null && isOfShortText(value)) return undefined;
  return new Weighing(caps).over(value, 0);
}

/** The outcome, or the failure that stands for one that cannot be kept. */
export function recordable(node: string, outcome: Outcome, caps = RECORD_CAPS): Outcome {
  const why = whyUnrecordable(outcome.ok ? outcome.output : [outcome.output, outcome.error], caps);
  if (why === undefined) return outcome;
  const what = outcome.ok ? "output" : "error";
  const instead = why === NO_NUMBER ? "Let it be text" : "Let the step write it to a file, and give the file's name";
  return failed(
    raised("internal.step_error", `The ${what} of ${node} cannot be recorded: ${why}. ${instead}.`, {
      exception_type: UNRECORDABLE,
      own_code: null,
    }),
    undefined,
    outcome.changes,
  );
}
