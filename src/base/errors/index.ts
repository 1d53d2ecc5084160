// The vocabulary of failure. Everything else speaks in these words.
export * from "./envelope.ts";
export * from "./kinds.ts";
export * from "./selector.ts";
export * from "./who-handles.ts";
