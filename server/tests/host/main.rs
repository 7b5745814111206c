//! Tables in memory, from their making to their record: on a log in memory and a clock that is moved by hand.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parlor_engine::{GameId, Seat, Viewer};
use parlor_proto::v1::{self, stream_item::Item};
use prost::Message;

use parlor_host::agents::AgentRequirement;
use parlor_host::clock::ManualClock;
use parlor_host::identity::{Generation, Owner, VerifiedSeatToken, VerifiedSpectatorToken};
use parlor_host::limits::StreamAllowance;
use parlor_host::table::{
    Answer, DecisionAnswer, DecisionId, SeatRequest, SeatSetup, State, TableSummary, TimeControl, Visibility,
};
use parlor_host::{
    Channel, ChannelCommand, ClientCommand, Codecs, DealtTable, Host, HostError, HostSettings, JoinRequest,
    NewChance, NewTable, OutboundBatch, TableId, TournamentId, ViewerCredential, Wants,
};
use parlor_server::grpc::Failure;
use parlor_server::grpc::convert::{ApiCodec, ApiItemEncoder};
use parlor_server::identity::ServerKey;
use parlor_store::MemoryLog;

mod tournaments;

const CODECS: Codecs = Codecs { items: &ApiItemEncoder, payloads: &ApiCodec };

const TIME: TimeControl = TimeControl {
    decision: 1_000,
    bank: 2_000,
    grace: 3_000,
    forfeit_after: 2,
    secret: 500,
    constant_secret: false,
};

struct Scene {
    host: Host,
    log: Arc<MemoryLog>,
    clock: ManualClock,
    key: ServerKey,
    owner: Owner,
}

fn house(bot: &str) -> SeatSetup {
    SeatSetup::House { bot: bot.to_owned() }
}

fn new_table(game: GameId, seats: Vec<SeatSetup>) -> NewTable {
    NewTable {
        options: game.default_options(),
        seats,
        time: TIME,
        visibility: Visibility::Public,
        chance: NewChance::Given([7; 32]),
        metadata: BTreeMap::new(),
        fill: 60_000,
        agents: AgentRequirement::Connected,
        request: None,
    }
}

impl Scene {
    async fn new() -> Scene {
        let clock = ManualClock::new();
        let log = Arc::new(MemoryLog::new());
        let host = Host::start(log.clone(), Arc::new(clock.clone()), &HostSettings::default(), CODECS)
            .await
            .expect("a host");
        let owner = "club".parse().expect("an owner");
        Scene { host, log, clock, key: ServerKey::from_bytes([1; 32]), owner }
    }

    async fn make(&self, game: GameId, seats: Vec<SeatSetup>) -> TableId {
        let look = self.host.create(&self.owner, 100, new_table(game, seats)).await.expect("a table");
        look.setup.table
    }

    async fn sit(&self, table: TableId) -> VerifiedSeatToken {
        let join = JoinRequest {
            seat_request: SeatRequest::default(),
            by_owner: false,
            previous: None,
            invite: None,
        };
        let joined = self.host.join(table, join).await.expect("a free seat");
        let token = self.key.seat_token(table, joined.seat, joined.generation);
        self.key.verify_seat_token(token.reveal()).expect("a token of this server")
    }

