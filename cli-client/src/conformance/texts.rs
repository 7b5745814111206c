//! Texts and boards that an agent wants, added to updates and decisions as a server does.

use parlor_engine::{AnyAction, AnyEvent, AnyView, Lang, Localise, Seat, Standing, Viewer};
use parlor_proto::table_text::{DecidedText, SeatResultText, TableEndText, TableEventText};
use parlor_sdk::wire;
use wire::table_event::Event;

/// Language of the wanted texts; `None` if none are wanted.
fn language(wants: &wire::Wants) -> Option<Lang> {
    match wants.texts() {
        wire::Language::Unspecified => None,
        wire::Language::English => Some(Lang::En),
        wire::Language::German => Some(Lang::De),
    }
}

fn text(value: &impl Localise, lang: Lang, reader: Viewer) -> wire::RichText {
    value.rich_text(lang, reader).into()
}

fn board(view: &AnyView, actions: &[AnyAction], lang: Option<Lang>) -> wire::Board {
    let lang = lang.unwrap_or_default();
    (view.board(actions, lang), lang).into()
}

fn view_of(view: Option<&wire::GameView>) -> Option<AnyView> {
    view.and_then(|view| AnyView::try_from(view.clone()).ok())
}

/// Adds to a decision, which has its view.
pub(super) fn add_to_decision(decision: &mut wire::Decision, legal: &[AnyAction], wants: &wire::Wants) {
    let (lang, view) = (language(wants), view_of(decision.view.as_deref()));
    let Some(view) = view else { return };
    if wants.board() {
        decision.board = Some(board(&view, legal, lang));
    }
    decision.texts = lang.map(|lang| wire::DecisionTexts {
        question: Some(view.question(lang).into()),
        actions: legal.iter().map(|action| view.action_text(action, lang).into()).collect(),
        view: Some(text(&view, lang, view.viewer())),
    });
}

/// Adds to an update, which has its view and its events.
pub(super) fn add_to_update(update: &mut wire::Update, wants: &wire::Wants) {
    let (lang, view) = (language(wants), view_of(update.view.as_deref()));
    let Some(view) = view else { return };
    if wants.board() {
        update.board = Some(board(&view, &[], lang));
    }
    update.texts = lang.map(|lang| update_texts(update, &view, lang));
}

fn update_texts(update: &wire::Update, view: &AnyView, lang: Lang) -> wire::UpdateTexts {
    let reader = view.viewer();
    let decided = update.decided.as_ref().and_then(|decided| {
        let action = AnyAction::try_from(decided.action.clone()?).ok()?;
        Some(text(&DecidedText { action, by: decided.by() }, lang, reader))
    });
    let events = update.events.iter().filter_map(|event| AnyEvent::try_from(event.clone()).ok());
    let result = update.table_events.iter().find_map(|event| match &event.event {
        Some(Event::Over(over)) => over.result.as_ref(),
        _ => None,
    });
    wire::UpdateTexts {
        table_events: update
            .table_events
            .iter()
            .map(|event| table_event_text(event.event.as_ref(), lang, reader))
            .collect(),
        decided,
        events: events.map(|event| text(&event, lang, reader)).collect(),
        view: Some(text(view, lang, reader)),
        result: result.map(|result| result_texts(result, lang, reader)),
    }
}

/// The text of a table event; empty for one that no check sends.
fn table_event_text(event: Option<&Event>, lang: Lang, reader: Viewer) -> wire::RichText {
    let sentence = match event {
        Some(Event::Started(_)) => TableEventText::Started,
        Some(Event::ClockRanOut(clock)) => match seat(clock.seat) {
            Some(seat) => TableEventText::ClockRanOut { seat },
            None => return wire::RichText::default(),
        },
        Some(Event::Over(wire::TableOver { result: Some(result), .. })) => {
            TableEventText::Over(end_text(result))
        }
        _ => return wire::RichText::default(),
    };
    text(&sentence, lang, reader)
}

fn end_text(result: &wire::TableResult) -> TableEndText<'_> {
    TableEndText { reason: result.reason(), note: &result.note }
}

fn result_texts(result: &wire::TableResult, lang: Lang, reader: Viewer) -> wire::ResultTexts {
    let of_seat = |result: &wire::SeatResult| {
        let standing =
            Standing { seat: seat(result.seat)?, points: result.points, place: result.place as u8 };
        Some(text(&SeatResultText { standing, finish: result.finish() }, lang, reader))
    };
    wire::ResultTexts {
        reason: Some(text(&end_text(result), lang, reader)),
        seats: result.seats.iter().filter_map(of_seat).collect(),
    }
}

fn seat(number: u32) -> Option<Seat> {
    Seat::new(u8::try_from(number).ok()?)
}
