// `type: script` — runs a command. No shell.
import * as z from "zod";
import { placed } from "../schema/execution.ts";
import { cache, checkedOutput, environment, listOf, routed, text, timeout } from "../schema/fields.ts";
import { described, once } from "../schema/readings.ts";

export const scriptStep = once(() =>
  z
    .strictObject({
      type: described(
        z.literal("script"),
        "Runs a command, without a shell. One that exits with another code than 0 has failed, unless `ok_exit_codes` has the code.",
      ),
      ...routed,
      command: described(z.string().min(1), "The program to run. A template.", { scalars: true, examples: ["git"] }),
      args: described(
        listOf(text()),
        "Its arguments, one each. Templates. `${X}` of a variable that is not set is left for the shell.",
        { examples: [["push", "origin", "{{ workflow.input.branch }}"]] },
      ),
      env: described(environment().default({}), "Environment variables to add. Values are templates.", {
        examples: [{ CI: "1" }],
      }),
      stdin: described(
        z.string().optional(),
        "What the command reads on its standard input; empty when left out. A template.",
        { scalars: true, examples: ["{{ plan.output | tojson }}"] },
      ),
      working_dir: described(
        z.string().optional(),
        "The folder to run in, relative to this file; the root workflow's folder when left out. A template.",
      ),
      files: described(
        listOf(z.string().min(1)),
        "Files that the command reads, as patterns relative to this file, which are no templates: `*` is any part of a name, `**` any number of folders (`node_modules` and `.git` aside). They are part of the step's hash: when one of them changes, a resume runs the step again, and `cache` does not count. Name what it reads, not what it writes.",
        { examples: [["scripts/*.py", "config/**/*.json"]] },
      ),
      ok_exit_codes: described(
        z.union([z.literal("any"), z.array(z.int().min(0).max(255)).min(1)]).optional(),
        "Exit codes beside 0 with which the command has not failed; `any` for all, signals included. The code is then data, `output.exit_code`. Without this, a script of a file with `steps:` that exits with another code than 0, or is ended by a signal, raises `internal.script_error`; in a file with `agents:` only where the step opts in to errors.",
        { expects: "a list of exit codes from 0 to 255, or `any`", examples: [[0, 3], "any"] },
      ),
      ...placed,
      timeout,
      ...checkedOutput,
      cache,
    })
    .meta({ id: "ScriptStep" }),
);

export type ScriptStep = z.output<ReturnType<typeof scriptStep>>;
