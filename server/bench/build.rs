//! Compiles the baseline's .proto file.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=bare.proto");
    let descriptors = protox::compile(["bare.proto"], ["."])?;
    // All players get the same bytes, which are shared and not copied.
    tonic_prost_build::configure()
        .bytes(".")
        .codec_path("parlor_proto::codec::Codec")
        .compile_fds(descriptors)?;
    Ok(())
}
