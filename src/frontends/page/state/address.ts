// Where one is: everything that a view shows is in the address, so that it can be sent to a colleague and survives a
// reload. Views read `path` and `query`; they change them through `go` and `change`, never through history itself.
import { computed, signal } from "@preact/signals";

export type Query = Readonly<Record<string, string>>;

interface Place {
  readonly path: string;
  readonly query: Query;
}

const placeOf = (url: URL): Place => ({ path: url.pathname, query: Object.fromEntries(url.searchParams) });

const place = signal<Place>(placeOf(new URL(location.href)));

export const path = computed(() => place.value.path);
export const query = computed(() => place.value.query);

addEventListener("popstate", () => {
  place.value = placeOf(new URL(location.href));
});

/** The address of a path with what is in the query; what is empty is left out, so that equal views have equal addresses. */
export function addressOf(
  to: string,
  given: Readonly<Record<string, string | number | null | undefined>> = {},
): string {
  const pairs = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || value === null || value === "" ? [] : [`${name}=${encoded(String(value))}`],
  );
  return pairs.length === 0 ? to : `${to}?${pairs.join("&")}`;
}

/** Slashes and brackets may stand in a query, and `step=package/verify` is easier to read. */
const encoded = (value: string): string =>
  encodeURIComponent(value).replace(/%2F/g, "/").replace(/%5B/g, "[").replace(/%5D/g, "]");

export function go(address: string, { replace = false } = {}): void {
  const url = new URL(address, location.href);
  if (url.pathname + url.search === location.pathname + location.search) return;
  history[replace ? "replaceState" : "pushState"](null, "", url.pathname + url.search);
  place.value = placeOf(url);
}

/** Changes parts of the query and leaves the rest. */
export function change(
  given: Readonly<Record<string, string | number | null | undefined>>,
  options = { replace: true },
): void {
  go(addressOf(place.value.path, { ...place.value.query, ...given }), options);
}

/** Links are followed without a new page; with a key held, as the browser does. */
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href");
    if (!link || !href?.startsWith("/") || href.startsWith("//") || link.hasAttribute("download") || link.target)
      return;
    event.preventDefault();
    go(href);
  });
}
