//! Compiles the .proto files: the Rust types, the services that the features ask for, and the descriptor set.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use prost::Message;

/// Messages that would make every value of a common type large: they are rare or on the heap anyway.
const BOXED: &[&str] = &[
    ".parlor.v1.StreamItem.item.snapshot",
    ".parlor.v1.Decision.view",
    ".parlor.v1.Snapshot.view",
    ".parlor.v1.Update.view",
];

/// How messages become frames (`codec.rs`).
const CODEC: &str = "crate::codec::Codec";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wire = proto_files(Path::new("parlor/v1"))?;
    // A folder is watched for files that come and go, each file for its content.
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=parlor/v1");
    for proto in &wire {
        println!("cargo:rerun-if-changed={}", proto.display());
    }

    let out = PathBuf::from(env::var("OUT_DIR")?);
    let descriptors = protox::compile(&wire, ["."])?;
    fs::write(out.join("parlor_v1.binpb"), descriptors.encode_to_vec())?;

    let builder = tonic_prost_build::configure()
        .build_client(cfg!(feature = "client"))
        .build_server(cfg!(feature = "server"))
        .codec_path(CODEC)
        // Clients are made from a channel. The shortcut `connect` would collide with the call of that name.
        .build_transport(false)
        // A map with an order, so that equal messages have equal bytes.
        .btree_map(".");
    let mut config = tonic_prost_build::Config::new();
    // A message knows its name, and so its descriptor.
    config.enable_type_names();
    BOXED
        .iter()
        .fold(builder, tonic_prost_build::Builder::boxed)
        .compile_fds_with_config(descriptors, config)?;
    Ok(())
}

/// The .proto files of a folder, in the order of their names.
fn proto_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files = paths.collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "proto"));
    files.sort();
    Ok(files)
}
