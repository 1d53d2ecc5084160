// The side of this machine.
import { PLATFORM } from "./platform.ts";
import { posix } from "./posix.ts";
import type { System } from "./system.ts";
import { windows } from "./windows.ts";

export const system: System = PLATFORM === "win32" ? windows : posix;
