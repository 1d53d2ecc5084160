// Deliveries under chaos: one every so often, signed as GitHub signs them and the same for everybody, so that each reaches
// every server. Those that were taken are told on stdout, with the run that they were answered with.
import { createHmac } from "node:crypto";
import type { Webhook, WebhookAnswer } from "../../../src/features/triggers/deliver.ts";
import type { FastTime } from "./fast-time.ts";

const SECRET = "chaos";

export interface Deliveries {
  readonly time: FastTime;
  /** Real milliseconds between two. */
  readonly everyMs: number;
  readonly deliver: (webhook: Webhook) => Promise<WebhookAnswer>;
  readonly bodyOf: (number: number) => object;
  /** Told of each that was taken for the first time. False: no more of them now. */
  readonly taken?: () => boolean;
}

/** The last few again, too: another server may have died with them. */
export async function deliverDue({ time, everyMs, deliver, bodyOf, taken }: Deliveries): Promise<void> {
  const last = Math.floor(time.gone() / everyMs);
  for (let number = Math.max(0, last - 3); number <= last; number++) {
    const text = JSON.stringify(bodyOf(number));
    const { status, body } = await deliver({
      path: "/hooks/chaos",
      headers: {
        "x-github-delivery": String(number),
        "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(text).digest("hex")}`,
      },
      body: Buffer.from(text),
    });
    if (status !== 202) continue;
    process.stdout.write(`${number} ${String(body.run_id)}\n`);
    if (!("duplicate" in body) && taken?.() === false) return;
  }
}
