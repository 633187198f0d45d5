//! Prints the library's diagnostics on standard error.

use std::{env, fmt, io};

use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::registry::LookupSpan;

use super::message;

/// Prints what `RUST_LOG` selects, for instance `RUST_LOG=curie=debug`; without it, the library's warnings as notes.
pub(super) fn show() {
    // Printing that a message could not be printed would panic.
    let printed = tracing_subscriber::fmt().with_writer(io::stderr).log_internal_errors(false);
    if env::var_os(EnvFilter::DEFAULT_ENV).is_some() {
        printed.with_env_filter(EnvFilter::from_default_env()).init();
    } else {
        printed.with_env_filter(EnvFilter::new("error,curie=warn")).event_format(Note).init();
    }
}

/// Prints an event as every other note of the command; nothing is left for the subscriber to write.
struct Note;

impl<S, N> FormatEvent<S, N> for Note
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, _: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut text = String::new();
        context.field_format().format_fields(Writer::new(&mut text), event)?;
        message::note(text);
        Ok(())
    }
}
