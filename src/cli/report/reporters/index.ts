// `--reporter`: the findings of `validate`, `errors` and `test` for other programs.
import type { ReportedCheck } from "./check.ts";
import { github } from "./github.ts";
import { type Called, inCheckout } from "./in-checkout.ts";
import { junit } from "./junit.ts";
import { sarif } from "./sarif.ts";
import { tap } from "./tap.ts";

const REPORTERS = { github, sarif, junit, tap } as const;

type Reporter = keyof typeof REPORTERS;

const isReporter = (name: string | undefined): name is Reporter => name !== undefined && Object.hasOwn(REPORTERS, name);

/** The text that this reporter makes of the checks; undefined for `text`, which each command shows in its own way. */
export function reported(
  name: string | undefined,
  checks: () => readonly ReportedCheck[],
  { version, asked }: { readonly version: string; readonly asked: Called },
): string | undefined {
  if (!isReporter(name)) return undefined;
  const isForService = name === "github" || name === "sarif";
  return REPORTERS[name](isForService ? inCheckout(checks(), asked) : checks(), version);
}
