//! Compiles the .proto files into Rust types, services, encoders and the descriptor set.

mod encoders;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use prost::Message;
use protox::prost_reflect::DescriptorPool;

/// Boxed fields: rare messages that would enlarge every value of a common type.
const BOXED: &[&str] = &[
    ".parlor.v1.StreamItem.item.snapshot",
    ".parlor.v1.Decision.view",
    ".parlor.v1.Snapshot.view",
    ".parlor.v1.Update.view",
];

/// The codec of the generated clients and servers (`src/codec.rs`).
const CODEC: &str = "crate::codec::Codec";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wire = proto_files(Path::new("parlor/v1"))?;
    // A folder is watched for added and removed files, each file for its content.
    println!("cargo:rerun-if-changed=build");
    println!("cargo:rerun-if-changed=parlor/v1");
    for proto in &wire {
        println!("cargo:rerun-if-changed={}", proto.display());
    }

    let out = PathBuf::from(env::var("OUT_DIR")?);
    let descriptors = protox::compile(&wire, ["."])?;
    fs::write(out.join("parlor_v1.binpb"), descriptors.encode_to_vec())?;
    let pool = DescriptorPool::from_file_descriptor_set(descriptors.clone())?;
    fs::write(out.join("encoders.rs"), encoders::generate(&pool))?;

    let builder = tonic_prost_build::configure()
        .build_client(cfg!(feature = "client"))
        .build_server(cfg!(feature = "server"))
        .codec_path(CODEC)
        // Clients are built from a channel: the shortcut `connect` would collide with the RPC of that name.
        .build_transport(false)
        // An ordered map, so that equal messages have equal bytes.
        .btree_map(".");
    let mut config = tonic_prost_build::Config::new();
    // `prost::Name`, by which a message finds its descriptor.
    config.enable_type_names();
    BOXED
        .iter()
        .fold(builder, tonic_prost_build::Builder::boxed)
        .compile_fds_with_config(descriptors, config)?;
    Ok(())
}

/// Lists the .proto files of a folder, sorted by name.
fn proto_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut files = paths.collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "proto"));
    files.sort();
    Ok(files)
}
