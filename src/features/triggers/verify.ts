// Whether a webhook was sent by who says so. Every comparison takes the same time whatever was sent.
import { createHash, createHmac } from "node:crypto";
import { isSameSecret } from "../../base/errors/same-secret.ts";

export type Verification = "github" | "standard-webhooks" | "token";

/** Names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface Delivery {
  readonly headers: Headers;
  /** As it came: what is signed is these bytes. */
  readonly body: Uint8Array;
}

/** Standard Webhooks: how far the sender's clock may be off, and how old a delivery may be. */
export const TOLERANCE_MS = 5 * 60 * 1000;

/** An empty secret verifies nothing. */
export function isGenuine(verify: Verification, secret: string, delivery: Delivery, now: number): boolean {
  if (secret === "") return false;
  switch (verify) {
    case "github":
      return isSignedByGithub(secret, delivery);
    case "standard-webhooks":
      return isStandardWebhook(secret, delivery, now);
    case "token":
      return isSameSecret(tokenOf(delivery.headers), secret);
    default:
      return verify satisfies never;
  }
}

function isSignedByGithub(secret: string, { headers, body }: Delivery): boolean {
  const wanted = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return isSameSecret(headers["x-hub-signature-256"] ?? "", wanted);
}

function isStandardWebhook(secret: string, { headers, body }: Delivery, now: number): boolean {
  const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signatures = "" } = headers;
  const key = keyOf(secret);
  const signed = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
  // Several may be given while a secret is being changed; all are looked at.
  const isSigned = signatures
    .split(" ")
    .slice(0, 10)
    .map((one) => isSameSecret(one, `v1,${signed}`))
    .includes(true);
  const sent = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1000 : Number.NaN;
  return isSigned && id !== "" && key.length > 0 && Math.abs(now - sent) <= TOLERANCE_MS;
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");

/** Standard Webhooks gives secrets in base64. Anything else would be read as some other key, and nothing would verify. */
export function isStandardSecret(secret: string): boolean {
  const unpadded = (text: string): string => text.replace(/=+$/, "");
  return secret !== "" && unpadded(keyOf(secret).toString("base64")) === unpadded(secret.replace(/^whsec_/, ""));
}

/** Without `Bearer` it is no bearer token: what stands there may be anything. */
const tokenOf = ({ authorization, "x-segno-token": token }: Headers): string =>
  (authorization === undefined ? token : /^Bearer +(.*)$/i.exec(authorization)?.[1]) ?? "";

/** What tells a delivery from all others; one that comes again with any of them is a replay. */
export function marksOf(verify: Verification, { headers, body }: Delivery): readonly string[] {
  const named = (id: string | undefined): readonly string[] => (id ? [`delivery:${id}`] : []);
  switch (verify) {
    case "github":
      // The header is not signed: a replayed body may come with another id.
      return [...named(headers["x-github-delivery"]), `body:${createHash("sha256").update(body).digest("hex")}`];
    case "standard-webhooks":
      return named(headers["webhook-id"]);
    case "token":
      return [];
    default:
      return verify satisfies never;
  }
}
