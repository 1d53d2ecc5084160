// Redaction: from any value to a value that may leave the process.
export {
  secretsByName,
  secretsFromEnvironment,
  secretsFromHeaders,
} from "./environment.ts";
export { isSecretKey } from "./keys.ts";
export { createRedactor, REDACTED, type Redactor, type SecretsToHide } from "./redactor.ts";
export type { RedactingStream } from "./stream.ts";
