// `type: script` — runs a command. No shell.
import * as z from "zod";
import { cache, environment, listOf, output, routed, text, timeout } from "../schema/fields.ts";
import { once } from "../schema/readings.ts";

export const scriptStep = once(() =>
  z
    .strictObject({
      type: z.literal("script").describe("Runs a command, without a shell."),
      ...routed,
      command: z
        .string()
        .min(1)
        .meta({ scalars: true, description: "The program to run. A template.", examples: ["git"] }),
      args: listOf(text()).meta({
        description: "Its arguments, one each. Templates. `${X}` of a variable that is not set is left for the shell.",
        examples: [["push", "origin", "{{ workflow.input.branch }}"]],
      }),
      env: environment()
        .default({})
        .meta({ description: "Environment variables to add. Values are templates.", examples: [{ CI: "1" }] }),
      stdin: z
        .string()
        .optional()
        .meta({
          scalars: true,
          description: "What the command reads on its standard input; empty when left out. A template.",
          examples: ["{{ plan.output | tojson }}"],
        }),
      working_dir: z
        .string()
        .optional()
        .describe("The folder to run in, relative to this file; the root workflow's folder when left out. A template."),
      files: listOf(z.string().min(1)).meta({
        description:
          "Files that the command reads, as patterns relative to this file: `*` is any part of a name, `**` any number of folders (`node_modules` and `.git` aside). They are part of the step's hash: when one of them changes, a resume runs the step again, and `cache` does not count. Name what it reads, not what it writes.",
        examples: [["scripts/*.py", "config/**/*.json"]],
      }),
      timeout,
      output,
      cache,
    })
    .meta({ id: "ScriptStep" }),
);

export type ScriptStep = z.output<ReturnType<typeof scriptStep>>;
