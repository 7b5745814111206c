// The frame of all pages: the head with the navigation and the settings, and the page at the address.

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { AgentsPage } from "./agents/Agents";
import { useGameName } from "./catalogue";
import { Lobby } from "./lobby/Lobby";
import { useStrings } from "./i18n";
import { ReplayPage } from "./replay/Replay";
import { fragment, type Route, useLocation } from "./router";
import { change, PACES, useSettings } from "./settings";
import { InvitePage } from "./table/InvitePage";
import { TablePage, WatchPage } from "./table/TablePage";
import { TournamentPage } from "./tournaments/Tournament";
import { TournamentsPage } from "./tournaments/Tournaments";
import { Dialog } from "./ui/Dialog";
import { Icon } from "./ui/Icon";
import { NameField } from "./table/TablePage";
import { Rules } from "./ui/Rules";

function Settings({ onClose }: { onClose: () => void }) {
  const t = useStrings();
  const { theme, paceMs, sound } = useSettings();
  const themes = { auto: t.themeAuto, light: t.themeLight, dark: t.themeDark };
  return (
    <Dialog title={t.settings} onClose={onClose}>
      <NameField />
      <div class="field-label" role="group" aria-label={t.theme}>
        <span>{t.theme}</span>
        <div class="choices">
          {(["auto", "light", "dark"] as const).map((value) => (
            <button
              key={value}
              type="button"
              class="choice"
              aria-pressed={theme === value}
              onClick={() => change({ theme: value })}
            >
              {themes[value]}
            </button>
          ))}
        </div>
      </div>
      <div class="field-label" role="group" aria-label={t.speed}>
        <span>{t.speed}</span>
        <div class="choices">
          {PACES.map((value) => (
            <button
              key={value}
              type="button"
              class="choice"
              aria-pressed={paceMs === value}
              onClick={() => change({ paceMs: value })}
            >
              {t.speeds[value]}
            </button>
          ))}
        </div>
      </div>
      <label class="check-label">
        <input
          type="checkbox"
          checked={sound}
          onChange={(event) => change({ sound: event.currentTarget.checked })}
        />
        <span>{t.sound}</span>
      </label>
    </Dialog>
  );
}

function Page({ route, hash }: { route: Route; hash: string }) {
  const t = useStrings();
  switch (route.page) {
    case "lobby":
    case "join": {
      const invite = fragment(hash, "invite");
      return invite === undefined ? <Lobby /> : <InvitePage key={invite} invite={invite} tableId="" />;
    }
    case "table":
      return <TablePage key={route.tableId} tableId={route.tableId} hash={hash} />;
    case "watch":
      return <WatchPage key={route.tableId} tableId={route.tableId} hash={hash} />;
    case "replay":
      return <ReplayPage key={route.tableId} tableId={route.tableId} hash={hash} />;
    case "tournaments":
      return <TournamentsPage />;
    case "tournament":
      return <TournamentPage key={route.tournamentId} tournamentId={route.tournamentId} />;
    case "rules":
      return (
        <div class="page page-narrow">
          <RulesTitle game={route.game} />
          <Rules game={route.game} />
        </div>
      );
    case "agents":
      return <AgentsPage />;
    case "unknown":
      return (
        <div class="page notice-page">
          <p>{t.notFound}</p>
          <a class="button" href="/">
            {t.backToLobby}
          </a>
        </div>
      );
  }
}

function RulesTitle({ game }: { game: string }) {
  const t = useStrings();
  const { lang } = useSettings();
  const title = t.rulesOf(useGameName()(game, lang));
  useEffect(() => void (document.title = `${title} – ${t.brand}`));
  return <h1>{title}</h1>;
}

export function App() {
  const t = useStrings();
  const { lang } = useSettings();
  const { route, hash, path } = useLocation();
  const [settings, setSettings] = useState(false);
  // With the drawing itself, so that it takes the focus from nothing that a person has gone to since.
  useLayoutEffect(() => document.getElementById("main")?.focus({ preventScroll: true }), [path]);
  const link = (href: string, label: string, current: boolean) => (
    <a href={href} aria-current={current ? "page" : undefined}>
      {label}
    </a>
  );
  const other = lang === "en" ? "de" : "en";
  return (
    <>
      <a class="skip-link" href="#main">
        {t.skipToContent}
      </a>
      <header class="site-head">
        <a class="brand" href="/">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect
              class="brand-back"
              x="5"
              y="7"
              width="14"
              height="20"
              rx="3"
              transform="rotate(-12 12 17)"
            />
            <rect
              class="brand-front"
              x="13"
              y="6"
              width="14"
              height="20"
              rx="3"
              transform="rotate(10 20 16)"
            />
            <circle class="brand-dot" cx="20.200" cy="16" r="3.200" />
          </svg>
          {t.brand}
        </a>
        <nav>
          {link("/", t.lobby, route.page === "lobby")}
          {link("/tournaments", t.tournaments, route.page === "tournaments" || route.page === "tournament")}
          {link("/agents", t.agents, route.page === "agents")}
        </nav>
        <div class="site-tools">
          <button
            type="button"
            class="icon-button lang-button"
            lang={other}
            aria-label={other === "de" ? "DE: Deutsch" : "EN: English"}
            onClick={() => change({ lang: other })}
          >
            {other.toUpperCase()}
          </button>
          <button type="button" class="icon-button" aria-label={t.settings} onClick={() => setSettings(true)}>
            <Icon name="gear" />
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1} class={`main-${route.page}`}>
        <Page route={route} hash={hash} />
      </main>
      {settings && <Settings onClose={() => setSettings(false)} />}
    </>
  );
}
