// The list of tournaments.

import { useEffect } from "preact/hooks";
import { type EnumTexts, parlor, toDate } from "../api";
import { useGameName } from "../catalogue";
import { useStrings } from "../i18n";
import { useSettings } from "../settings";
import { Failure } from "../ui/Failure";
import { useEvery, useLoaded } from "../ui/load";
import { enumTexts, formatName } from "./format";

/** The text of a value of an enum. */
export function enumText(
  texts: readonly EnumTexts[],
  name: string,
  number: number,
  lang: "en" | "de",
): string {
  return (
    texts.find((texts) => texts.name === name)?.values.find((value) => value.number === number)?.text?.[
      lang
    ] ?? ""
  );
}

export function TournamentsPage() {
  const t = useStrings();
  const { lang } = useSettings();
  const gameName = useGameName();
  const loaded = useLoaded("tournaments", async () => {
    const [{ tournaments }, texts] = await Promise.all([
      parlor.calls.tournaments.listTournaments({ pageSize: 50 }),
      enumTexts(),
    ]);
    return { tournaments, texts };
  });
  useEvery(10_000, loaded.again);
  useEffect(() => void (document.title = `${t.tournaments} – ${t.brand}`));
  const time = new Intl.DateTimeFormat(lang, { dateStyle: "medium", timeStyle: "short" });
  return (
    <div class="page">
      <h1>{t.tournaments}</h1>
      <p class="muted">{t.tournamentsIntro}</p>
      {loaded.state === "loading" && <p class="muted">{t.loading}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} again={loaded.again} />}
      {loaded.state === "ready" && loaded.value.tournaments.length === 0 && (
        <p class="notice-page muted">{t.noTournaments}</p>
      )}
      {loaded.state === "ready" && (
        <ul class="tournament-list">
          {loaded.value.tournaments.map((tournament) => {
            const created = toDate(tournament.createTime);
            return (
              <li key={tournament.tournamentId}>
                <a class="tournament-card" href={`/tournaments/${tournament.tournamentId}`}>
                  <b>{tournament.setup?.name || tournament.tournamentId}</b>
                  <span>
                    {gameName(tournament.setup?.game ?? "", lang)} · {formatName(tournament, t)} ·{" "}
                    {tournament.setup?.entrants.length}
                  </span>
                  <small class={`state state-${tournament.state}`}>
                    {enumText(loaded.value.texts, "TournamentState", tournament.state, lang)}
                  </small>
                  {created && <small class="muted">{time.format(created)}</small>}
                </a>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
