// Where Conductor runs a step (`execution`, `restart`), and secrets by name. Segno runs every step on this machine, so of
// these only the secrets of scripts and MCP servers have an effect.
import * as z from "zod";
import { described, once } from "./readings.ts";

const NAME = /^[A-Za-z0-9_.-]+$/;

const ON_THIS_MACHINE = "Segno runs every step on this machine";

const secretName = () => z.string().regex(NAME).meta({ expects: "a name of letters, digits, `_`, `.` and `-`" });

/** `header` counts for servers only, which a check of the whole file says. */
const secret = once(() =>
  z
    .strictObject({
      ref: described(secretName(), "The secret's name: the environment variable of that name holds it."),
      scope: described(z.enum(["script", "mcp", "agent"]).optional(), "Conductor's word for who may have it."),
      delivery: described(
        z.union([
          z.strictObject({ env: described(z.string().min(1), "The variable that it is given in.") }),
          z.strictObject({ header: described(z.string().min(1), "The header that it is sent in.") }),
        ]),
        "How it is given.",
        { expects: "a mapping with `env` or `header`", examples: [{ env: "API_TOKEN" }] },
      ),
    })
    .meta({
      expects: "a mapping with `ref` and `delivery`",
      examples: [{ ref: "API_TOKEN", delivery: { env: "API_TOKEN" } }],
    }),
);

export const secrets = once(() => z.array(z.lazy(secret)));

const profile = () => described(secretName().optional(), "The profile to run under.", { unsupported: ON_THIS_MACHINE });

export const execution = described(
  z
    .strictObject({
      profile: profile(),
      secrets: described(
        z.lazy(secrets).optional(),
        "Secrets by name: for scripts the environment variable `ref` is given as `delivery.env`.",
      ),
    })
    .optional(),
  "Where Conductor runs the step, and with which secrets.",
);

export const restart = described(
  z.strictObject({ mode: z.enum(["rerun", "reuse", "fail"]).default("rerun") }).optional(),
  "What Conductor does with the step after a restart.",
  { unsupported: "a resume of Segno runs again what is missing or has changed" },
);

/** What a step that runs something can say about where. */
export const placed = { execution, restart };

/** `workflow.defaults`, `workflow.bundle` and `workflow.workspace`. */
export const placement = {
  defaults: described(
    z.strictObject({ execution: z.strictObject({ profile: profile() }).optional(), restart }).optional(),
    "Where Conductor runs the steps that do not say it themselves.",
  ),
  bundle: described(
    z
      .strictObject({ assets: z.array(z.string()).optional(), additional_roots: z.array(z.string()).optional() })
      .optional(),
    "What `conductor bundle build` packs.",
    { unsupported: "Segno runs files where they are, and packs nothing" },
  ),
  workspace: described(
    z
      .strictObject({
        mode: z.enum(["shared", "isolated"]).default("shared"),
        persistence: z.enum(["ephemeral", "durable", "on-failure"]).default("ephemeral"),
      })
      .optional(),
    "The folder that Conductor gives the steps of a run.",
    { unsupported: ON_THIS_MACHINE },
  ),
};
