// The shapes that several answers share: each stands once in /api/openapi.json, under its name.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

type Json = Readonly<Record<string, unknown>>;

/**
 * Makes schemas of the contract into those of OpenAPI 3.1 (JSON Schema 2020-12) and gathers what has a name:
 *
 *     const components = new Components();
 *     components.schemaOf(gatesJson); // { $ref: "#/components/schemas/Gates" }
 *     components.schemas; // { Gates: …, ListedGate: … }
 */
export class Components {
  private readonly named = new Map<string, unknown>();

  get schemas(): Json {
    return Object.fromEntries(this.named);
  }

  schemaOf(schema: z.ZodType, io: "input" | "output" = "output"): Json {
    // Around an answer, so that the answer itself gets its name too, and may hold itself.
    const around = z.toJSONSchema(z.object({ schema }), { io, unrepresentable: "any" });
    const nameless = `Part${this.named.size}`;
    const text = JSON.stringify({ schema: around.properties?.schema, parts: around.$defs ?? {} })
      .replaceAll('"#/$defs/__', `"#/components/schemas/${nameless}__`)
      .replaceAll('"#/$defs/', '"#/components/schemas/');
    const made = JSON.parse(text) as { readonly schema: Json; readonly parts: Record<string, Json> };
    for (const [name, { id: _, ...part }] of Object.entries(made.parts))
      this.keep(name.startsWith("__") ? `${nameless}${name}` : name, part);
    return made.schema;
  }

  /** A second shape in the place of the first would make the description of every answer that holds the first wrong. */
  private keep(name: string, part: Json): void {
    if (this.named.has(name) && !isDeepStrictEqual(this.named.get(name), part))
      throw new Error(`two different shapes are called ${name}: give one of them another id`);
    this.named.set(name, part);
  }
}
