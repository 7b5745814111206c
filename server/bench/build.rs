//! Compiles the baseline's .proto file.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=bare.proto");
    let descriptors = protox::compile(["bare.proto"], ["."])?;
    // What every player is told is the same bytes, which nobody copies before they are sent.
    tonic_prost_build::configure()
        .bytes(".")
        .codec_path("parlor_proto::codec::Codec")
        .compile_fds(descriptors)?;
    Ok(())
}
