// /api/openapi.json, made from the schemas of the contract.
import { z } from "zod";
import { ADDRESSES, type Address } from "./contract/addresses.ts";
import { healthJson } from "./contract/health.ts";
import { problemJson } from "./contract/problem.ts";
import { STREAM_MESSAGES } from "./contract/stream.ts";
import { webhookJson } from "./contract/webhook.ts";

type Json = Readonly<Record<string, unknown>>;

/** Shapes that several answers share, by name: they stand once, under components. */
const shared = new Map<string, unknown>();

/** A schema as OpenAPI 3.1 has it: JSON Schema 2020-12, with what it shares named from the top of the document. */
function jsonSchema(schema: z.ZodType, io: "input" | "output" = "output"): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Record<string, unknown>;
  const nameless = `Part${shared.size}`;
  const text = JSON.stringify(made, (key, value) => (key === "id" && value === schema.meta()?.id ? undefined : value))
    .replaceAll('"#/$defs/__', `"#/components/schemas/${nameless}__`)
    .replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $schema: _, $defs = {}, ...rest } = JSON.parse(text) as Record<string, unknown>;
  for (const [name, part] of Object.entries($defs as Json))
    shared.set(name.startsWith("__") ? `${nameless}${name}` : name, withoutId(part));
  return rest;
}

const withoutId = (part: unknown): unknown => {
  const { id: _, ...rest } = part as Record<string, unknown>;
  return rest;
};

const content = (schema: Json): Json => ({ "application/json": { schema } });

const REFUSED: Json = { description: "refused", content: content({ $ref: "#/components/schemas/Problem" }) };

function operation(name: string, { path, about, query, body, answer, isWrite }: Address): Json {
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
    schema: jsonSchema(schema as z.ZodType, "input"),
  }));
  const key = isWrite
    ? [{ name: "Idempotency-Key", in: "header", required: true, schema: { type: "string", maxLength: 200 } }]
    : [];
  return {
    operationId: name,
    summary: about,
    parameters: [...inPath, ...inQuery, ...key],
    ...(body ? { requestBody: { required: true, content: content(jsonSchema(body, "input")) } } : {}),
    responses: {
      200: { description: "done", content: content(jsonSchema(answer)) },
      default: REFUSED,
    },
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
  responses: { 200: { description: "text/event-stream", content: { "text/event-stream": {} } } },
};

const blob: Json = {
  operationId: "blob",
  summary: "The JSON text of a value that was too long to be sent along; in parts when asked with Range.",
  parameters: [
    { name: "hash", in: "path", required: true, schema: { type: "string" } },
    { name: "run", in: "query", schema: { type: "string" } },
  ],
  responses: { 200: { description: "the value", content: content({}) }, 206: { description: "a part of it" } },
};

const webhook = (): Json => ({
  operationId: "deliver",
  summary: "A webhook of a trigger, which its signature or token proves.",
  security: [],
  parameters: [{ name: "path", in: "path", required: true, schema: { type: "string" } }],
  requestBody: { required: true, content: content({}) },
  responses: {
    200: { description: "skipped", content: content(jsonSchema(webhookJson)) },
    202: { description: "on disk", content: content(jsonSchema(webhookJson)) },
    default: REFUSED,
  },
});

let made: Json | undefined;

export function openApi(version: string): Json {
  made ??= describe(version);
  return made;
}

function describe(version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, address] of Object.entries<Address>(ADDRESSES)) {
    const path = address.path.replaceAll("+}", "}");
    paths[path] = { ...paths[path], [address.method.toLowerCase()]: operation(name, address) };
  }
  paths["/api/stream"] = { get: stream };
  paths["/api/blobs/{hash}"] = { get: blob };
  paths["/hooks/{path}"] = { post: webhook() };
  paths["/healthz"] = {
    get: {
      operationId: "health",
      security: [],
      responses: { 200: { description: "up", content: content(jsonSchema(healthJson)) } },
    },
  };
  const messages = Object.entries(STREAM_MESSAGES).map(([name, schema]) => [`Stream.${name}`, jsonSchema(schema)]);
  return {
    openapi: "3.1.0",
    info: { title: "Segno", version, description: "Runs of a store, live. What `segno serve` offers." },
    security: [{ session: [] }],
    paths,
    components: {
      securitySchemes: { session: { type: "http", scheme: "bearer" } },
      schemas: { Problem: jsonSchema(problemJson), ...Object.fromEntries(messages), ...Object.fromEntries(shared) },
    },
  };
}
