// What the server refused, in its words.
import type { ProblemJson } from "../../server/contract/problem.ts";
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

/** Who was faster, when that is why it was refused. */
export const lateness = (error: unknown): string | null => {
  const first = error instanceof RefusedByServer ? error.problem.first : undefined;
  if (!(error instanceof RefusedByServer) || !first) return null;
  // It ended by itself, or nobody knows who did it: then the server's sentence says more.
  if (first.by === null) return `${capital(error.message)}.`;
  return `${first.by} ${first.what} it first${first.at ? `, at ${clock(first.at)}` : ""}.`;
};