    async fn over(&self, table: TableId) -> TableSummary {
        for _ in 0..60_000 {
            let look = self.host.summary(table).await.expect("a table");
            if look.state.is_over() {
                return look;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        panic!("table {table} does not end");
    }
}

/// What one client of a seat has seen.
#[derive(Default)]
struct Seen {
    numbers: Vec<u64>,
    closed: Option<v1::ChannelClosed>,
    events: Vec<v1::TableEvent>,
}

/// The items of a message, which is no larger than one may be.
fn items(batch: &OutboundBatch) -> Vec<v1::StreamItem> {
    let message = batch.items.as_bytes();
    assert!(message.len() <= HostSettings::default().batch_bytes, "{}", message.len());
    v1::PlayResponse::decode(message).expect("items").items
}

/// Attaches, answers every decision with its first action, and reads until the channel is closed.
async fn play(host: &Host, who: ViewerCredential, after: Option<u64>) -> Seen {
    let (handle, mut outbox) = host.open_stream(StreamAllowance::default()).expect("a stream");
    let channel = Channel(5);
    let wants = Wants::default();
    handle
        .send(ChannelCommand { channel, command: ClientCommand::Attach { credential: who, after, wants } })
        .await;
    let mut seen = Seen::default();
    while seen.closed.is_none() {
        let batch = outbox.next().await.expect("a stream that goes on");
        for item in items(&batch) {
            match item.item.expect("an item") {
                item @ Item::Revealed(_) => panic!("{item:?} without a reveal"),
                item @ (Item::SeatGiven(_) | Item::EntropyAsked(_)) => panic!("{item:?} is for agents"),
                Item::Snapshot(snapshot) => seen.numbers.push(snapshot.number.into()),
                Item::Update(update) => {
                    seen.numbers.push(update.number.into());
                    seen.events.extend(update.table_events);
                }
                Item::Decision(asked) => {
                    assert_eq!(asked.legal_actions.len(), asked.legal_count as usize);
                    let decision = DecisionId(asked.id.into());
                    let answer = ClientCommand::Answer(DecisionAnswer {
                        decision,
                        answer: Answer::Index(0),
                        reported: Some(1),
                    });
                    handle.send(ChannelCommand { channel, command: answer }).await;
                }
                Item::Answered(answered) => {
                    assert_eq!(answered.status(), v1::AnswerStatus::Accepted, "{answered:?}");
                }
                Item::Closed(closed) => seen.closed = Some(closed),
                Item::Presence(_) | Item::TimeLeft(_) => {}
            }
        }
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn house_bots_play_every_game_to_its_end() {
    let scene = Scene::new().await;
    for game in GameId::ALL {
        let players = usize::from(game.info().max_players);
        let table = scene.make(*game, vec![house("random"); players]).await;
        let look = scene.over(table).await;
        assert_eq!(look.state, State::Finished, "{game:?}: {:?}", look.ending);
        assert!(look.shuffle.game_seed.is_some() && look.shuffle.given);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn players_and_spectators_see_every_update_once() {
    let scene = Scene::new().await;
    for game in GameId::ALL {
        let table = scene.make(*game, vec![SeatSetup::Open, house("random"), SeatSetup::Open]).await;
        let rail = ViewerCredential::NoToken { table, caller: None, admin: false };
        let watching = tokio::spawn({
            let (host, rail) = (scene.host.clone(), rail.clone());
            async move { play(&host, rail, Some(0)).await }
        });
        let passes = [scene.sit(table).await, scene.sit(table).await];
        let playing = passes.map(|pass| {
            let host = scene.host.clone();
            tokio::spawn(async move { play(&host, ViewerCredential::Seat(pass), None).await })
        });
        let watched = watching.await.expect("a spectator");
        for player in playing {
            let seen = player.await.expect("a player");
            assert!(seen.numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{:?}", seen.numbers);
            let last = seen.events.into_iter().last().and_then(|last| last.event);
            assert!(matches!(last, Some(v1::table_event::Event::Over(_))), "{last:?}");
            let closed = seen.closed.expect("an end");
            assert_eq!(closed.reason(), v1::ErrorReason::Unspecified, "{closed:?}");
        }
        let last = scene.over(table).await.numbers.get(Viewer::Spectator);
        assert_eq!(watched.numbers, (1..=last).collect::<Vec<_>>());
        let again = play(&scene.host, rail, Some(3)).await;
        assert_eq!(again.numbers, (4..=last).collect::<Vec<_>>(), "from the record");
    }
}

/// However much a client has missed, it is not cut off for what it asked for itself, and not all of it waits at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_comes_back_after_a_long_time_gets_everything() {
    let scene = Scene::new().await;
    let table = scene.make(GameId::HabeFertig, vec![house("random"); 4]).await;
    let last = scene.over(table).await.numbers.get(Viewer::Spectator);
    let queue = HostSettings::default().stream_queue as u32;
    let channels = 40 * (queue / last as u32 + 1);
    let most = queue as usize + parlor_host::stream::MAX_CONCURRENT_CATCH_UPS * (last as usize + 1);
    let (handle, mut outbox) = scene.host.open_stream(StreamAllowance::default()).expect("a stream");
    let who = ViewerCredential::NoToken { table, caller: None, admin: false };
    let attach = |channel| {
        let what = ClientCommand::Attach { credential: who.clone(), after: Some(0), wants: Wants::default() };
        ChannelCommand { channel: Channel(channel), command: what }
    };
    let command = tokio::spawn({
        let sayings: Vec<_> = (0..channels).map(attach).collect();
        async move {
            for command in sayings {
                handle.send(command).await;
            }
            handle
        }
    });
    let mut heard: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    let mut closed = 0;
    while closed < channels {
        let batch = outbox.next().await.expect("a stream that goes on");
        assert!(batch.end_reason.is_none(), "{:?}", batch.end_reason);
        let items = items(&batch);
        assert!(items.len() <= most, "{} items waited", items.len());
        for v1::StreamItem { channel, item } in items {
            match item.expect("an item") {
                Item::Update(told) => heard.entry(channel).or_default().push(told.number.into()),
                Item::Closed(end) => closed += u32::from(end.reason() == v1::ErrorReason::Unspecified),
                _ => {}
            }
        }
    }
    assert_eq!(heard.len(), channels as usize);
    assert!(heard.values().all(|numbers| numbers.iter().copied().eq(1..=last)));
    command.await.expect("all was said");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_that_does_not_fill_expires() {
    let scene = Scene::new().await;
    let table = scene.make(GameId::Gap, vec![SeatSetup::Open, SeatSetup::Open]).await;
    scene.clock.advance(Duration::from_secs(61));
    assert_eq!(scene.over(table).await.state, State::Expired);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_never_comes_runs_out_of_time_and_forfeits() {
    let scene = Scene::new().await;
    let table = scene.make(GameId::Gap, vec![SeatSetup::Open, house("random")]).await;
    scene.sit(table).await;
    for _ in 0..400 {
        if scene.host.summary(table).await.expect("a table").state.is_over() {
            break;
        }
        scene.clock.advance(Duration::from_millis(500));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let look = scene.over(table).await;
    let Some(parlor_host::table::Ending::Finished(result)) = look.ending else { panic!("{:?}", look.ending) };
    assert_eq!(result.seats[0].finish, parlor_host::table::SeatFinish::Disconnected);
    assert_eq!((result.seats[0].place, result.seats[0].time_outs), (2, 2));
}

/// A house bot that fails is a fault of the server: the table ends, its seed is shown, and nobody scores.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_house_bot_that_fails_is_a_fault_of_the_server() {
    let scene = Scene::new().await;
    // One that thinks for a while, so that the failure comes first.
    let table = scene.make(GameId::Gap, vec![house("search:100000"), house("random")]).await;
    scene.host.fail_house_bot(table, Seat::FIRST, DecisionId(1)).await;
    let look = scene.over(table).await;
    let what = "the house bot search:100000 failed".to_owned();
    assert_eq!(look.ending, Some(parlor_host::table::Ending::Faulted { reason: what }));
    assert_eq!((look.state, look.shuffle.game_seed.is_some()), (State::Faulted, true));
    let record = scene.host.load_record(table, None).await.expect("a record");
    assert_eq!((record.summary.ending, record.views.len()), (look.ending, 3));
}

/// A table of a deal shows nothing to those who look on, and no seed, before its deal is over; afterwards it shows
/// everything. Made again, it is the same table, and whoever runs the tournament is told of its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deal_is_a_secret_until_its_last_table_is_over() {
    let scene = Scene::new().await;
    let tournament = TournamentId::from_bytes([5; 16]);
    let seed = parlor_fair::ServerSeed::from_bytes([6; 32]).deal_seed(tournament, 2);
    let dealt = |rotation| DealtTable {
        options: GameId::Gap.default_options(),
        seats: vec![house("random"); 2],
        time: TIME,
        visibility: Visibility::Public,
        deal: parlor_host::table::Deal {
            tournament,
            number: 2,
            rotation,
            server_seed: *seed.reveal(),
            entropy: vec![parlor_host::table::AddedEntropy {
                commitment: None,
                entropy: parlor_fair::Entropy::new(b"dice").expect("few bytes"),
            }],
            recolour: true,
            given: false,
        },
        set_aside: parlor_engine::Seats::NONE,
    };
    let mut ends = scene.host.deals().attach_runner(tournament);
    let made = scene.host.create_deal_table(&scene.owner, dealt(0)).await.expect("a table");
    let table = made.setup.table;
    assert_eq!(made.shuffle.commitment, None, "it would tell which tables play the same deal");
    assert_eq!(scene.host.create_deal_table(&scene.owner, dealt(0)).await.expect("it").setup.table, table);
    assert_ne!(scene.host.create_deal_table(&scene.owner, dealt(1)).await.expect("one").setup.table, table);
    let mut ended = Vec::new();
    while ended.len() < 2 {
        ended.extend(ends.next().await);
    }
    for end in ended {
        assert_eq!((end.number, end.table == table), (2, end.rotation == 0));
        assert!(matches!(end.ending, parlor_host::table::Ending::Finished(_)));
    }
    let (refused, none) = (HostError::DealNotOver { tournament }, (None, None));
    let owner = Some(scene.owner.clone());
    let rail = ViewerCredential::NoToken { table, caller: owner, admin: true };
    for who in [rail.clone(), ViewerCredential::Spectator(spectator(&scene, table))] {
        let seen = play(&scene.host, who, Some(0)).await;
        assert_eq!(seen.closed.map(|closed| closed.message), Some(Failure::from(refused.clone()).message()));
        assert!(seen.numbers.is_empty() && seen.events.is_empty());
    }
    let pass = scene.key.seat_token(table, Seat::FIRST, Generation(0));
    let pass =
        ViewerCredential::Seat(scene.key.verify_seat_token(pass.reveal()).expect("a token of this server"));
    for who in [&rail, &pass] {
        let record = scene.host.record(who, None).await;
        assert_eq!(record.map(drop), Err(refused.clone()));
    }
    let (look, _) = scene.host.admit(&rail).await.expect("a look");
    assert_eq!((look.shuffle.server_seed, look.shuffle.game_seed), none);
    assert_eq!(look.shuffle.deal.as_ref().map(|deal| deal.entropy.len()), Some(0));
    scene.host.deals().end_deal(tournament, 2);
    let look = scene.host.summary(table).await.expect("a table");
    assert_eq!(look.shuffle.server_seed, Some(*seed.reveal()));
    assert_eq!(look.shuffle.commitment, Some(seed.commitment()));
    let entropy = look.shuffle.deal.expect("a deal").entropy;
    assert_eq!(
        look.shuffle.game_seed,
        Some(*seed.game_seed(&parlor_host::table::revealed(&entropy)).reveal())
    );
    let (record, _) = scene.host.record(&rail, None).await.expect("a record");
    assert_eq!(record.summary.shuffle.game_seed, look.shuffle.game_seed);
    let seen = play(&scene.host, rail, Some(0)).await;
    assert_eq!(seen.numbers.len() as u64, look.numbers.get(Viewer::Spectator));
}

fn spectator(scene: &Scene, table: TableId) -> VerifiedSpectatorToken {
    let token = scene.key.spectator_token(table, Generation(0));
    scene.key.verify_spectator_token(token.reveal()).expect("a token of this server")
}
