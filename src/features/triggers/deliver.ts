// A webhook, whatever server brings it: from a path, headers and the raw body to an answer. It is answered 202 only once
// the firing is on disk.

import { isMapping } from "../../base/errors/mapping.ts";
import { numbersAsWritten, parseJson, UnusableJson } from "../../base/json/bounded.ts";
import { type FiringWorld, fire } from "./fire.ts";
import type { KnownTrigger } from "./known-trigger.ts";
import { isGenuine, marksOf } from "./verify.ts";

export interface Webhook {
  readonly path: string;
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

type Fields = Readonly<Record<string, unknown>>;

export type WebhookAnswer =
  | { readonly status: 200; readonly body: Fields }
  | { readonly status: 202; readonly body: Fields }
  | RefusedWebhook;

export interface RefusedWebhook {
  readonly status: 400 | 401 | 404 | 413 | 422 | 503;
  readonly body: Fields & { readonly error: string };
}

export const LARGEST_WEBHOOK = 1024 * 1024;
/** How long a delivery is known again. */
const REMEMBERED_MS = 24 * 3600 * 1000;

export async function deliver(
  webhook: Webhook,
  /** The one with its path. */
  trigger: KnownTrigger | undefined,
  world: FiringWorld,
): Promise<WebhookAnswer> {
  const { firings, now } = world;
  const settings = trigger?.webhook;
  if (!trigger || !settings) return refused(404, "there is no webhook at this path");
  if (webhook.body.byteLength > LARGEST_WEBHOOK) return refused(413, "the body is larger than 1 MiB");
  const headers = Object.fromEntries(
    Object.entries(webhook.headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === "string" || value === undefined ? value : value.join(", "),
    ]),
  );
  const delivery = { headers, body: webhook.body };
  if (!isGenuine(settings.verify, settings.secret, delivery, now))
    return refused(401, "the signature or the token is missing, wrong or too old");
  const isForm = settings.verify === "github" && isFormType(headers["content-type"]);
  const body = isForm ? bodyOfForm(webhook.body) : bodyOf(webhook.body);
  if ("problem" in body) return refused(400, body.problem);
  const { paused } = await firings.state(trigger.id);
  const {
    firing,
    isNew,
    refused: why,
  } = await fire(world, trigger, {
    context: {
      name: trigger.name,
      fired_at: new Date(now).toISOString(),
      body: body.value,
      writtenBody: body.written,
      headers,
    },
    marks: marksOf(settings.verify, delivery).map((name) => ({ name, until: now + REMEMBERED_MS })),
    ...(paused ? { skipped: "the trigger is paused" } : {}),
    ...(isPing(headers, body.value) ? { skipped: "a ping of GitHub's: the webhook is set up" } : {}),
  });
  // What is wrong with the workflow is no business of the sender's; that it may try again is.
  if (why?.fault === "ours") return refused(503, "the workflow of this webhook cannot be run at the moment");
  // The rest of the reason is of templates and of the environment.
  if (why) {
    const fields = why.fields.map((field) => `\`${field}\``).join(", ");
    return refused(422, `the delivery does not fit ${fields}${why.hint === undefined ? "" : `. ${why.hint}`}`);
  }
  if (firing.status === "skipped") return { status: 200, body: { run_id: null, skipped: firing.reason } };
  return { status: 202, body: { run_id: firing.runId, ...(isNew ? {} : { duplicate: true }) } };
}

const refused = (status: RefusedWebhook["status"], error: string): RefusedWebhook => ({ status, body: { error } });

/** GitHub sends one when a webhook is made, and shows how it was answered. The header is not signed, what it says is. */
const isPing = (headers: Readonly<Record<string, string | undefined>>, body: unknown): boolean =>
  headers["x-github-event"] === "ping" && isMapping(body) && typeof body.zen === "string";

const FORM = "application/x-www-form-urlencoded";

const isFormType = (type = ""): boolean => type.split(";")[0]?.trim().toLowerCase() === FORM;

type Body = { readonly value: unknown; readonly written: unknown } | { readonly problem: string };

/**
 * A webhook of GitHub's is a form by default: its only field, `payload`, is the JSON. The type of the body is not
 * signed, so a signed body of JSON must never be read as a form: the author of a text in it could write the payload
 * that way. JSON does not begin like the one field.
 */
function bodyOfForm(bytes: Uint8Array): Body {
  const text = Buffer.from(bytes).toString("utf8");
  const isOneField = /^payload=[^&]*$/.test(text);
  const payload = isOneField ? new URLSearchParams(text).get("payload") : null;
  return payload === null
    ? { problem: "a form has one field, `payload`, and nothing else" }
    : bodyOf(Buffer.from(payload));
}

function bodyOf(bytes: Uint8Array): Body {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return { value: parseJson(text), written: numbersAsWritten(text) };
  } catch (problem) {
    return { problem: problem instanceof UnusableJson ? `the body: ${problem.message}` : "the body is no JSON" };
  }
}
