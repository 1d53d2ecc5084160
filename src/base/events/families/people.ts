// People who are asked, and what they answer.
import { z } from "zod";
import { any, defineInGroup as define, flag, gateOption, map, number, text, texts, visit } from "./fields.ts";

/** The step that asks. */
const asker = { agent_name: text, key: text };

/** A person (`alex@box`), the way the answer came where that is something else, and who they say they are. */
const answerer = { answered_by: text, answered_via: text.optional(), claimed_by: text.optional() };

/**
 * When it was asked, unless that was in the run's first drive: an answer to what was asked before is none to it. Until when
 * an answer counts, who may give it, who may not, and a digest of the inputs that it is about.
 */
const waiting = {
  asked_at: text.optional(),
  deadline: text.optional(),
  approvers: texts.optional(),
  not_by: text.optional(),
  nor_by: texts.optional(),
  about: text.optional(),
};

export const PEOPLE_EVENTS = {
  gate_presented: define("A person is asked.", { ...asker, prompt: text, options: z.array(gateOption), ...waiting }),
  gate_resolved: define("A gate was answered: by a person, `--skip-gates`, `on_timeout` or a scenario.", {
    ...asker,
    selected_option: text,
    route: text.nullable(),
    additional_input: map,
    ...answerer,
  }),
  gate_notified: define("A notice that a gate or questions wait for an answer was sent, or could not be sent.", {
    ...asker,
    /** 0: when it was asked; from then on the reminders. */
    reminder: number,
    ok: flag,
    message: text.optional(),
  }),
  gate_refused: define("An answer was refused: the person who gave it may not answer.", {
    ...asker,
    answered_by: text,
    reason: text,
  }),
  gate_failed: define("A gate could not be asked.", { agent_name: text, error_type: text, message: text }),
  questions_presented: define("A list of questions is asked.", {
    ...asker,
    prompt: text.optional(),
    questions: z.array(map),
    ...waiting,
  }),
  questions_answered: define("One question was answered.", { ...asker, id: text, answer: any, source: text }),
  questions_completed: define("The questions are done.", {
    ...visit,
    outcome: text,
    answered_count: number,
    skipped_count: number,
    ...answerer,
  }),
  questions_failed: define("The questions could not be asked.", { agent_name: text, error_type: text, message: text }),
} as const;
