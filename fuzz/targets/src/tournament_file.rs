//! Setup files of tournaments: parsed by the client, then validated by the server.

use parlor_cli::tournament_file::SetupFile;
use parlor_engine::GameId;
use parlor_proto::v1;
use parlor_server::grpc::convert;
use tonic::Status;

use crate::callers::SETTINGS;

pub(crate) fn run(input: &[u8]) {
    let Ok(file) = SetupFile::parse(input) else { return };
    let options = GameId::from_id(&file.game).map(|game| game.default_options().into());
    let mut setup = v1::TournamentSetup {
        game: file.game.clone(),
        players: file.players.unwrap_or_default(),
        options,
        ..Default::default()
    };
    if file.fill_setup(&mut setup).is_ok() {
        let request = v1::CreateTournamentRequest { setup: Some(setup), ..Default::default() };
        let created = convert::create_tournament(request, &SETTINGS.table, &SETTINGS.bots);
        let _status = created.map_err(Status::from);
    }
}
