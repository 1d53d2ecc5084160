// Who is asked beside a page when nobody is at the terminal: whoever has the page. The run is driven on and waits; the answer
// comes as any that is given elsewhere.
import type { FaceAsker } from "../../services/request.ts";
import { plain } from "../text/harmless.ts";

export const pageAsker =
  (say: (text: string) => void): FaceAsker =>
  async (question, signal) => {
    // A dialog is had at a terminal: the page has nothing to answer it with.
    if (question.kind === "dialog") return undefined;
    say(plain(`${question.node} waits for an answer on the page.`));
    if (!signal.aborted)
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return undefined;
  };
