//! Paged lists: page selection and output.

use parlor_sdk::{Error, wire};
use prost::{Message, Name};

use crate::context::Context;
use crate::errors::Failure;

#[derive(clap::Args)]
pub(super) struct PageArgs {
    /// Page token, as printed by the previous page
    #[arg(long, value_name = "PAGE", conflicts_with = "all")]
    page: Option<String>,
    /// Fetch all pages
    #[arg(long)]
    all: bool,
}

/// Response with one page of a list.
pub(super) trait PagedResponse: Message + Name {
    type Item;
    fn items(&mut self) -> &mut Vec<Self::Item>;
    fn next_page_token(&mut self) -> &mut String;
}

macro_rules! impl_paged_response {
    ($($answer:ident { $field:ident: $item:ident }),* $(,)?) => {
        $(impl PagedResponse for wire::$answer {
            type Item = wire::$item;

            fn items(&mut self) -> &mut Vec<wire::$item> {
                &mut self.$field
            }

            fn next_page_token(&mut self) -> &mut String {
                &mut self.next_page_token
            }
        })*
    };
}

impl_paged_response! {
    ListAgentsResponse { agents: Agent },
    ListTablesResponse { tables: Table },
    ListRecordsResponse { records: RecordSummary },
    ListTournamentsResponse { tournaments: Tournament },
}

impl PageArgs {
    /// Fetches one page or all of them, and prints them as `lines`, or `none` if the list is empty.
    pub(super) async fn show<P: PagedResponse>(
        self,
        context: &Context,
        ask: impl AsyncFn(String) -> Result<P, Error>,
        none: [&str; 2],
        lines: impl AsyncFnOnce(&[P::Item]) -> Vec<String>,
    ) -> Result<(), Failure> {
        let mut found = ask(self.page.unwrap_or_default()).await?;
        // A page may be short, or even empty, and still have a successor.
        while !found.next_page_token().is_empty() && (self.all || found.items().is_empty()) {
            let mut more = ask(std::mem::take(found.next_page_token())).await?;
            found.items().append(more.items());
            std::mem::swap(found.next_page_token(), more.next_page_token());
        }
        if context.json {
            return context.out.document(&found);
        }
        if found.items().is_empty() {
            let [en, de] = none;
            return context.out.line(context.localise(|| en.to_owned(), || de.to_owned()));
        }
        context.out.lines(lines(found.items()).await)?;
        let page = found.next_page_token();
        if !page.is_empty() {
            context.note(&context.localise(
                || format!("There are more: add --page {page}, or --all"),
                || format!("Es gibt mehr: mit --page {page}, oder --all"),
            ));
        }
        Ok(())
    }
}
