//! Signatures of records and exports, with the keys of the catalogue.

use parlor_engine::{GameId, Seat, Viewer};
use parlor_fair::{MessageSet, PublicKey};
use parlor_proto::{signing, v1};

use crate::client::Client;
use crate::list_records::export;
use crate::records::{for_viewer, get};
use crate::table_requests::table;
use crate::test_server::{TestServer, with_timeout};
use crate::tournament_requests::{round_robin, setup};

/// The key in use, as the catalogue shows it.
async fn key_in_use(client: &Client) -> PublicKey {
    let request = v1::ListSigningKeysRequest {};
    let keys =
        with_timeout(client.catalogue().list_signing_keys(request)).await.expect("keys").into_inner().keys;
    let [key] = &keys[..] else { panic!("one key, as none was replaced: {keys:?}") };
    assert!(!key.retired);
    let public = PublicKey::from_bytes(key.public_key[..].try_into().expect("32 bytes"));
    assert_eq!(key.key_id, public.id().to_string());
    public
}

/// True if this is the signature of these bytes by this key.
fn is_signed(bytes: &[u8], signature: Option<&v1::RecordSignature>, key: PublicKey) -> bool {
    let signature = signature.expect("a signature");
    assert_eq!(signature.key_id, key.id().to_string());
    key.verify(bytes, &signature.signature)
}

#[tokio::test]
async fn records_of_every_viewer_are_signed() {
    let server = TestServer::new().await;
    let client = server.client();
    let key = key_in_use(&client).await;
    let seated = client.new_seated_table(table(GameId::Gap, 2)).await;
    server.play_seats(&seated).await;
    let viewers = [None, Some(Viewer::Spectator), Some(Viewer::Seat(Seat::FIRST))];
    let mut signatures = Vec::new();
    for viewer in viewers {
        let request = match viewer {
            Some(viewer) => for_viewer(viewer, get(&seated.id)),
            None => get(&seated.id),
        };
        let record = client.record(request.clone()).await;
        assert!(is_signed(&signing::record_bytes(&record), record.signature.as_ref(), key));
        let texts = v1::GetRecordRequest { texts: v1::Language::German.into(), ..request };
        let with_texts = client.record(texts).await;
        assert_eq!(with_texts.signature, record.signature, "texts are not signed");
        let mut doctored = record.clone();
        doctored.start_time.as_mut().expect("a time").seconds += 1;
        assert!(!is_signed(&signing::record_bytes(&doctored), record.signature.as_ref(), key));
        signatures.push(record.signature);
    }
    assert!(signatures[0] != signatures[1] && signatures[1] != signatures[2]);
}

#[tokio::test]
async fn manifest_of_an_export_is_signed_and_counts_its_records() {
    let server = TestServer::new().await;
    let client = server.client();
    let key = key_in_use(&client).await;
    let cup = setup(GameId::Gap, &["random", "greedy"], round_robin(2));
    let id = client.start_new_tournament(cup).await;
    client.follow_to_end(&id).await;
    for viewer in [None, Some(Viewer::Spectator)] {
        let mut messages = export(&client, &id, viewer).await.expect("an export");
        let manifest = messages.last_mut().and_then(|last| last.manifest.take()).expect("a manifest");
        assert!(messages.iter().all(|message| message.manifest.is_none()), "it comes last");
        let records: Vec<v1::Record> = messages.into_iter().flat_map(|message| message.records).collect();
        let mut set = MessageSet::default();
        for record in &records {
            let bytes = signing::record_bytes(record);
            assert!(is_signed(&bytes, record.signature.as_ref(), key));
            set.add(&bytes);
        }
        assert_eq!((manifest.record_count as usize, &manifest.records_hash[..]), (4, &set.hash()[..]));
        assert!(manifest.tournament_over && manifest.tournament_id == id);
        assert_eq!(manifest.viewer, viewer.map(Into::into));
        assert!(is_signed(&signing::manifest_bytes(&manifest), manifest.signature.as_ref(), key));
        let doctored = v1::ExportManifest { tournament_over: false, ..manifest.clone() };
        assert!(!is_signed(&signing::manifest_bytes(&doctored), manifest.signature.as_ref(), key));
    }
}

#[tokio::test]
async fn only_games_with_colours_are_recoloured() {
    let server = TestServer::new().await;
    let client = server.client();
    for &game in GameId::ALL {
        let id = client.start_new_tournament(setup(game, &["random", "greedy"], round_robin(1))).await;
        client.follow_to_end(&id).await;
        let messages = export(&client, &id, None).await.expect("an export");
        for record in messages.iter().flat_map(|message| &message.records) {
            let group =
                record.shuffle.as_ref().and_then(|shuffle| shuffle.deal_group.as_ref()).expect("a deal");
            assert_eq!(group.recoloured, game.colour_symmetry(2).is_some(), "{game:?}");
        }
    }
}
