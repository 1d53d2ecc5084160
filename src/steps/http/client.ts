// The HTTP client of `http` steps: one request, its redirects, and an answer or the reason why there is none.
import { whenOurs } from "../../providers/when-ours.ts";
import type { Caller } from "../caller.ts";
import type { HttpRequest, HttpResult } from "../world.ts";
import { meaningOf, sendRequest, Unanswered } from "./send.ts";

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

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const ABOUT_THE_BODY = /^(content-|transfer-encoding$)/;
/** What goes to another origin without being asked for: how the answer should look. A list of what must not go would never be whole. */
const FOR_ANYBODY: ReadonlySet<string> = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-language",
  "content-type",
  "if-modified-since",
  "if-none-match",
  "pragma",
  "prefer",
  "range",
  "user-agent",
]);

/**
 * Where a redirect leads and what may go along: methods and bodies as browsers do it; to another origin only what says
 * nothing about who asks, and no body, unless the step says so. The next request, or undefined when the answer is no
 * redirect that can be followed. Throws when it must not be.
 */
function redirected(request: HttpRequest, status: number, location: string | undefined): HttpRequest | undefined {
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, request.url)) return undefined;
  const from = new URL(request.url);
  const to = new URL(location, from);
  if (to.protocol !== "http:" && to.protocol !== "https:") return undefined;
  if (to.hash === "") to.hash = from.hash;

  const becomesGet =
    (status === 303 && request.method !== "HEAD") || ((status === 301 || status === 302) && request.method === "POST");
  const leavesOrigin = to.origin !== from.origin;
  const { body, redirects = {}, ...rest } = request;
  const alsoSent = new Set(redirects.send_headers?.map((name) => name.toLowerCase()));
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name, value]) => {
      const lower = name.toLowerCase();
      if (becomesGet && ABOUT_THE_BODY.test(lower)) return false;
      if (!leavesOrigin || alsoSent.has(lower)) return true;
      return FOR_ANYBODY.has(lower) && !request.holdsSecret?.(value);
    }),
  );
  if (leavesOrigin && body !== undefined && !becomesGet && !redirects.send_body)
    throw new Unanswered(
      "REDIRECTED_ELSEWHERE",
      `it was redirected to ${to.origin}, and what it sends was meant for ${from.origin}. If ${to.host} may have it, say \`redirects: { send_body: true }\`, or use that address`,
    );
  const next = { ...rest, redirects, url: to.href, headers };
  if (becomesGet) return { ...next, method: "GET" };
  return body === undefined ? next : { ...next, body };
}
