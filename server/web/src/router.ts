// The address of a page, and links between pages without loading them anew.

import { useEffect, useState } from "preact/hooks";

/** A page. */
export type Route =
  | { readonly page: "lobby" }
  | { readonly page: "join" }
  | { readonly page: "table"; readonly tableId: string }
  | { readonly page: "watch"; readonly tableId: string }
  | { readonly page: "replay"; readonly tableId: string }
  | { readonly page: "rules"; readonly game: string }
  | { readonly page: "tournaments" }
  | { readonly page: "tournament"; readonly tournamentId: string }
  | { readonly page: "agents" }
  | { readonly page: "unknown" };

/** The page at a path. */
export function route(path: string): Route {
  const [first = "", id, ...rest] = path
    .replace(/^\/+|\/+$/g, "")
    .split("/")
    .map(decode);
  if (rest.length > 0) return { page: "unknown" };
  if (id === undefined) {
    switch (first) {
      case "":
        return { page: "lobby" };
      case "join":
      case "tournaments":
      case "agents":
        return { page: first };
      default:
        return { page: "unknown" };
    }
  }
  switch (first) {
    case "t":
      return { page: "table", tableId: id };
    case "watch":
    case "replay":
      return { page: first, tableId: id };
    case "rules":
      return { page: "rules", game: id };
    case "tournaments":
      return { page: "tournament", tournamentId: id };
    default:
      return { page: "unknown" };
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const listeners = new Set<() => void>();

/** Goes to an address of the page. */
export function go(path: string, replace = false): void {
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  for (const listener of listeners) listener();
  if (!replace) scrollTo(0, 0);
}

/** Follows clicks on links of the page, and the browser's own buttons. */
export function startRouter(): void {
  addEventListener("popstate", () => listeners.forEach((listener) => listener()));
  addEventListener("hashchange", () => listeners.forEach((listener) => listener()));
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
    const link = (event.target as Element).closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname === location.pathname && link.hash) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}

/** The address, in a component that is drawn again when it changes. */
export function useLocation(): { route: Route; hash: string; path: string } {
  const read = () => ({ path: location.pathname, hash: location.hash });
  const [place, setPlace] = useState(read);
  useEffect(() => {
    const listener = () => setPlace(read());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return { route: route(place.path), hash: place.hash, path: place.path };
}

/** What follows a name in the fragment, such as the secret of `#invite=secret`. */
export function fragment(hash: string, name: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, "")).get(name) ?? undefined;
}
