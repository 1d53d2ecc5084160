// A span of time in a file.
import * as z from "zod";
import { DURATION } from "./parse-duration.ts";
import { READINGS } from "./readings.ts";

/** A span of time above zero. Reads `90`, `"90s"` and `"1.5m"` alike; the definition holds seconds. */
export const seconds = () =>
  z
    .union([z.number().positive(), z.string().regex(DURATION)])
    .transform(READINGS.seconds)
    .meta({ expects: "a number of seconds above 0, or a duration such as 30s, 2m or 1h", examples: [30, "2m"] });
