// Making a table: against bots in two clicks, or with friends.

import { useState } from "preact/hooks";
import { type GameInfo, type NewTable, type OptionInfo, parlor, ParlorError } from "../api";
import { useCatalogue } from "../catalogue";
import { useStrings } from "../i18n";
import { ownerOf, storeOwnerToken } from "../owner";
import { go } from "../router";
import { takeSeat } from "../seats";
import { useSettings } from "../settings";
import { NameField } from "../table/TablePage";
import { strength, strengthHint } from "../table/players";
import { Dialog } from "../ui/Dialog";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";

/** The times per move that can be chosen for a table of friends, in seconds. 0: no clock. */
const CLOCKS = [0, 30, 60, 300] as const;

type Options = Readonly<Record<string, number | boolean>>;

async function createAndSit(table: NewTable): Promise<void> {
  const {
    table: { tableId },
    ownerToken,
  } = await parlor.createGuestTable(table);
  if (ownerToken === "") {
    await takeSeat({ tableId });
  } else {
    // A guest, who takes the own seat with an invite, too: the table may be private.
    storeOwnerToken(tableId, ownerToken);
    const { secret } = await ownerOf(tableId).createInvite(tableId, { seat: 0 });
    await takeSeat({ invite: secret });
  }
  go(`/t/${tableId}`);
}

/** Makes a table, once, and says what went wrong. */
function useCreate(): { busy: boolean; error: unknown; create: (table: NewTable) => void } {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    busy,
    error,
    create: (table) => {
      setBusy(true);
      setError(undefined);
      createAndSit(table).catch((failure: unknown) => {
        setBusy(false);
        setError(failure);
      });
    },
  };
}

function CreateFailure({ error }: { error: unknown }) {
  const t = useStrings();
  if (error === undefined) return null;
  const noKey =
    error instanceof ParlorError && ["CREDENTIALS_MISSING", "SCOPE_MISSING"].includes(error.reason);
  return noKey ? (
    <p class="banner" role="alert">
      {t.noCreate}
    </p>
  ) : (
    <Failure error={error} />
  );
}

