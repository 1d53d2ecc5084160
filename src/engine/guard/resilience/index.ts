// Retry, breakers, decisions, dead letters and policies as a library: each of them works alone.
export * from "./breaker-state.ts";
export * from "./circuit-breaker.ts";
export type * from "./dead-letter.ts";
export * from "./error-handler.ts";
export * from "./policies.ts";
export * from "./policy.ts";
export * from "./retry-policy.ts";
export type * from "./shared-breaker.ts";
