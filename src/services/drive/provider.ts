// `--provider` and SEGNO_PROVIDER: whom agents ask, whatever the files say. A resume goes on with whom the run began.
import { PROVIDERS } from "../../language/schema/names.ts";
import { COMMAND_LINE } from "../../results/index.ts";
import { refusal } from "../refusals.ts";
import type { Session } from "../session/session.ts";

export function chosenProvider(
  { env, extensions, reader = COMMAND_LINE }: Session,
  provider: string | undefined,
  before?: string | null,
): string | undefined {
  const name = [provider, before, env.SEGNO_PROVIDER].find((one) => typeof one === "string" && one !== "");
  if (!name) return undefined;
  const known = [...PROVIDERS.filter((one) => one !== "scripted"), ...Object.keys(extensions?.providers ?? {})];
  if (known.includes(name)) return name;
  throw refusal(`there is no provider ${name}; Segno knows ${known.join(", ")}`, {
    errorType: "UnknownProvider",
    hint: `Choose one of them with ${reader.give({ what: "provider" })}, or leave it out: the file says whom it asks.`,
  });
}
