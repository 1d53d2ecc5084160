// Trying one dead letter again.
import type { RetriedJson } from "../../server/contract/letters.ts";
import { postJson } from "../api/client.ts";
import { say } from "../parts/toast.tsx";
import { sayProblem } from "./actions.ts";

export async function retryLetter(letter: string): Promise<void> {
  try {
    await postJson<RetriedJson>("/api/letters/retry", { ids: [letter] });
    say("The letter is being tried again.");
  } catch (error) {
    sayProblem(error);
  }
}