/** A number with buttons for one fewer and one more. */
function Stepper({
  label,
  value,
  min,
  max,
  onChange,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
}) {
  const t = useStrings();
  return (
    <div class="stepper" role="group" aria-label={label}>
      <span>{label}</span>
      <button
        type="button"
        class="icon-button"
        aria-label={`${label}: ${t.fewer}`}
        disabled={value <= min}
        onClick={() => onChange(value - 1)}
      >
        <Icon name="minus" />
      </button>
      <output>{value}</output>
      <button
        type="button"
        class="icon-button"
        aria-label={`${label}: ${t.moreOpponents}`}
        disabled={value >= max}
        onClick={() => onChange(value + 1)}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

/** The options of a game as the catalogue tells of them. */
function OptionFields({
  game,
  options,
  onChange,
}: {
  game: GameInfo;
  options: Options;
  onChange: (options: Options) => void;
}) {
  const t = useStrings();
  const { lang } = useSettings();
  const set = (option: OptionInfo, value: number | boolean | undefined) => {
    // Of a group, only one can be set.
    const others = game.options
      .filter((other) => other !== option && option.group !== "" && other.group === option.group)
      .map((other) => other.name);
    const next = Object.fromEntries(
      Object.entries(options).filter(([name]) => name !== option.name && !others.includes(name)),
    );
    onChange(value === undefined ? next : { ...next, [option.name]: value });
  };
  return (
    <>
      {game.options.map((option) => {
        const { values } = option;
        if (values.case === "flag") {
          return (
            <label key={option.name} class="check-label">
              <input
                type="checkbox"
                checked={(options[option.name] ?? values.value.defaultValue) === true}
                onChange={(event) => set(option, event.currentTarget.checked)}
              />
              <span>{option.summary![lang]}</span>
            </label>
          );
        }
        if (values.case !== "integer") return null;
        const { min, max, defaultValue, usual } = values.value;
        const value = options[option.name];
        return (
          <div key={option.name} class="field-label">
            <span>{option.summary![lang]}</span>
            <div class="choices">
              {usual.map((named) => (
                <button
                  key={named.value}
                  type="button"
                  class="choice"
                  aria-pressed={
                    value === named.value ||
                    (value === undefined && named.value === defaultValue && !othersSet(game, option, options))
                  }
                  onClick={() => set(option, named.value)}
                >
                  {named.name![lang]} ({named.value})
                </button>
              ))}
              <input
                class="input input-number"
                type="number"
                min={min}
                max={max}
                aria-label={option.summary![lang]}
                placeholder={defaultValue === undefined ? t.optionsDefault : String(defaultValue)}
                value={typeof value === "number" ? value : ""}
                onInput={(event) => {
                  const number = event.currentTarget.valueAsNumber;
                  set(option, Number.isInteger(number) ? Math.min(Math.max(number, min), max) : undefined);
                }}
              />
            </div>
          </div>
        );
      })}
    </>
  );
}

function othersSet(game: GameInfo, option: OptionInfo, options: Options): boolean {
  return game.options.some(
    (other) =>
      other !== option &&
      option.group !== "" &&
      other.group === option.group &&
      options[other.name] !== undefined,
  );
}

/** A table against bots: one click for their strength, and the game begins. */
export function StartDialog({ game, onClose }: { game: GameInfo; onClose: () => void }) {
  const t = useStrings();
  const { lang } = useSettings();
  const { bots } = useCatalogue();
  const [opponents, setOpponents] = useState(Math.max(game.minPlayers - 1, Math.min(2, game.maxPlayers - 1)));
  const [options, setOptions] = useState<Options>({});
  const { busy, error, create } = useCreate();
  const start = (bot: string) =>
    create({
      game: game.game,
      seats: ["open", ...Array.from({ length: opponents }, () => `bot:${bot}` as const)],
      options: { ...options },
      clock: { decisionMs: 0 },
      visibility: "private",
    });
  return (
    <Dialog title={t.playAgainst(game.name![lang])} class="dialog-start" onClose={onClose}>
      <p>{t.pickStrength}</p>
      <div class="strengths">
        {bots
          .filter((bot) => bot.games.includes(game.game))
          .map((bot, index) => (
            <button
              key={bot.name}
              type="button"
              class="strength"
              data-focus={index === 0}
              disabled={busy}
              onClick={() => start(bot.name)}
            >
              <span class="strength-bars" aria-hidden="true">
                {[0, 1, 2].map((bar) => (
                  <i key={bar} class={bar <= index ? "on" : ""} />
                ))}
              </span>
              <b>{strength(bot.name, t)}</b>
              <small>{strengthHint(bot.name, t) ?? bot.summary![lang]}</small>
            </button>
          ))}
      </div>
      <Stepper
        label={t.opponents}
        value={opponents}
        min={game.minPlayers - 1}
        max={game.maxPlayers - 1}
        onChange={setOpponents}
      />
      {game.options.length > 0 && (
        <details class="more-options">
          <summary>{t.options}</summary>
          <OptionFields game={game} options={options} onChange={setOptions} />
        </details>
      )}
      <CreateFailure error={error} />
    </Dialog>
  );
}

/** A table with friends. */
export function FriendsDialog({ game, onClose }: { game: GameInfo; onClose: () => void }) {
  const t = useStrings();
  const { lang } = useSettings();
  const { bots } = useCatalogue();
  const [friends, setFriends] = useState(1);
  const [botSeats, setBotSeats] = useState(Math.max(game.minPlayers - 2, 0));
  const [clock, setClock] = useState<number>(0);
  const [isPublic, setPublic] = useState(false);
  const [options, setOptions] = useState<Options>({});
  const { busy, error, create } = useCreate();
  const fits = bots.filter((bot) => bot.games.includes(game.game));
  const bot = fits[Math.min(1, fits.length - 1)]?.name;
  const most = game.maxPlayers - 1;
  return (
    <Dialog title={t.createFor(game.name![lang])} class="dialog-start" onClose={onClose}>
      <NameField />
      <Stepper
        label={t.seatsForFriends}
        value={friends}
        min={Math.max(1, game.minPlayers - 1 - botSeats)}
        max={most - botSeats}
        onChange={setFriends}
      />
      {bot && (
        <Stepper
          label={t.seatsForBots}
          value={botSeats}
          min={Math.max(0, game.minPlayers - 1 - friends)}
          max={most - friends}
          onChange={setBotSeats}
        />
      )}
      <div class="field-label" role="group" aria-label={t.clock}>
        <span>{t.clock}</span>
        <div class="choices">
          {CLOCKS.map((seconds) => (
            <button
              key={seconds}
              type="button"
              class="choice"
              aria-pressed={clock === seconds}
              onClick={() => setClock(seconds)}
            >
              {seconds === 0 ? t.noClock : t.seconds(seconds)}
            </button>
          ))}
        </div>
      </div>
      <div class="field-label" role="group" aria-label={t.whoMayJoin}>
        <span>{t.whoMayJoin}</span>
        <div class="choices">
          <button type="button" class="choice" aria-pressed={!isPublic} onClick={() => setPublic(false)}>
            {t.onlyInvited}
          </button>
          <button type="button" class="choice" aria-pressed={isPublic} onClick={() => setPublic(true)}>
            {t.anyone}
          </button>
        </div>
      </div>
      {game.options.length > 0 && (
        <details class="more-options">
          <summary>{t.options}</summary>
          <OptionFields game={game} options={options} onChange={setOptions} />
        </details>
      )}
      <CreateFailure error={error} />
      <div class="dialog-actions">
        <button
          type="button"
          class="button button-primary"
          disabled={busy}
          onClick={() =>
            create({
              game: game.game,
              seats: [
                "open",
                ...Array.from({ length: friends }, () => "open" as const),
                ...Array.from({ length: botSeats }, () => `bot:${bot!}` as const),
              ],
              options: { ...options },
              clock: { decisionMs: clock * 1000 },
              visibility: isPublic ? "public" : "private",
            })
          }
        >
          {t.createTable}
        </button>
      </div>
    </Dialog>
  );
}
