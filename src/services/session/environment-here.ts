// The environment of this process, as every face hands it down: on Windows by names in any case.
import { PLATFORM } from "../../steps/process/platform.ts";
import { anyCase, type Variables } from "../../steps/process/windows-environment.ts";

export const environmentHere = (env: Variables = process.env, platform = PLATFORM): Variables =>
  platform === "win32" ? anyCase(env) : env;
