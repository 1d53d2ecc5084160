// A long value, in parts when asked with Range.

/** The bytes that a Range header asks for; null: it cannot be had; nothing: the whole. */
export function rangeOf(
  header: string | undefined,
  length: number,
): { readonly from: number; readonly to: number } | null | undefined {
  const found = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!found || (found[1] === "" && found[2] === "")) return undefined;
  const [, first = "", last = ""] = found;
  const from = first === "" ? Math.max(0, length - Number(last)) : Number(first);
  const to = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  return from > to || from >= length ? null : { from, to };
}

export function blobResponse(text: string, range: string | undefined): Response {
  const bytes = new TextEncoder().encode(text);
  const headers = { "content-type": "application/json", "accept-ranges": "bytes" };
  const part = rangeOf(range, bytes.length);
  if (part === undefined) return new Response(bytes, { headers });
  if (part === null)
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${bytes.length}` } });
  return new Response(bytes.slice(part.from, part.to + 1), {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${part.from}-${part.to}/${bytes.length}` },
  });
}
