//! Log lines on standard error: text for people, or one JSON object per line.

use std::io::{self, IsTerminal};

use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{
    Layer,
    field::MakeExt,
    filter::Targets,
    fmt::{self, format},
    registry::LookupSpan,
};

use crate::config::{LogFormat, LogLevel, Logging};

/// Prefix of the module paths of all Parlor crates.
pub(super) const OWN_TARGET: &str = "parlor";

pub(super) fn layer<S>(settings: &Logging) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let filter = filter(settings.level);
    match settings.format {
        LogFormat::Text => {
            // Fields for collectors alone are omitted from text.
            let fields = format::debug_fn(|writer, field, value| match field.name() {
                "message" => write!(writer, "{value:?}"),
                name if name.starts_with("otel.") || name.starts_with("rpc.") => Ok(()),
                name => write!(writer, "{name}={value:?}"),
            });
            let colours = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let lines = fmt::layer().with_writer(io::stderr).with_ansi(colours).with_target(false);
            lines.fmt_fields(fields.delimited(" ")).with_filter(filter).boxed()
        }
        LogFormat::Json => {
            let lines = fmt::layer().json().flatten_event(true).with_span_list(false);
            lines.with_writer(io::stderr).with_filter(filter).boxed()
        }
    }
}

/// The level applies to Parlor's own crates. Libraries log warnings and errors only, and everything on
/// `trace`.
fn filter(level: LogLevel) -> Targets {
    let (ours, others) = match level {
        LogLevel::Error => (LevelFilter::ERROR, LevelFilter::ERROR),
        LogLevel::Warn => (LevelFilter::WARN, LevelFilter::WARN),
        LogLevel::Info => (LevelFilter::INFO, LevelFilter::WARN),
        LogLevel::Debug => (LevelFilter::DEBUG, LevelFilter::WARN),
        LogLevel::Trace => (LevelFilter::TRACE, LevelFilter::TRACE),
    };
    Targets::new().with_default(others).with_target(OWN_TARGET, ours)
}
