// The run that asks, with the step that does.
import type { GateJson } from "../../../server/contract/gates.ts";
import { addressOf } from "../../state/address.ts";

export const gateRun = ({ run_id, path, node_id }: GateJson): string =>
  addressOf(`/runs/${encodeURIComponent(run_id)}`, { step: [...path, node_id].join("/") });
