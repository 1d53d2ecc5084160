// What an agent's error means: worth another try, or not. ACP has no place for a status of the model's API: it is looked for
// where agents put it.
import { RequestError } from "@agentclientprotocol/sdk";
import { isMapping } from "../../../errors/mapping.ts";
import { ProviderFailure } from "../../failure.ts";
import { failureOfStatus } from "../status.ts";

/** Of JSON-RPC and of ACP. */
const AUTH_REQUIRED = -32000;
const NO_SUCH = [-32601, -32602];

/** `lastStatus` is what the model answered last, as far as Segno saw it. */
export function failureOfRequest(error: unknown, lastStatus?: number): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const message = [error instanceof Error ? error.message : String(error), ...detailsOf(error)]
    .join(": ")
    .slice(0, MOST);
  const status = statusIn(error, message) ?? (isStatus(lastStatus) ? lastStatus : null);
  if (status !== null) return failureOfStatus(status, message);
  const code = error instanceof RequestError ? error.code : 0;
  if (code === AUTH_REQUIRED)
    return new ProviderFailure("rejected", `it asks for a login, which is not used here: ${message}`);
  return new ProviderFailure(NO_SUCH.includes(code) ? "rejected" : "transient", message);
}

const MOST = 2000;

function detailsOf(error: unknown): string[] {
  const data = error instanceof RequestError ? error.data : undefined;
  const texts = isMapping(data) ? [data.details, data.message, data.error] : [data];
  return texts.filter((one): one is string => typeof one === "string" && one !== "");
}

const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 400 && value < 600;

function statusIn(error: unknown, message: string): number | null {
  const { code, data } = error instanceof RequestError ? error : {};
  const { status, statusCode, code: inner } = isMapping(data) ? data : {};
  const told = [code, status, statusCode, inner].find(isStatus);
  if (told !== undefined) return told;
  const written = /\b(?:status(?: code)?|code|API Error|HTTP)["':= ]+([45]\d\d)\b|^([45]\d\d)\b/i.exec(message);
  return written ? Number(written[1] ?? written[2]) : null;
}
