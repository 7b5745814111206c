//! Lists the agents registered with the server. To run one, see [`AgentSettings`](crate::AgentSettings).

use futures_util::Stream;

use super::Client;
use super::call::call;
use super::pages::pages;
use crate::{Error, wire};

impl Client {
    /// One page of agents, by name, with the token of the next page. [`agents`](Client::agents) pages
    /// automatically.
    pub async fn list_agents(
        &self,
        request: wire::ListAgentsRequest,
    ) -> Result<wire::ListAgentsResponse, Error> {
        call!(self, agents.list_agents, request)
    }

    /// All agents that match the filter, by name, with state, number of tables and response times. Pages are
    /// fetched on demand.
    ///
    /// ```no_run
    /// # async fn example(client: parlor_sdk::Client) -> Result<(), parlor_sdk::Error> {
    /// use futures_util::TryStreamExt;
    /// use parlor_sdk::{AgentFilter, wire::AgentState};
    ///
    /// let here = AgentFilter::new().game("gap").state(AgentState::Here);
    /// let agents: Vec<_> = client.agents(here).try_collect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn agents<F: Into<AgentFilter>>(
        &self,
        filter: F,
    ) -> impl Stream<Item = Result<wire::Agent, Error>> + Send + use<F> {
        let client = self.clone();
        pages(filter.into().request, move |request: wire::ListAgentsRequest, page_token| {
            let client = client.clone();
            async move {
                let reply = client.list_agents(wire::ListAgentsRequest { page_token, ..request }).await?;
                Ok((reply.agents, reply.next_page_token))
            }
        })
    }
}

/// Filter for agents; all conditions must hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AgentFilter {
    pub(crate) request: wire::ListAgentsRequest,
}

impl AgentFilter {
    /// Every agent.
    #[must_use]
    pub fn new() -> AgentFilter {
        AgentFilter::default()
    }

    /// Only agents that play this game.
    #[must_use]
    pub fn game(mut self, game: impl Into<String>) -> AgentFilter {
        self.request.game = game.into();
        self
    }

    /// Only agents in this state.
    #[must_use]
    pub fn state(mut self, state: wire::AgentState) -> AgentFilter {
        self.request.state = state.into();
        self
    }

    /// Agents per page: 1 to 1000.
    #[must_use]
    pub fn page_size(mut self, agents: u32) -> AgentFilter {
        self.request.page_size = agents;
        self
    }
}

impl From<wire::ListAgentsRequest> for AgentFilter {
    fn from(request: wire::ListAgentsRequest) -> AgentFilter {
        AgentFilter { request }
    }
}
