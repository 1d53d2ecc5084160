// What a server answers with, read by its content type and held against a step's schema.
import fc from "fast-check";
import { meaningOf } from "../../src/steps/http/client.ts";
import { schemaViolation } from "../../src/steps/output-schema.ts";
import { fuzz, textsLike } from "./door.ts";

const FIELDS = {
  id: { type: "number" as const, required: true, nullable: false },
  tags: { type: "array" as const, required: true, nullable: false },
  deep: { type: "object" as const, required: true, nullable: false },
};

fuzz({
  name: "the body of an HTTP answer",
  inputs: fc.tuple(
    fc.oneof(
      textsLike(JSON.stringify({ id: 1, tags: ["a"], deep: { er: { x: null } } })).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    ),
    fc.oneof(
      fc.constantFrom(
        undefined,
        "application/json",
        "application/problem+json; charset=utf-16",
        "text/html; charset=latin1",
      ),
      textsLike("application/json; charset=utf-8"),
    ),
  ),
  async enter([bytes, contentType]) {
    const body = meaningOf(bytes, contentType);
    return { body, error: await schemaViolation("probe", "http", FIELDS, { body, ...Object(body) }) };
  },
});
