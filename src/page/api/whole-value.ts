// What the server left out because it is long, asked for as a whole.
import type { BigValueJson } from "../../server/contract/values.ts";
import { withQuery } from "./client.ts";
import { refusalOf } from "./refused.ts";
import { sessionId } from "./session.ts";

export const isBig = (value: unknown): value is BigValueJson =>
  typeof value === "object" && value !== null && "$big" in value && "preview" in value;

/** `run`: where it stands. The server then also finds it when that run has not been viewed for a while. */
export async function wholeValue({ $big }: BigValueJson, run?: string, signal?: AbortSignal): Promise<unknown> {
  const response = await fetch(withQuery(`/api/blobs/${encodeURIComponent($big)}`, { run }), {
    headers: { authorization: `Bearer ${sessionId() ?? ""}` },
    signal: signal ?? null,
  });
  if (!response.ok) throw await refusalOf(response);
  return response.json();
}
