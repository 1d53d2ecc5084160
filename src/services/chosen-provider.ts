// `--provider` and SEGNO_PROVIDER: whom agents ask, whatever the files say. A resume goes on with whom the run began.
import { PROVIDERS } from "../language/schema/provider.ts";
import type { Result } from "../results/result.ts";
import { refused } from "./refusals.ts";
import type { Surroundings } from "./request.ts";

interface Choosing extends Pick<Surroundings, "env"> {
  readonly provider?: string;
}

export type ChosenProvider =
  | { readonly ok: true; readonly provider?: string }
  | { readonly ok: false; readonly result: Result };

export function chosenProvider({ provider, env }: Choosing, before?: string | null): ChosenProvider {
  const name = [provider, env.SEGNO_PROVIDER, before].find((one) => typeof one === "string" && one !== "");
  if (!name) return { ok: true };
  const known = PROVIDERS.filter((one) => one !== "scripted");
  if (known.includes(name)) return { ok: true, provider: name };
  const result = refused(`there is no provider ${name}; Segno knows ${known.join(", ")}`, {
    errorType: "UnknownProvider",
    hint: "Choose one of them with --provider, or leave it out: the file says whom it asks.",
  });
  return { ok: false, result };
}
