// Policies have names, and only what was refused has a reason.
import { expect, it } from "vitest";
import { type PolicyVerdictJson, verdictLine, verdictWords } from "./verdict-words.ts";

const fine: PolicyVerdictJson = { allowed: true, policyName: "calm-days", reason: "Tuesday is a fine day" };
const friday = { allowed: false, policyName: "no-prod-on-friday", reason: "it is Friday" };
const unsure = { allowed: true, policyName: "budget", metadata: { skipped: "spend" } };

it.each<[string, PolicyVerdictJson, object]>([
  ["refused", friday, { name: "no-prod-on-friday", state: "failed", said: "refused: it is Friday" }],
  ["refused without a word", { ...friday, reason: "" }, { said: "refused: it gave no reason" }],
  ["allowed, whatever it gave as a reason", fine, { name: "calm-days", state: "completed", said: "allowed" }],
  ["could not decide", unsure, { name: "budget", said: "not decided: spend is not known" }],
])("one that %s is said so, by its name", (_, verdict, words) => {
  expect(verdictWords(verdict)).toMatchObject(words);
});

it("a line has those that refused, or all that allowed", () => {
  expect(verdictLine([fine, friday])).toBe("no-prod-on-friday refused: it is Friday");
  expect(verdictLine([fine, unsure])).toBe("allowed by calm-days, budget");
});
