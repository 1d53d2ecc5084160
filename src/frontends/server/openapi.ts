// /api/openapi.json, made from the schemas of the contract.

import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { ADDRESSES, type Address } from "./contract/addresses.ts";
import { STREAM_MESSAGES } from "./contract/log.ts";
import { healthJson } from "./contract/operations.ts";
import { problemJson, text, yesOrNo } from "./contract/values.ts";
import { LONGEST_KEY } from "./http-server.ts";

type Json = Readonly<Record<string, unknown>>;

const content = (schema: Json): Json => ({ "application/json": { schema } });

const REFUSED: Json = { description: "refused", content: content({ $ref: "#/components/schemas/Problem" }) };

function operation(components: Components, name: string, { path, about, query, body, answer, isWrite }: Address): Json {
  const inPath = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, parameter]) => ({
    name: parameter,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([parameter, schema]) => ({
    name: parameter,
    in: "query",
    required: false,
    schema: components.schemaOf(schema as z.ZodType, "input"),
  }));
  const key = isWrite
    ? [{ name: "Idempotency-Key", in: "header", required: true, schema: { type: "string", maxLength: LONGEST_KEY } }]
    : [];
  return {
    operationId: name,
    summary: about,
    parameters: [...inPath, ...inQuery, ...key],
    ...(body ? { requestBody: { required: true, content: content(components.schemaOf(body, "input")) } } : {}),
    responses: { 200: { description: "done", content: content(components.schemaOf(answer)) }, default: REFUSED },
    ...(name === "openSession" ? { security: [] } : {}),
  };
}

const stream: Json = {
  operationId: "stream",
  summary: "Server-sent events of runs, and of the list of runs. Each message is one of the schemas Stream…",
  parameters: [
    { name: "run", in: "query", description: "ID:SEQ, any number of times", schema: { type: "string" } },
    { name: "runs", in: "query", description: "1: also rows of the list", schema: { type: "string" } },
  ],
  responses: { 200: { description: "text/event-stream", content: { "text/event-stream": {} } }, default: REFUSED },
};

const blob: Json = {
  operationId: "blob",
  summary: "The JSON text of a value that was too long to be sent along; in parts when asked with Range.",
  parameters: [
    { name: "hash", in: "path", required: true, schema: { type: "string" } },
    { name: "run", in: "query", schema: { type: "string" } },
  ],
  responses: {
    200: { description: "the value", content: content({}) },
    206: { description: "a part of it" },
    416: { description: "there is no such part: content-range says how long it is" },
    default: REFUSED,
  },
};

const webhook = (components: Components): Json => ({
  operationId: "deliver",
  summary: "A webhook of a trigger, which its signature or token proves.",
  security: [],
  parameters: [{ name: "path", in: "path", required: true, schema: { type: "string" } }],
  requestBody: { required: true, content: content({}) },
  responses: {
    200: { description: "skipped", content: content(components.schemaOf(webhookJson)) },
    202: { description: "on disk", content: content(components.schemaOf(webhookJson)) },
    default: REFUSED,
  },
});

let made: Json | undefined;

export function openApi(version: string): Json {
  made ??= describe(version);
  return made;
}

function describe(version: string): Json {
  const components = new Components();
  components.schemaOf(problemJson);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, address] of Object.entries<Address>(ADDRESSES)) {
    const path = address.path.replaceAll("+}", "}");
    paths[path] = { ...paths[path], [address.method.toLowerCase()]: operation(components, name, address) };
  }
  paths["/api/stream"] = { get: stream };
  paths["/api/blobs/{hash}"] = { get: blob };
  paths["/hooks/{path}"] = { post: webhook(components) };
  paths["/healthz"] = {
    get: {
      operationId: "health",
      security: [],
      responses: { 200: { description: "up", content: content(components.schemaOf(healthJson)) } },
    },
  };
  const messages = Object.entries(STREAM_MESSAGES).map(([name, schema]) => [
    `Stream.${name}`,
    components.schemaOf(schema),
  ]);
  return {
    openapi: "3.1.0",
    info: { title: "Segno", version, description: "Runs of a store, live. What `segno serve` offers." },
    security: [{ session: [] }],
    paths,
    components: {
      securitySchemes: { session: { type: "http", scheme: "bearer" } },
      schemas: { ...Object.fromEntries(messages), ...components.schemas },
    },
  };
}

/** POST /hooks/PATH: what a genuine sender is answered. What is refused has the form that every refusal has. */
export const webhookJson = z
  .object({
    run_id: text.nullable().describe("null: it was skipped, and made none"),
    skipped: text.optional().describe("why"),
    duplicate: yesOrNo.optional().describe("the same delivery came before, and this is its run"),
  })
  .meta({ id: "Webhook" });

// The shapes that several answers share: each stands once in /api/openapi.json, under its name.

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
