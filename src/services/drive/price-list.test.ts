// Prices of a file in place of the built-in ones.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ModelPlayground } from "../../../test/agents/model.ts";

const file = `
workflow: { name: w, entry_point: a, runtime: { provider: anthropic, default_model: my-model } }
agents:
  - { name: a, prompt: one }
`;

describe("a price list of one's own", () => {
  let play: ModelPlayground;
  beforeEach(async () => {
    play = await new ModelPlayground().open();
    play.write({ "main.yaml": file });
    play.session.env.SEGNO_PRICES = "prices.json";
  });
  afterEach(async () => {
    await play.fake.close();
    play.close();
  });

  const prices = (content: unknown): void => writeFileSync(join(play.folder, "prices.json"), JSON.stringify(content));

  it("prices what Segno does not know", async () => {
    prices({ as_of: "2026-12-01", models: { "my-model": { input_per_mtok: 100_000, output_per_mtok: 0 } } });
    const { result } = await play.run("main.yaml");
    expect(result.metrics).toMatchObject({ total_cost_usd: 1, unpriced_models: [] });
  });

  it.each([
    ["without a date", { models: {} }, /as_of/],
    ["with a price that is none", { as_of: "x", models: { m: { input_per_mtok: "1" } } }, /input_per_mtok/],
  ])("that is %s is refused before anything runs", async (_, content, message) => {
    prices(content);
    const { result } = await play.run("main.yaml");
    expect(result).toMatchObject({ exit_code: 2, error: expect.stringMatching(message) });
    expect(play.requests).toHaveLength(0);
  });
});
