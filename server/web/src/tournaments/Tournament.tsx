// A tournament: live standings with their intervals, everyone against everyone, ratings over time, rounds, and every game.

import { useEffect, useState } from "preact/hooks";
import {
  type EnumTexts,
  type Interval,
  parlor,
  ParlorError,
  SequentialDecision,
  type Standings,
  type StandingsRow,
  type Tournament,
  type TournamentTable,
} from "../api";
import { useGameName } from "../catalogue";
import { signed, type Strings, useStrings } from "../i18n";
import { useSettings } from "../settings";
import { Failure } from "../ui/Failure";
import { useLoaded } from "../ui/load";
import { useTournament } from "./follow";
import { entrantNames, enumTexts, formatName, points, roughly, rowName } from "./format";
import { enumText } from "./Tournaments";

export function TournamentPage({ tournamentId }: { tournamentId: string }) {
  const t = useStrings();
  const { lang } = useSettings();
  const gameName = useGameName();
  const { tournament, standings, error } = useTournament(tournamentId);
  const texts = useLoaded("enums", enumTexts);
  useEffect(() => void (document.title = `${tournament?.setup?.name || t.tournaments} – ${t.brand}`));
  if (error !== undefined) {
    const gone =
      error instanceof ParlorError && ["TOURNAMENT_NOT_FOUND", "INVALID_FIELD"].includes(error.reason);
    return (
      <div class="page">{gone ? <p class="notice-page">{t.notFound}</p> : <Failure error={error} />}</div>
    );
  }
  if (!tournament || !standings) return <p class="page muted">{t.loading}</p>;
  const setup = tournament.setup!;
  const format = setup.format.case;
  const known: readonly EnumTexts[] = texts.state === "ready" ? texts.value : [];
  return (
    <div class="page tournament">
      <header class="tournament-head">
        <h1>{setup.name || t.tournaments}</h1>
        <p class="muted">
          {gameName(setup.game, lang)} · {formatName(tournament, t)} ·{" "}
          {t.players(setup.players, setup.players)} ·{" "}
          <span class={`state state-${standings.state}`}>
            {enumText(known, "TournamentState", standings.state, lang)}
          </span>
        </p>
        <Progress standings={standings} t={t} />
        {tournament.note && <p>{tournament.note}</p>}
        {standings.test && (
          <p>
            {t.sequentialTest}:{" "}
            <b>{t.decidedTest[standings.test.decision] ?? t.decidedTest[SequentialDecision.UNSPECIFIED]}</b>{" "}
            (LLR {points(standings.test.llr, 2)}; {points(standings.test.acceptLower, 2)} …{" "}
            {points(standings.test.acceptUpper, 2)})
          </p>
        )}
      </header>
      <StandingsTable standings={standings} swiss={format === "swiss"} />
      <RatingChart tournamentId={tournamentId} standings={standings} />
      <CrossTable standings={standings} />
      <Games tournamentId={tournamentId} tournament={tournament} standings={standings} />
    </div>
  );
}

