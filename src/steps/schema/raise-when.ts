// `raise_when:` — an author's rule that turns a result into a typed error.
import * as z from "zod";
import { once } from "./once.ts";

export const raiseWhen = once(() =>
  z
    .strictObject({
      when: z.string().meta({
        scalars: true,
        description: "The condition: a template, or an expression over this step's output fields.",
        examples: ["exit_code == 128"],
      }),
      kind: z
        .string()
        .meta({ description: "The kind to raise: a dotted lower-case name.", examples: ["external.git.fetch_failed"] }),
      message: z.string().meta({
        scalars: true,
        description: "What people read. A template; `output` is this step's output.",
        examples: ["{{ output.stderr | trim }}"],
      }),
      details: z
        .record(z.string(), z.unknown())
        .default({})
        .describe("Whatever a handler needs to know. Values are templates and keep their types."),
    })
    .meta({ id: "RaiseWhen", expects: "a mapping with `when`, `kind` and `message`" }),
);

export type RaiseWhen = z.output<ReturnType<typeof raiseWhen>>;
