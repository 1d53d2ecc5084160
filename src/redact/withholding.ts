// For data whose secrets are not known: no text of it is shown.
import { REDACTED } from "./mark.ts";
import type { Redactor } from "./redactor.ts";
import { redactValue, type WalkRules } from "./walk.ts";

const text = (given: string): string => (given === "" ? given : REDACTED);

const RULES: WalkRules = {
  text,
  number: (value) => value,
  key: (name) => ({ name, secrecy: "none" }),
  mark: REDACTED,
};

export const WITHHOLDING: Redactor = {
  text,
  value: (value) => redactValue(value, RULES),
  learn: () => {},
  metIn: () => ({ secrets: [], shortSecrets: [] }),
  mayHide: () => true,
  stream: () => ({ push: text, end: () => "" }),
};
