// `--reporter`: the findings of `validate`, `errors` and `test` for other programs.
import type { ReportedCheck } from "./check.ts";
import { github } from "./github.ts";
import { junit } from "./junit.ts";
import { sarif } from "./sarif.ts";
import { tap } from "./tap.ts";

const REPORTERS = { github, sarif, junit, tap } as const;

type Reporter = keyof typeof REPORTERS;

const isReporter = (name: string | undefined): name is Reporter => name !== undefined && Object.hasOwn(REPORTERS, name);

/** The text that this reporter makes of the checks; undefined for `text`, which each command shows in its own way. */
export const reported = (name: string | undefined, checks: () => readonly ReportedCheck[], version: string) =>
  isReporter(name) ? REPORTERS[name](checks(), version) : undefined;
