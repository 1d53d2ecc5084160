// What a model says where JSON was asked for.
import fc from "fast-check";
import { parseAnswer } from "../../src/providers/answer.ts";
import { readAnswer } from "../../src/steps/agent/answer.ts";
import { anyValue, fuzz, textsLike } from "./door.ts";

const ANSWER = JSON.stringify({ summary: "It works", score: 0.5, tags: ["a", "b"] }, null, 2);
const ENVELOPE = JSON.stringify({ conductor_error: true, kind: "own.kind", message: "no", details: { a: 1 } });
const FIELDS = {
  summary: { type: "string" as const, required: true, nullable: false },
  score: { type: "number" as const, required: true, nullable: false },
  tags: { type: "array" as const, required: true, nullable: false },
};

fuzz({
  name: "the answer of a model",
  inputs: fc.tuple(
    fc.oneof(
      {
        weight: 4,
        arbitrary: textsLike(ANSWER, `Sure!\n\`\`\`json\n${ANSWER}\n\`\`\``, ENVELOPE, `{"value": ${ANSWER}}`),
      },
      anyValue,
    ),
    fc.boolean(),
    fc.boolean(),
  ),
  async enter([said, wrapped, hasSchema]) {
    const content = typeof said === "string" && hasSchema ? parseAnswer(said, wrapped) : said;
    return readAnswer(content, { node: "probe", ...(hasSchema ? { output: FIELDS } : {}) });
  },
});
