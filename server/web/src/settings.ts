// Settings of this browser: language, theme, speed, sound, name. They are kept in localStorage and shared by all tabs.

import { useEffect, useState } from "preact/hooks";

/** A language of the page. */
export type Lang = "en" | "de";

/** What can be set. */
export interface Settings {
  lang: Lang;
  theme: "auto" | "light" | "dark";
  /** Milliseconds between the moves of others. */
  paceMs: number;
  sound: boolean;
  /** The name that others see. */
  name: string;
}

const KEY = "parlor.settings";

/** The speeds that can be chosen, in milliseconds a move. */
export const PACES = [0, 300, 600, 1200] as const;

function browserLang(): Lang {
  return (navigator.languages ?? [navigator.language])
    .find((lang) => /^(en|de)\b/i.test(lang))
    ?.slice(0, 2)
    .toLowerCase() === "de"
    ? "de"
    : "en";
}

function read(): Settings {
  const settings: Settings = { lang: browserLang(), theme: "auto", paceMs: 600, sound: false, name: "" };
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof stored !== "object" || stored === null) return settings;
    const { lang, theme, paceMs, sound, name } = stored as Record<string, unknown>;
    if (lang === "en" || lang === "de") settings.lang = lang;
    if (theme === "light" || theme === "dark") settings.theme = theme;
    if (PACES.some((pace) => pace === paceMs)) settings.paceMs = paceMs as number;
    if (sound === true) settings.sound = true;
    if (typeof name === "string") settings.name = name.slice(0, 64);
  } catch {
    // What is stored is no JSON, or the browser keeps nothing: the defaults apply.
  }
  return settings;
}

let current = read();
const listeners = new Set<() => void>();

function apply(): void {
  const root = document.documentElement;
  root.lang = current.lang;
  if (current.theme === "auto") root.removeAttribute("data-theme");
  else root.setAttribute("data-theme", current.theme);
}

/** The settings as they are now. */
export function settings(): Settings {
  return current;
}

/** Changes settings, in all tabs. */
export function change(changes: Partial<Settings>): void {
  current = { ...current, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // The browser keeps nothing: the change lasts as long as the tab.
  }
  apply();
  for (const listener of listeners) listener();
}

/** Applies the settings to the document, and follows changes that other tabs make. */
export function startSettings(): void {
  apply();
  addEventListener("storage", (event) => {
    if (event.key !== KEY) return;
    current = read();
    apply();
    for (const listener of listeners) listener();
  });
}

/** The settings, in a component that is drawn again when they change. */
export function useSettings(): Settings {
  const [value, setValue] = useState(current);
  useEffect(() => {
    const listener = () => setValue(current);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return value;
}
