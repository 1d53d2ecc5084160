// Where a redirect leads and what may go along: methods and bodies as browsers do it, secrets only to the same origin.
import type { HttpRequest } from "../world.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const ABOUT_THE_BODY = /^(content-|transfer-encoding$)/;
/** Whatever proves who one is: standard headers, and the usual names of API keys and tokens. */
const CREDENTIALS =
  /^(authorization|cookie|proxy-authorization|host)$|(^|[-_])(token|key|secret|auth|session)([-_]|$)|apikey/;

/** The next request, or undefined when the answer is no redirect that can be followed. */
export function redirected(
  request: HttpRequest,
  status: number,
  location: string | undefined,
): HttpRequest | undefined {
  if (!REDIRECTS.has(status) || location === undefined || !URL.canParse(location, request.url)) return undefined;
  const from = new URL(request.url);
  const to = new URL(location, from);
  if (to.protocol !== "http:" && to.protocol !== "https:") return undefined;
  if (to.hash === "") to.hash = from.hash;

  const becomesGet =
    (status === 303 && request.method !== "HEAD") || ((status === 301 || status === 302) && request.method === "POST");
  const leavesOrigin = to.origin !== from.origin;
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => {
      const lower = name.toLowerCase();
      return !(becomesGet && ABOUT_THE_BODY.test(lower)) && !(leavesOrigin && CREDENTIALS.test(lower));
    }),
  );
  const { body, ...rest } = request;
  const next = { ...rest, url: to.href, headers };
  if (becomesGet) return { ...next, method: "GET" };
  return body === undefined ? next : { ...next, body };
}
