// A playground with a model in it: answers are scripted per test, on the wire of Anthropic.
import { afterEach, beforeEach } from "vitest";
import { type Answer, answerForSchema, type Fake, type FakeRequest, startAnthropicFake } from "../fakes/index.ts";
import { Playground } from "../support/play.ts";

/** One dollar a call: each call of the fake uses ten input tokens. */
export const ONE_DOLLAR = "cost: { pricing: { m: { input_per_mtok: 100000, output_per_mtok: 0 } } }";

export class ModelPlayground extends Playground {
  fake!: Fake;
  answer: (request: FakeRequest) => Answer = ({ schema }) => (schema ? { json: answerForSchema(schema) } : "ok");

  async open(): Promise<this> {
    this.fake = await startAnthropicFake({ answers: (request) => this.answer(request) });
    Object.assign(this.session.env, { ANTHROPIC_BASE_URL: this.fake.url, ANTHROPIC_API_KEY: "key-of-nobody" });
    return this;
  }

  get requests(): Fake["requests"] {
    return this.fake.requests;
  }
}

/** A playground for each test of a file. */
export function modelPlayground(): () => ModelPlayground {
  let play: ModelPlayground;
  beforeEach(async () => {
    play = await new ModelPlayground().open();
  });
  afterEach(async () => {
    await play.fake.close();
    play.close();
  });
  return () => play;
}
