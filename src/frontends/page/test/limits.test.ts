// The view of limits: what is used, who waits, and until when.
import { describe, expect, it, onTestFinished } from "vitest";
import { startAnthropicFake } from "../../../../test/fakes/index.ts";
import { type BucketState, newBucket } from "../../../engine/limits/call-bucket.ts";
import { withStore } from "../../../services/session/store.ts";
import type { NamedStates } from "../../../storage/shared-state.ts";
import { isWithoutBrowser, quiet, Served, seen, visit } from "./browser.ts";

const ASKS = `workflow:
  name: asks
  entry_point: ask
  runtime:
    provider: anthropic
    default_model: claude-test
    limits: [{ provider: anthropic, model: "claude-*", requests_per_minute: 50, input_tokens_per_minute: 40000, concurrent: 4 }]
agents:
  - { name: ask, prompt: hi, routes: [{ to: $end }, { on_error: provider.exhausted, retry: { until: reset, max_wait: 8h } }] }
`;

describe.skipIf(isWithoutBrowser)("the view of limits", () => {
  it("says that there is none, and then what is used, who waits, and when a limit resets", async () => {
    const fake = await startAnthropicFake({
      answers: [
        {
          status: 429,
          headers: {
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": new Date(Date.now() + 1_200_000).toISOString(),
          },
        },
      ],
    });
    onTestFinished(() => fake.close());
    const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: fake.url };
    const served = await Served.start({ "ask.yaml": ASKS }, {}, () => ({ env }));
    onTestFinished(() => served.close());
    const opened = await visit(served, "/limits");
    const { page } = opened;
    await seen(page, "No limit yet");
    const { body } = await served.post("/api/runs", { file: "ask.yaml", inputs: {} });
    await seen(page, "Waiting for a reset");
    await seen(page, /in (?:19|20)\b/);
    await seen(page, "anthropic claude-*");
    expect(await page.getAttribute(`a[href="/runs/${body.run_id}"]`, "href")).toBeTruthy();
    const since = Date.now() - 5000;
    await withStore(served.session, async ({ state }) =>
      (state.limits as NamedStates<BucketState>).update("openai gpt-*", () => ({
        ...newBucket({ provider: "openai", model: "gpt-*", requests_per_minute: 10, concurrent: 2 }),
        waiting: ["a", "b"].map((id) => ({ id, run: "01OTHER", since, seen: since })),
      })),
    );
    await seen(page, "2 calls of one run");
    await page.goto(`${served.url}/runs/${body.run_id}?step=ask`);
    await seen(page, "Waits for the limit to reset");
    quiet(opened);
    await served.post(`/api/runs/${body.run_id}/cancel`, {});
  });
});
