//! Generates the message types of package `parlor.store.v1`: the persisted forms.

use std::path::Path;
use std::{env, fs, io};

/// Root of the .proto files.
const PROTO_ROOT: &str = "proto";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(PROTO_ROOT).join("parlor/store/v1");
    let entries = fs::read_dir(&folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = entries.collect::<io::Result<Vec<_>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "proto"));
    files.sort();
    // Cargo watches the folder for added and removed files, and each file for its content.
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", folder.display());
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    let descriptors = protox::compile(&files, [PROTO_ROOT])?;
    prost_build::Config::new()
        .out_dir(env::var("OUT_DIR")?)
        // An ordered map, so that equal messages have equal bytes.
        .btree_map(["."])
        .compile_fds(descriptors)?;
    Ok(())
}
