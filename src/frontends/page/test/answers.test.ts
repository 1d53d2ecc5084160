// A list of questions that was answered: its step shows what was asked, what was said, and who said it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { answerGate } from "../../../services/gates/gates.ts";
import { personHere } from "../../../services/session/people.ts";
import { closeBrowser, isWithoutBrowser, quiet, Served, visit } from "./browser.ts";

const ASKS = `
workflow: { name: asks, entry_point: ask }
agents:
  - { name: ask, type: questions, questions: [{ id: who, text: "Who ships it?" }, { id: why, text: "Why now?" }] }
`;

let served: Served;
beforeAll(async () => {
  served = await Served.start({ "asks.yaml": ASKS });
});
afterAll(async () => {
  await closeBrowser();
  await served.close();
});

it.skipIf(isWithoutBrowser)("names who answered, and each question with its answer", async () => {
  const run = await served.run("asks.yaml");
  await answerGate(served.session, { run, value: "", inputs: { who: "alex", why: "it is time" } });
  const opened = await visit(served, `/runs/${run}?step=ask`);
  const answers = opened.page.locator(".step .answers");
  const shown = async () => (await answers.innerText()).replace(/\s+/g, " ");
  await expect.poll(shown).toContain(`completed by ${personHere()}`);
  expect(await shown()).toContain("Who ships it? alex Why now? it is time");
  quiet(opened);
});
