// What the server refused, in its words.
import type { FirstJson, ProblemJson } from "../../server/contract/problem.ts";
import { clock } from "../parts/text.ts";

export class RefusedByServer extends Error {
  constructor(readonly problem: ProblemJson) {
    super(problem.hint ? `${problem.message} ${problem.hint}` : problem.message);
  }
}

export async function refusalOf(response: Response): Promise<RefusedByServer> {
  const said: unknown = await response.json().catch(() => null);
  if (said !== null && typeof said === "object" && "message" in said) return new RefusedByServer(said as ProblemJson);
  return new RefusedByServer({
    status: response.status,
    code: "defect",
    message: `The server answered ${response.status} without saying why.`,
  });
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export const firstIn = (error: unknown): FirstJson | null =>
  (error instanceof RefusedByServer ? error.problem.first : undefined) ?? null;

/** Who was faster, when that is why it was refused. */
export const lateness = (error: unknown): string | null => {
  const first = firstIn(error);
  if (!first) return null;
  // It ended by itself, or it is not known who did it: then the server's sentence says more.
  if (first.by === null) return error instanceof Error ? `${capital(error.message)}.` : null;
  const answer = first.answer === undefined ? "" : `, with ${first.answer}`;
  return `${first.by} ${first.what} it first${answer}${first.at ? `, at ${clock(first.at)}` : ""}.`;
};
