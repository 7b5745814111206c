//! `parlor new-bot`: writes a bot to start from, which runs as it is.

mod templates;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::context::Context;
use crate::errors::Failure;
use crate::exit::Exit;
use templates::{Template, TemplateFile};

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  parlor new-bot lines my-bot\n  parlor new-bot rust my-bot --sdk ~/parlor/sdk\n\n\
        lines       programs of at most 15 lines in five languages, without any dependency (docs/line-protocol.md)\n\
        python      a bot and an agent over gRPC\n\
        typescript  a bot and an agent with @parlor/sdk, for Node\n\
        rust        a bot with parlor-sdk"
)]
pub(crate) struct Args {
    /// Kind of bot
    #[arg(value_name = "KIND")]
    template: Template,
    /// Folder to create; it may exist if it is empty
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder sdk of a checkout, where the SDK for TypeScript or Rust comes from [default: its registry]
    #[arg(long, value_name = "PATH")]
    sdk: Option<PathBuf>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<Exit, Failure> {
    let sdk = args.sdk.as_deref().map(checkout).transpose()?;
    let files = templates::files(args.template, sdk.as_deref());
    let folder = &args.folder;
    let is_taken = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if is_taken {
        let folder = folder.display();
        return Err(Failure::usage(
            format!("{folder} is not empty: choose another folder"),
            format!("{folder} ist nicht leer: Nimm einen anderen Ordner"),
        ));
    }
    for file in &files {
        write(folder, file).map_err(|error| {
            let path = folder.join(file.name).display().to_string();
            Failure::usage(
                format!("cannot write {path} ({error})"),
                format!("{path} lässt sich nicht schreiben ({error})"),
            )
        })?;
    }
    if context.json {
        let names: Vec<&str> = files.iter().map(|file| file.name).collect();
        context.out.json(&json!({ "folder": folder, "files": names }))?;
    } else {
        let (shown, next) = (folder.display(), args.template.next_step());
        context.out.line(context.localise(
            || format!("{shown} is ready: cd {shown} && {next}"),
            || format!("{shown} ist fertig: cd {shown} && {next}"),
        ))?;
    }
    Ok(Exit::Ok)
}

/// The absolute path of the SDK's folder in a checkout.
fn checkout(path: &Path) -> Result<PathBuf, Failure> {
    let found = fs::canonicalize(path).ok().filter(|path| path.join("typescript/package.json").is_file());
    found.ok_or_else(|| {
        let path = path.display();
        Failure::usage(
            format!("{path} is not the folder sdk of a checkout"),
            format!("{path} ist nicht der Ordner sdk eines Checkouts"),
        )
    })
}

fn write(folder: &Path, file: &TemplateFile) -> std::io::Result<()> {
    let path = folder.join(file.name);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if file.is_executable { 0o755 } else { 0o644 });
    options.open(path)?.write_all(&file.content)
}
