// `--provider` and SEGNO_PROVIDER: whom agents ask, whatever the files say. A resume goes on with whom the run began.
import { PROVIDERS } from "../../language/schema/names.ts";
import { refusal } from "../refusals.ts";
import type { Driving } from "../request.ts";

interface Choosing extends Pick<Driving, "env" | "extensions"> {
  readonly provider?: string;
}

export function chosenProvider({ provider, env, extensions }: Choosing, before?: string | null): string | undefined {
  const name = [provider, before, env.SEGNO_PROVIDER].find((one) => typeof one === "string" && one !== "");
  if (!name) return undefined;
  const known = [...PROVIDERS.filter((one) => one !== "scripted"), ...Object.keys(extensions?.providers ?? {})];
  if (known.includes(name)) return name;
  throw refusal(`there is no provider ${name}; Segno knows ${known.join(", ")}`, {
    errorType: "UnknownProvider",
    hint: "Choose one of them with --provider, or leave it out: the file says whom it asks.",
  });
}
