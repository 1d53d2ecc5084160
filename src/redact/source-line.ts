// A line of a file as it may be shown. What it says in clear its author sees; what is quoted of it may stand in a log.
import { secretsByName } from "./by-name.ts";
import { createRedactor } from "./redactor.ts";

/** Without the passwords and tokens in addresses and in JSON, and without what looks like a token. */
export const redactSourceLine = (line: string): string => createRedactor({ secrets: secretsByName(line) }).text(line);
