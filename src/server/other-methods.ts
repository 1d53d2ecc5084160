// Nothing answers a request: its address has other methods, or there is no such address.
import type { Context, Hono } from "hono";
import { problem } from "./http-server.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** `GET *` is the page, which has an answer to every address. */
const isAddress = ({ path }: { readonly path: string }): boolean => path !== "*" && path !== "/*";

/** As the router knows them. */
function methodsAt(app: Hono, path: string): readonly string[] {
  return METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method && isAddress(route)),
  );
}

export function noSuchAddress(app: Hono, c: Context, missing = "there is no such address"): Promise<Response> {
  const methods = methodsAt(app, c.req.path);
  if (methods.length === 0) return problem(c, { status: 404, code: "not_found", message: missing });
  const allow = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  const message = `${c.req.method} is not a method of ${c.req.path}: it takes ${methods.join(" and ")}`;
  return problem(c, { status: 405, code: "wrong_method", message }, { allow });
}
