//! Embeds the pages for browsers, every file of `web/dist`, as it is and compressed, and generates the messages between nodes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use brotli::enc::BrotliEncoderParams;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// The built pages.
const FOLDER: &str = "web/dist";
/// The folder in it whose files browsers keep for ever. The name of each has a hash of its content.
const ASSETS: &str = "assets";
/// The page of all routes.
const INDEX: &str = "index.html";
/// Minimum length of the hash in the name of an asset.
const MIN_HASH: usize = 8;
/// Bytes of the SHA-256 of a file that are its version.
const VERSION_BYTES: usize = 12;

/// Root of the .proto files of the messages between nodes.
const PROTO_ROOT: &str = "proto";
/// The messages between nodes.
const LINK_PROTO: &str = "proto/parlor/node/v1/link.proto";

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    // cargo watches the folder with everything in it.
    println!("cargo:rerun-if-changed={FOLDER}");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={LINK_PROTO}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(FOLDER);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let descriptors = protox::compile([LINK_PROTO], [PROTO_ROOT])?;
    prost_build::Config::new().out_dir(&out).compile_fds(descriptors)?;
    let mut paths = file_names(&root)?;
    let assets = if root.join(ASSETS).is_dir() { file_names(&root.join(ASSETS))? } else { Vec::new() };
    for name in assets {
        check_asset_name(&name)?;
        paths.push(format!("{ASSETS}/{name}"));
    }
    if !paths.iter().any(|path| path == INDEX) {
        return Err(format!("{FOLDER} has no {INDEX}").into());
    }
    // In the order in which the server searches them.
    paths.sort();

    let mut code = String::from("/// The embedded files, sorted by path.\nstatic FILES: &[PageFile] = &[\n");
    for (number, path) in paths.iter().enumerate() {
        write_file(&mut code, &root, &out, number, path).map_err(|why| format!("{FOLDER}/{path}: {why}"))?;
    }
    code += "];\n";
    fs::write(out.join("page_files.rs"), code)?;
    Ok(())
}

/// Names of the files of a folder; its subfolders are left out, except that the root may have none but the assets.
fn file_names(folder: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(|why| format!("{}: {why}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| "a file name that is not UTF-8")?;
        if entry.file_type()?.is_dir() {
            if name != ASSETS {
                return Err(format!("{}: only {ASSETS} may be a folder, not {name}", folder.display()).into());
            }
            continue;
        }
        let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
        if !name.bytes().all(allowed) {
            return Err(format!("{name}: file names have letters, digits, '.', '-' and '_'").into());
        }
        names.push(name);
    }
    Ok(names)
}

/// Checks that the name is NAME-HASH.EXT: an asset whose content changed under the same name would never reach a
/// browser that has the old one.
fn check_asset_name(name: &str) -> Result<(), Error> {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
    if hash.len() >= MIN_HASH && hash.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(format!("{FOLDER}/{ASSETS}/{name}: browsers keep assets for ever, so the name must be NAME-HASH.EXT")
        .into())
}

/// The type of a file by its extension, and whether compression helps.
fn content_type(path: &str) -> Result<(&'static str, bool), Error> {
    Ok(match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => ("text/html; charset=utf-8", true),
        "js" => ("text/javascript; charset=utf-8", true),
        "css" => ("text/css; charset=utf-8", true),
        "svg" => ("image/svg+xml", true),
        "json" => ("application/json", true),
        "webmanifest" => ("application/manifest+json", true),
        "txt" => ("text/plain; charset=utf-8", true),
        "ico" => ("image/x-icon", true),
        "png" => ("image/png", false),
        "webp" => ("image/webp", false),
        "woff2" => ("font/woff2", false),
        _ => return Err("the server knows no content type for this extension (server/build.rs)".into()),
    })
}

/// Appends the code of one file, and writes its compressed forms.
fn write_file(code: &mut String, root: &Path, out: &Path, number: usize, path: &str) -> Result<(), Error> {
    let file = root.join(path);
    let content = fs::read(&file)?;
    let (content_type, compress) = content_type(path)?;
    let compressed = |extension: &str, bytes: io::Result<Vec<u8>>| -> Result<String, Error> {
        let bytes = bytes?;
        // A compressed form that is not smaller helps nobody.
        if !compress || bytes.len() >= content.len() {
            return Ok(String::from("None"));
        }
        let to = out.join(format!("page-{number}.{extension}"));
        fs::write(&to, bytes)?;
        Ok(format!("Some(include_bytes!({to:?}))"))
    };
    let (brotli, gzip) = (compressed("br", brotli(&content))?, compressed("gz", gzip(&content))?);
    let version: String =
        Sha256::digest(&content)[..VERSION_BYTES].iter().map(|byte| format!("{byte:02x}")).collect();
    writeln!(
        code,
        "    PageFile {{\n        path: {path:?},\n        content_type: {content_type:?},\n        version: {version:?},\n        \
         identity: include_bytes!({file:?}),\n        brotli: {brotli},\n        gzip: {gzip},\n    }},"
    )?;
    Ok(())
}

/// Compresses with the best quality, as the server only sends what is made here.
fn brotli(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressed = Vec::new();
    let parameters = BrotliEncoderParams { size_hint: content.len(), ..BrotliEncoderParams::default() };
    brotli::BrotliCompress(&mut &content[..], &mut compressed, &parameters)?;
    Ok(compressed)
}

/// Compresses for the clients without brotli. The header has no time, so that equal files have equal bytes.
fn gzip(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}
