//! Lists that come in pages: which are asked for, and how they are shown.

use parlor_sdk::{Error, wire};
use prost::{Message, Name};

use crate::context::Context;
use crate::errors::Failure;

#[derive(clap::Args)]
pub(super) struct Paging {
    /// The page to show, as the page before named it
    #[arg(long, value_name = "PAGE", conflicts_with = "all")]
    page: Option<String>,
    /// All pages, one after the other
    #[arg(long)]
    all: bool,
}

/// An answer that is one page of a list.
pub(super) trait Page: Message + Name {
    type Item;
    fn items(&mut self) -> &mut Vec<Self::Item>;
    fn next_page(&mut self) -> &mut String;
}

macro_rules! pages {
    ($($answer:ident { $field:ident: $item:ident }),* $(,)?) => {
        $(impl Page for wire::$answer {
            type Item = wire::$item;

            fn items(&mut self) -> &mut Vec<wire::$item> {
                &mut self.$field
            }

            fn next_page(&mut self) -> &mut String {
                &mut self.next_page_token
            }
        })*
    };
}

pages! {
    ListAgentsResponse { agents: Agent },
    ListTablesResponse { tables: Table },
    ListRecordsResponse { records: RecordSummary },
    ListTournamentsResponse { tournaments: Tournament },
}

impl Paging {
    /// Asks for the page or for all, and shows what was found: as `lines`, or `none` if there is nothing.
    pub(super) async fn show<P: Page>(
        self,
        context: &Context,
        ask: impl AsyncFn(String) -> Result<P, Error>,
        none: [&str; 2],
        lines: impl FnOnce(&[P::Item]) -> Vec<String>,
    ) -> Result<(), Failure> {
        let mut found = ask(self.page.unwrap_or_default()).await?;
        // A page may be short, even empty, and still have a next one.
        while !found.next_page().is_empty() && (self.all || found.items().is_empty()) {
            let mut more = ask(std::mem::take(found.next_page())).await?;
            found.items().append(more.items());
            std::mem::swap(found.next_page(), more.next_page());
        }
        if context.json {
            return context.out.document(&found);
        }
        if found.items().is_empty() {
            let [en, de] = none;
            return context.out.line(context.say(|| en.to_owned(), || de.to_owned()));
        }
        context.out.lines(lines(found.items()))?;
        let page = found.next_page();
        if !page.is_empty() {
            context.note(&context.say(
                || format!("There are more: add --page {page}, or --all"),
                || format!("Es gibt mehr: mit --page {page}, oder --all"),
            ));
        }
        Ok(())
    }
}
