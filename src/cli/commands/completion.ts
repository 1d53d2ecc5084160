// `segno completion`: a script that teaches a shell the commands, their options and their choices.

import type { Call } from "../command.ts";
import { completionScript, type ShellName } from "../completion.ts";

export default function completion({ asked, output, commands }: Call): number {
  output.stdout.write(completionScript(asked.required(0) as ShellName, commands));
  return 0;
}
