// Redaction: from any value to a value that may leave the process.

export { authored, byName } from "./answer.ts";
export {
  givenByName,
  maySpeakOfSecrets,
  secretsByName,
  secretsFromEnvironment,
  secretsFromHeaders,
} from "./by-name.ts";
export { isSecretKey, isUnguessable, placeOfAddress, secretsFromAddress, withoutAddressSecrets } from "./keys.ts";
export type { SeenSecrets } from "./known.ts";
export { REDACTED } from "./mark.ts";
export {
  createRedactor,
  type HowKnown,
  type Redactor,
  redactSourceLine,
  type SecretsToHide,
  WITHHOLDING,
} from "./redactor.ts";
export type { RedactingStream } from "./stream.ts";
