// The step type `http`: one request, and the errors that its answer can be.
import { httpTarget, onlyFields, type StepType } from "../step-type.ts";
import type { PreparedHttp } from "./run.ts";
import { type HttpStep, httpStep } from "./schema.ts";

const EVENTS = ["http_started", "http_completed", "http_failed"] as const;

export const http = {
  description: "sends one HTTP request",
  schema: httpStep,
  executor: () => import("./run.ts").then(({ http }) => http),
  alsoCalled: ["fetch", "request", "rest"],
  output: "`{status, headers, body, response_time}`; a JSON body is parsed",
  templates: ["url", "headers", "query", "body"],
  raises: ({ output }, { raisesSchemaViolation }) => [
    "internal.timeout",
    ...(output && raisesSchemaViolation ? ["internal.schema_violation"] : []),
    "http.unavailable",
    "http.status",
    "http.network",
    "circuit.open",
  ],
  finishesWithErrors: true,
  shape: () => onlyFields("status", "headers", "body", "response_time"),
  target: (values) => httpTarget((values as PreparedHttp).request.url),
  intent(values) {
    const { url, method } = (values as PreparedHttp).request;
    return { url, method };
  },
  answeredBy: "http_scripts",
  events: { onlyForReaders: EVENTS, noted: EVENTS },
} as const satisfies StepType<HttpStep>;
