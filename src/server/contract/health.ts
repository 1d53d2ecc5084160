// GET /healthz, which needs no session and tells nothing about runs.
import { z } from "zod";
import { text } from "./values.ts";

export const healthJson = z.object({ status: z.enum(["ok", "stopping"]), version: text }).meta({ id: "Health" });
export type HealthJson = z.infer<typeof healthJson>;
