// Loading from the server in a component, with the error as a value.

import { useEffect, useRef, useState } from "preact/hooks";

/** Something that is being loaded, is there, or could not be loaded. */
export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly value: T }
  | { readonly state: "failed"; readonly error: unknown };

/** Loads whenever the key changes or `again` is called; what was there stays until the new is. */
export function useLoaded<T>(key: string, load: () => Promise<T>): Loaded<T> & { again: () => void } {
  const [loaded, setLoaded] = useState<{ key: string; value: Loaded<T> }>({
    key: "",
    value: { state: "loading" },
  });
  const [count, setCount] = useState(0);
  useEffect(() => {
    let current = true;
    load().then(
      (value) => current && setLoaded({ key, value: { state: "ready", value } }),
      (error: unknown) => current && setLoaded({ key, value: { state: "failed", error } }),
    );
    return () => void (current = false);
  }, [key, count]);
  const value: Loaded<T> = loaded.key === key ? loaded.value : { state: "loading" };
  return { ...value, again: () => setCount(count + 1) };
}

/** Calls again and again while the page is visible. */
export function useEvery(ms: number, call: () => void): void {
  const latest = useRef(call);
  latest.current = call;
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && latest.current(), ms);
    return () => clearInterval(timer);
  }, [ms]);
}
