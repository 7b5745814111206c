//! Invites of TableService: creating, listing and revoking.

use tonic::{Request, Response};

use super::layer::trace::trace_table;
use super::table::{Tables, owner_of_table};
use super::{Failure, RpcResult, convert};
use parlor_proto::v1;

impl Tables {
    pub(super) async fn invite(
        &self,
        request: Request<v1::CreateInviteRequest>,
    ) -> RpcResult<v1::CreateInviteResponse> {
        let (actor, caller) = owner_of_table(&request)?;
        let (table, new) =
            convert::create_invite(request.get_ref(), caller.as_ref()).map_err(Failure::from)?;
        trace_table(table);
        let invite = self.0.host.create_invite(table, actor, new).await.map_err(Failure::from)?;
        let secret = self.0.server_key.invite(table, invite.number);
        Ok(Response::new(v1::CreateInviteResponse {
            invite: Some(convert::invite(&invite)),
            secret: secret.reveal().clone(),
        }))
    }

    pub(super) async fn invites(
        &self,
        request: Request<v1::ListInvitesRequest>,
    ) -> RpcResult<v1::ListInvitesResponse> {
        let (actor, _) = owner_of_table(&request)?;
        let table = convert::list_invites(request.get_ref()).map_err(Failure::from)?;
        trace_table(table);
        let invites = self.0.host.invites(table, actor).await.map_err(Failure::from)?;
        Ok(Response::new(v1::ListInvitesResponse { invites: invites.iter().map(convert::invite).collect() }))
    }

    pub(super) async fn revoke(
        &self,
        request: Request<v1::RevokeInviteRequest>,
    ) -> RpcResult<v1::RevokeInviteResponse> {
        let (actor, _) = owner_of_table(&request)?;
        let (table, number) = convert::revoke_invite(request.get_ref()).map_err(Failure::from)?;
        trace_table(table);
        self.0.host.revoke_invite(table, actor, number).await.map_err(Failure::from)?;
        Ok(Response::new(v1::RevokeInviteResponse {}))
    }
}
