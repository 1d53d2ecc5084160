// Whether a step type belongs to the language, or is a user's own.
import { STEP_TYPE_NAMES } from "../../steps/types.ts";

const LANGUAGE: ReadonlySet<string> = new Set(STEP_TYPE_NAMES);

export const isOwnType = (type: string): boolean => !LANGUAGE.has(type);
