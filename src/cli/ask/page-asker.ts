// Asks the page's user when the command has a page and no terminal. The run is driven on and waits; the answer arrives
// like any that is given elsewhere.
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
