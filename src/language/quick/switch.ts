// `SEGNO_QUICK=off` reads every file with the YAML library and the schemas: to tell whether quick reading is to blame.
import type { LoadWorld } from "../loaded.ts";

export const readsQuickly = ({ env }: LoadWorld): boolean => env.SEGNO_QUICK !== "off";
