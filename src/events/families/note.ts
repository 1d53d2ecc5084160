// What is only worth knowing.
import { define, flag, number, text } from "./fields.ts";

export const NOTE_EVENTS = {
  hook_ran: define("A lifecycle hook ran.", {
    hook: text,
    key: text.optional(),
    ok: flag,
    text: text.optional(),
    exit_code: number.optional(),
    message: text.optional(),
  }),
  warning: define("Something worth knowing happened.", { node: text.nullable(), message: text }),
  errors_jsonl_write_failed: define("`errors.jsonl` could not be written.", { reason: text, path: text }),
} as const;
