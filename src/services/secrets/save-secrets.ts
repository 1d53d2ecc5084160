// The secrets of a drive, kept before it begins: its secret inputs, and those that earlier drives had and this one has not.
import type { RunLog } from "../../hosts/run-log.ts";
import type { DriveSetup } from "../drive/setup.ts";
import { textsOf } from "./secret-inputs.ts";

export async function saveSecretsOf({ split }: Pick<DriveSetup, "split">, run: RunLog): Promise<void> {
  if (Object.keys(split.secrets).length === 0) return;
  const now = new Set(textsOf(split.secrets));
  const replaced = [...textsOf(await run.secrets())].filter((secret) => !now.has(secret));
  if (replaced.length > 0) await run.keepMet({ secrets: [], shortSecrets: replaced });
  await run.saveSecrets(split.secrets);
}
