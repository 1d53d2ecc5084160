// What an agent's error means: worth another try, or not. ACP has no place for a status of the model's API: it is looked for
// where agents put it.
import { isMapping } from "../../../errors/mapping.ts";
import { failureOfStatus, ProviderFailure } from "../../failure.ts";
import { AgentRefusal } from "../agent-rpc.ts";

/** Of JSON-RPC and of ACP. */
const AUTH_REQUIRED = -32000;
const NO_SUCH: readonly unknown[] = [-32601, -32602];

/** `lastStatus` is what the model answered last, as far as Segno saw it. */
export function failureOfRequest(error: unknown, lastStatus?: number): unknown {
  if (!(error instanceof AgentRefusal)) return error;
  const message = [error.message, ...detailsOf(error)].join(": ").slice(0, MOST);
  const status = statusIn(error, message) ?? (isStatus(lastStatus) ? lastStatus : null);
  if (status !== null) return failureOfStatus(status, message);
  if (error.code === AUTH_REQUIRED)
    return new ProviderFailure("rejected", `it asks for a login, which is not used here: ${message}`);
  return new ProviderFailure(NO_SUCH.includes(error.code) ? "rejected" : "transient", message);
}

const MOST = 2000;

function detailsOf({ data }: AgentRefusal): string[] {
  const texts = isMapping(data) ? [data.details, data.message, data.error] : [data];
  return texts.filter((one): one is string => typeof one === "string" && one !== "");
}

const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 400 && value < 600;

function statusIn({ code, data }: AgentRefusal, message: string): number | null {
  const { status, statusCode, code: inner } = isMapping(data) ? data : {};
  const told = [code, status, statusCode, inner].find(isStatus);
  if (told !== undefined) return told;
  const written = /\b(?:status(?: code)?|code|API Error|HTTP)["':= ]+([45]\d\d)\b|^([45]\d\d)\b/i.exec(message);
  return written ? Number(written[1] ?? written[2]) : null;
}
