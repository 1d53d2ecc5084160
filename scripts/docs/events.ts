// docs/events.md: every event with its payload, from the registry.
import type * as z from "zod";
import { EVENTS } from "../../src/base/events/registry.ts";
import { shapeOf } from "../../src/language/schema-at.ts";
import { code, generated, paragraphs, table } from "./markdown.ts";
import { typeOf } from "./type-text.ts";

const isOptional = (schema: z.core.$ZodType): boolean => schema._zod.optin !== undefined;

/** Mappings inside are told in line; the one that is everywhere has a page. */
function mapping(schema: z.core.$ZodType): string {
  const fields = Object.entries(shapeOf(schema) ?? {});
  if (fields.some(([name]) => name === "raised_at")) return "[envelope](errors.md#the-envelope)";
  return code(`{${fields.map(([name, field]) => `${name}${isOptional(field) ? "?" : ""}`).join(", ")}}`);
}

function payload(data: z.ZodType): string {
  const fields = Object.entries(shapeOf(data) ?? {}).map(([name, schema]) => {
    return [code(name), `${typeOf(schema, mapping)}${isOptional(schema) ? ", optional" : ""}`];
  });
  return fields.length > 0 ? table(["field", "type"], fields) : "No fields.";
}

export function eventsPage(): string {
  return paragraphs(
    generated("src/base/events/registry.ts"),
    "# Events",
    "Read what happened in a run, one event at a time: with `segno events RUN`, in the run's `events.jsonl`, or live with `segno run FILE --output-format ndjson`. Everything else that Segno shows (results, `show`, `explain`, the live tree) is computed from these. Words such as *drive*, *visit* and *attempt* are explained in [words.md](words.md).",
    "In `events.jsonl` a text longer than 16 384 characters is cut to its first 1 000 characters, followed by its length and its SHA-256 digest. Secrets are replaced before that. `segno events RUN` prints the whole text.",
    "Each event is one object:",
    table(
      ["field", "meaning"],
      [
        ["`seq`", "its number in the run, from 1, without gaps"],
        ["`ts`", "when, ISO 8601"],
        ["`type`", "one of those below"],
        ["`run_id`", "the run"],
        ["`path`", 'the sub-workflows it happened in: `[]`, or `["plan", "build[3]"]`'],
        ["`data`", "the payload, as below; secrets are replaced before it is written"],
      ],
    ),
    "What a script prints is held back while it could be the beginning of a secret: it comes with the next `script_output` of the script. What is held back when the script ends has no event of its own. It is in `held_back` of `script_completed` or `script_failed`, and of `run_resumed` for a script whose process was killed. Its `seq` is the number of the `script_output` whose text goes on with it. When the run is over and its secrets are forgotten, that text has it.",
    "Names are Conductor's where Conductor has the event. `agent_started`, `agent_completed` and `agent_failed` are about steps of every type, not only agents.",
    "## All of them",
    table(
      ["event", "what happened"],
      Object.entries(EVENTS).map(([type, { description }]) => [`[${code(type)}](#${type})`, description]),
    ),
    ...Object.entries(EVENTS).map(([type, { description, data }]) =>
      paragraphs(`### ${code(type)}`, description, payload(data)).trimEnd(),
    ),
  );
}
