// The step type `script`: a command, run without a shell.
import { ANY, declaredFields, type StepType, UNKNOWN } from "../step-type.ts";
import type { PreparedScript } from "./run.ts";
import { type ScriptStep, scriptStep } from "./schema.ts";

export const script = {
  description: "runs a command, without a shell",
  schema: scriptStep,
  executor: () => import("./run.ts").then(({ script }) => script),
  alsoCalled: ["bash", "sh", "shell", "command", "exec", "run", "python"],
  output: "`{stdout, stderr, exit_code}`, and when stdout is one JSON object, its keys over them",
  templates: ["command", "args", "env", "stdin", "working_dir"],
  raises: (_, { raisesOnExit }) => [
    ANY,
    "internal.command_not_found",
    "internal.resource_exhausted",
    "internal.schema_violation",
    "internal.undeclared_kind",
    ...(raisesOnExit ? ["internal.script_error"] : []),
  ],
  finishesWithErrors: true,
  shape: ({ output }) => (output ? declaredFields(output, ["stdout", "stderr", "exit_code"]) : UNKNOWN),
  intent(values) {
    const { command, args, env, secrets = {} } = values as PreparedScript;
    return { command, args, env: [...Object.keys(env), ...Object.keys(secrets)] };
  },
  answeredBy: "cli_scripts",
  events: { onlyForReaders: ["script_started"] },
} as const satisfies StepType<ScriptStep>;
