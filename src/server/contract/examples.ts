// A first run for a user who has no workflow yet: an example of the package, copied below the root.
import { z } from "zod";
import { text } from "./values.ts";

export const exampleBody = z.strictObject({ name: z.enum(["release"]) });
export type ExampleBody = z.infer<typeof exampleBody>;

export const exampleJson = z
  .object({ file: text.describe("relative to the root; what `start` takes") })
  .meta({ id: "Example" });
export type ExampleJson = z.infer<typeof exampleJson>;
