// Redaction: from any value to a value that may leave the process.
export { isUnguessable, placeOfAddress, secretsFromAddress, withoutAddressSecrets } from "./address.ts";
export { maySpeakOfSecrets, secretsByName } from "./by-name.ts";
export { secretsFromEnvironment, secretsFromHeaders } from "./environment.ts";
export { isSecretKey } from "./keys.ts";
export type { MetSecrets } from "./known.ts";
export { REDACTED } from "./mark.ts";
export { createRedactor, type HowKnown, type Redactor, redactSourceLine, type SecretsToHide } from "./redactor.ts";
export type { RedactingStream } from "./stream.ts";
export { WITHHOLDING } from "./withholding.ts";
