// What every provider must do, as one list: each case is an exchange with a fake server and what a user would notice.
// A new provider passes by adding a line to the wires of `providers.test.ts`, not by copying tests.
import { ANSWERS } from "./answers.ts";
import type { Case } from "./case.ts";
import { TRANSPORT } from "./transport.ts";

export const CASES: readonly Case[] = [...ANSWERS, ...TRANSPORT];
