import { expect, it } from "vitest";
import { checkGiven } from "./wrong-call.ts";

it("says what is in a list that holds the wrong things", async () => {
  const wrong = (steps: unknown) => checkGiven("run", { steps }, ["steps"]);
  await expect(wrong([{}])).rejects.toThrow("but a list of an object with no fields was given");
  await expect(wrong(["a", "b"])).rejects.toThrow('but a list of the text "a" and others was given');
});
