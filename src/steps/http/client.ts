// The HTTP client of `http` steps: one request, its redirects, and an answer or the reason why there is none.

import { whenOurs } from "../../providers/when-ours.ts";
import type { Caller } from "../caller.ts";
import type { HttpRequest, HttpResult } from "../world.ts";
import { meaningOf } from "./encoding.ts";
import { redirected } from "./redirect.ts";
import { sendRequest } from "./send.ts";
import { Unanswered } from "./unanswered.ts";

const MOST_REDIRECTS = 10;

export async function fetchHttp(
  request: HttpRequest,
  caller: Pick<Caller, "signal" | "clock" | "assertLease">,
): Promise<HttpResult> {
  const { clock } = caller;
  const began = clock.now();
  try {
    const { status, headers, bytes } = await follow(request, caller);
    const body = meaningOf(bytes, headers["content-type"]);
    return { answered: true, status, headers, body, seconds: (clock.now() - began) / 1000 };
  } catch (error) {
    if (error instanceof Unanswered) return { answered: false, code: error.code, message: error.message };
    throw error;
  }
}

async function follow(first: HttpRequest, caller: Pick<Caller, "signal" | "assertLease">) {
  let request = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await whenOurs(caller, () => sendRequest(request, caller.signal));
    const next = redirected(request, answer.status, answer.headers.location);
    if (next === undefined) return answer;
    request = next;
  }
  throw new Unanswered(
    "TOO_MANY_REDIRECTS",
    `it was redirected more than ${MOST_REDIRECTS} times, last to ${request.url}`,
  );
}