function Progress({ standings, t }: { standings: Standings; t: Strings }) {
  const { tablesOver, tablesExpected, timeLeftMs, groupsCounted, groupsExpected } = standings;
  const provisional = standings.groupsComplete - groupsCounted;
  const share = tablesExpected > 0 ? Math.min(1, tablesOver / tablesExpected) : 0;
  return (
    <div class="progress">
      <div
        class="progress-bar"
        role="progressbar"
        aria-valuenow={Math.round(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-label={t.progress(tablesOver, tablesExpected)}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
      <small class="muted">
        {t.progress(tablesOver, tablesExpected)}
        {standings.rounds > 1 &&
          ` · ${t.round(Math.min(standings.round + 1, standings.rounds))}/${standings.rounds}`}
        {groupsExpected > 0 && ` · ${t.dealsCount(groupsCounted, groupsExpected)}`}
        {provisional > 0 && <span class="provisional"> · {t.dealsProvisional(provisional)}</span>}
        {timeLeftMs !== undefined && share < 1 && ` · ${t.timeLeftAbout(roughly(timeLeftMs))}`}
      </small>
    </div>
  );
}

/** The scale of all intervals: symmetric about 0. */
function extent(rows: readonly StandingsRow[]): number {
  const values = rows.flatMap((row) => [
    row.mean,
    row.interval?.low ?? row.mean,
    row.interval?.high ?? row.mean,
  ]);
  return Math.max(0.5, ...values.map(Math.abs)) * 1.05;
}

/** A mean with its interval, on the scale of the whole table. */
function IntervalBar({
  mean,
  interval,
  scale,
  label,
}: {
  mean: number;
  interval: Interval | undefined;
  scale: number;
  label: string;
}) {
  const x = (value: number) => 100 + (Math.max(-scale, Math.min(scale, value)) / scale) * 96;
  return (
    <svg class="interval" viewBox="0 0 200 22" preserveAspectRatio="none" role="img" aria-label={label}>
      <path class="interval-zero" d="M100 1V21" />
      {interval && (
        <rect
          class="interval-range"
          x={x(interval.low)}
          y="7"
          width={Math.max(1.5, x(interval.high) - x(interval.low))}
          height="8"
          rx="3"
        />
      )}
      <rect
        class={`interval-mean ${mean < 0 ? "interval-below" : ""}`}
        x={x(mean) - 2}
        y="3"
        width="4"
        height="16"
        rx="2"
      />
    </svg>
  );
}

function StandingsTable({ standings, swiss }: { standings: Standings; swiss: boolean }) {
  const t = useStrings();
  const scale = extent(standings.rows);
  const range = (interval: Interval | undefined, digits: number) =>
    interval ? `${points(interval.low, digits)} … ${points(interval.high, digits)}` : "";
  return (
    <section aria-labelledby="standings">
      <h2 id="standings">{t.standings}</h2>
      <p class="muted">{t.scoreHint}</p>
      <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="standings">
        <table class="data standings">
          <thead>
            <tr>
              <th scope="col">{t.rank}</th>
              <th scope="col">{t.entrant}</th>
              {swiss && <th scope="col">{t.pointsHead}</th>}
              <th scope="col" colSpan={2}>
                {t.score}
              </th>
              <th scope="col">{t.rating}</th>
              <th scope="col">{t.groups}</th>
              <th scope="col">{t.games}</th>
            </tr>
          </thead>
          <tbody>
            {standings.rows.map((row) => (
              <tr key={row.entrant} class={row.withdrawn ? "row-out" : ""}>
                <td class="rank">{row.rank}</td>
                <th scope="row">
                  {row.name} <small class="muted">{row.version}</small>
                  {row.withdrawn && <span class="mark">{t.withdrawn}</span>}
                  {row.outInRound !== undefined && <span class="mark">{t.outIn(row.outInRound + 1)}</span>}
                  {row.gain?.flagged && <span class="mark mark-warn">{t.flagged}</span>}
                  {row.provisionalGroups > 0 && (
                    <small class="muted provisional" title={t.provisionalHint}>
                      {" "}
                      {t.provisionalMean(row.provisionalGroups, points(row.provisionalMean, 2))}
                    </small>
                  )}
                  {row.byes > 0 && (
                    <small class="muted">
                      {" "}
                      {t.byes}: {row.byes}
                    </small>
                  )}
                </th>
                {swiss && <td class="number">{row.matchPoints.toFixed(1)}</td>}
                <td class="number">
                  <b>{points(row.mean, 2)}</b>
                </td>
                <td class="interval-cell">
                  <IntervalBar
                    mean={row.mean}
                    interval={row.interval}
                    scale={scale}
                    label={`${points(row.mean, 2)} (${range(row.interval, 2)})`}
                  />
                </td>
                <td class="number">
                  {points(row.rating, 0)} <small class="muted">{range(row.ratingInterval, 0)}</small>
                </td>
                <td class="number">{row.groups}</td>
                <td class="number">{row.games}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The lines of a chart differ in colour and in dash. */
const DASHES = ["", "6 3", "2 3", "9 3 2 3", "12 4", "1 2"];

/** Ratings after more and more groups. At most so many entrants: a chart of more says nothing. */
const MAX_LINES = 12;

function RatingChart({ tournamentId, standings }: { tournamentId: string; standings: Standings }) {
  const t = useStrings();
  // Anew with each tenth of the groups.
  const stage = Math.floor((standings.groupsCounted * 20) / Math.max(standings.groupsExpected, 1));
  const loaded = useLoaded(
    `history ${tournamentId} ${standings.groupsCounted > 1 ? stage + 1 : 0} ${standings.state}`,
    async () =>
      (await parlor.calls.tournaments.getStandings({ tournamentId, history: true })).standings!.history,
  );
  const [kept, setKept] = useState(loaded.state === "ready" ? loaded.value : []);
  useEffect(() => {
    if (loaded.state === "ready") setKept(loaded.value);
  }, [loaded.state, loaded.state === "ready" && loaded.value]);
  if (kept.length < 2) return null;
  const rows = standings.rows.slice(0, MAX_LINES);
  // On a phone the names stand below: beside the lines they would be out of sight.
  const narrow = innerWidth <= 640;
  const [width, height, left, right, bottom] = narrow ? [330, 220, 46, 8, 26] : [720, 260, 46, 130, 26];
  const most = kept.at(-1)!.groups;
  const values = rows.flatMap((row) => kept.map((point) => point.ratings[row.entrant] ?? 0));
  const [low, high] = [Math.min(...values, -10), Math.max(...values, 10)];
  const x = (groups: number) => left + (groups / most) * (width - left - right);
  const y = (rating: number) => 8 + ((high - rating) / (high - low)) * (height - bottom - 8);
  const ticks = [low, 0, high].filter((value, index, all) => all.indexOf(value) === index);
  // Labels at the right keep apart from each other.
  const labels = rows
    .map((row) => ({ row, at: y(kept.at(-1)!.ratings[row.entrant] ?? 0) }))
    .sort((a, b) => a.at - b.at);
  for (let index = 1; index < labels.length; index++)
    labels[index]!.at = Math.max(labels[index]!.at, labels[index - 1]!.at + 15);
  return (
    <section aria-labelledby="ratings">
      <h2 id="ratings">{t.ratingOverTime}</h2>
      <p class="muted">{t.ratingHint}</p>
      <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="ratings">
        <svg
          class="chart"
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={rows.map((row) => `${rowName(row)}: ${points(row.rating, 0)}`).join(", ")}
        >
          {ticks.map((value) => (
            <g key={value}>
              <path class="chart-line" d={`M${left} ${y(value)}H${width - right}`} />
              <text x={left - 6} y={y(value) + 4} text-anchor="end">
                {points(value, 0)}
              </text>
            </g>
          ))}
          <text x={x(most)} y={height - 6} text-anchor="end">
            {t.afterGroups(most)}
          </text>
          {rows.map((row, index) => (
            <path
              key={row.entrant}
              class={`chart-rating line-${index % 6}`}
              stroke-dasharray={DASHES[Math.floor(index / 6) % DASHES.length]}
              d={`M${kept.map((point) => `${x(point.groups).toFixed(1)} ${y(point.ratings[row.entrant] ?? 0).toFixed(1)}`).join("L")}`}
            />
          ))}
          {!narrow &&
            labels.map(({ row, at }) => (
              <text
                key={row.entrant}
                class={`chart-name line-${rows.indexOf(row) % 6}`}
                x={width - 122}
                y={at + 4}
              >
                {rowName(row)}
              </text>
            ))}
        </svg>
      </div>
      {narrow && (
        <ul class="chart-legend" aria-hidden="true">
          {rows.map((row, index) => (
            <li key={row.entrant} class={`line-${index % 6}`}>
              <svg viewBox="0 0 26 6">
                <path
                  class="chart-rating"
                  stroke-dasharray={DASHES[Math.floor(index / 6) % DASHES.length]}
                  d="M0 3H26"
                />
              </svg>
              {rowName(row)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function CrossTable({ standings }: { standings: Standings }) {
  const t = useStrings();
  const { rows, cells } = standings;
  if (cells.length === 0) return null;
  const scale = Math.max(0.1, ...cells.map((cell) => Math.abs(cell.mean)));
  const cell = (entrant: number, opponent: number) =>
    cells.find((cell) => cell.entrant === entrant && cell.opponent === opponent);
  return (
    <section aria-labelledby="cross">
      <h2 id="cross">{t.crossTable}</h2>
      <p class="muted">{t.crossHint}</p>
      <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="cross">
        <table class="data cross">
          <thead>
            <tr>
              <td />
              {rows.map((row) => (
                <th key={row.entrant} scope="col">
                  {rowName(row)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.entrant}>
                <th scope="row">{rowName(row)}</th>
                {rows.map((column) => {
                  const met = row === column ? undefined : cell(row.entrant, column.entrant);
                  if (!met) return <td key={column.entrant} class="cross-empty" />;
                  const strength = Math.round((Math.abs(met.mean) / scale) * 5);
                  const title = `${t.versus(rowName(row), rowName(column))}: ${points(met.mean, 2)}${met.interval ? ` (${points(met.interval.low, 2)} … ${points(met.interval.high, 2)})` : ""}, ${met.groups} ${t.groups}`;
                  return (
                    <td
                      key={column.entrant}
                      class={`number heat heat-${met.mean < 0 ? "minus" : "plus"}-${strength}`}
                      title={title}
                    >
                      {points(met.mean)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const PAGE_SIZE = 200;

/** All games that can be seen, by rounds and deals, each a click from its replay. */
function Games({
  tournamentId,
  tournament,
  standings,
}: {
  tournamentId: string;
  tournament: Tournament;
  standings: Standings;
}) {
  const t = useStrings();
  const [pages, setPages] = useState(1);
  const loaded = useLoaded(
    `games ${tournamentId} ${pages} ${Math.floor(standings.groupsComplete / 5)} ${standings.state}`,
    async () => {
      const tables: TournamentTable[] = [];
      let pageToken = "";
      for (let page = 0; page < pages; page++) {
        const answer = await parlor.calls.tournaments.listTournamentTables({
          tournamentId,
          pageSize: PAGE_SIZE,
          pageToken,
        });
        tables.push(...answer.tables);
        pageToken = answer.nextPageToken;
        if (pageToken === "") break;
      }
      return { tables, more: pageToken !== "" };
    },
  );
  const [kept, setKept] = useState<{ tables: readonly TournamentTable[]; more: boolean }>({
    tables: [],
    more: false,
  });
  useEffect(() => {
    if (loaded.state === "ready") setKept(loaded.value);
  }, [loaded.state, loaded.state === "ready" && loaded.value]);
  const names = entrantNames(standings.rows);
  const knockout = tournament.setup?.format.case === "knockout";
  const hasRounds = knockout || tournament.setup?.format.case === "swiss";
  const rounds = [...new Set(kept.tables.map((table) => table.round))].sort((a, b) => a - b);
  if (kept.tables.length === 0) return null;
  return (
    <section aria-labelledby="games">
      {knockout && <Bracket tables={kept.tables} names={names} standings={standings} />}
      <h2 id="games">{t.allGames}</h2>
      {rounds.map((round) => (
        <details key={round} open={!hasRounds || round === rounds.at(-1)} class="round">
          <summary>{hasRounds ? t.round(round + 1) : t.allGames}</summary>
          <div
            class="scroll-x games-list"
            tabIndex={0}
            role="region"
            aria-label={hasRounds ? t.round(round + 1) : t.allGames}
          >
            <table class="data">
              <thead>
                <tr>
                  <th scope="col">{t.deal}</th>
                  <th scope="col">{t.result}</th>
                  <th scope="col">{t.replay}</th>
                </tr>
              </thead>
              <tbody>
                {kept.tables
                  .filter((table) => table.round === round)
                  .map((table) => (
                    <tr key={table.tableId} class={table.voidReason ? "row-out" : ""}>
                      <td class="number">
                        {table.group + 1}
                        <small class="muted">.{table.rotation + 1}</small>
                      </td>
                      <td>
                        {table.entrants.map((entrant, seat) => {
                          const result = table.results[seat];
                          return (
                            <span
                              key={seat}
                              class={`game-entrant ${result?.place === 1 ? "game-winner" : ""}`}
                            >
                              {names[entrant]} {result && <b>{signed(result.points)}</b>}
                              {result?.place === 1 && <span class="visually-hidden"> ({t.ordinal(1)})</span>}
                            </span>
                          );
                        })}
                      </td>
                      <td>
                        {table.voidReason ? (
                          <span title={table.voidReason}>{t.voided}</span>
                        ) : table.hasRecord ? (
                          <>
                            <a
                              href={`/replay/${table.tableId}`}
                              aria-label={`${t.replay}: ${t.deal} ${table.group + 1}.${table.rotation + 1}`}
                            >
                              {t.replay}
                            </a>
                            {!table.counts && (
                              <small class="muted provisional" title={t.provisionalHint}>
                                {" "}
                                {t.provisional}
                              </small>
                            )}
                          </>
                        ) : (
                          t.running
                        )}
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        </details>
      ))}
      {kept.more && (
        <button type="button" class="button" onClick={() => setPages(pages + 1)}>
          {t.more}
        </button>
      )}
    </section>
  );
}

/** Who met whom in each round of a knockout, and who went on. */
function Bracket({
  tables,
  names,
  standings,
}: {
  tables: readonly TournamentTable[];
  names: readonly string[];
  standings: Standings;
}) {
  const t = useStrings();
  const rounds = new Map<number, Map<string, number[]>>();
  for (const table of tables) {
    const lineup = [...table.entrants].sort((a, b) => a - b);
    const round = rounds.get(table.round) ?? new Map<string, number[]>();
    rounds.set(table.round, round.set(lineup.join(" "), lineup));
  }
  const outIn = new Map(standings.rows.map((row) => [row.entrant, row.outInRound]));
  return (
    <>
      <h2 id="bracket">{t.bracket}</h2>
      <div class="scroll-x" tabIndex={0} role="region" aria-labelledby="bracket">
        <ol class="bracket">
          {[...rounds].map(([round, lineups]) => (
            <li key={round}>
              <h3>{t.round(round + 1)}</h3>
              {[...lineups].map(([key, lineup]) => (
                <ul key={key} class="lineup">
                  {lineup.map((entrant) => (
                    <li key={entrant} class={outIn.get(entrant) === round ? "lineup-out" : ""}>
                      {names[entrant]}
                      {outIn.get(entrant) === round && <small> {t.outIn(round + 1)}</small>}
                    </li>
                  ))}
                </ul>
              ))}
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}
