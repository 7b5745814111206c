//! Full disk: tables pause, no acknowledged answer is lost, and play resumes when there is space again.
//!
//! The disk is a small tmpfs that a filler file fills up or, where nothing can be mounted, a file size limit
//! that is set on the running server and removed again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::audit::audit;
use crate::kills::{kill, require_clean, stop_load_and_server};
use crate::load::{Load, LoadSize};
use crate::process::{ServerProcess, ServerProgram};
use crate::run::RunState;

/// Mount option with the size of the tmpfs: enough for the run, and quickly filled.
const TMPFS_SIZE: &str = "size=64m";
/// Number of times the disk is filled.
const ROUNDS: usize = 3;

/// A disk that can be filled.
enum Disk {
    /// A tmpfs, unmounted on drop.
    Mounted(PathBuf),
    /// A file size limit of the server process.
    Limited(PathBuf),
}

impl Disk {
    fn make(folder: &Path, limited: bool) -> Result<Disk> {
        let place = folder.join("disk");
        std::fs::create_dir(&place)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", TMPFS_SIZE, "tmpfs"]).arg(&place).stderr(Stdio::null());
        let mounted = !limited && mount.status().is_ok_and(|status| status.success());
        Ok(if mounted { Disk::Mounted(place) } else { Disk::Limited(place) })
    }

    fn name(&self) -> &'static str {
        match self {
            Disk::Mounted(_) => "tmpfs",
            Disk::Limited(_) => "file_size",
        }
    }

    fn data(&self) -> PathBuf {
        let (Disk::Mounted(place) | Disk::Limited(place)) = self;
        place.join("data")
    }

    /// The server program; with a file size limit it ignores SIGXFSZ, so that writes fail instead of ending
    /// it.
    fn program(&self, program: &ServerProgram) -> ServerProgram {
        match self {
            Disk::Mounted(_) => program.clone(),
            Disk::Limited(_) => {
                let ignoring = ["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"];
                program.under(ignoring.into_iter().map(PathBuf::from))
            }
        }
    }

    /// Uses up all space.
    fn fill(&self, server: &ServerProcess) -> Result<()> {
        match self {
            Disk::Mounted(place) => {
                let mut filler = File::create(place.join("filler"))?;
                // Until not a single byte fits.
                for piece in [1 << 20, 4096, 1] {
                    while filler.write_all(&vec![0; piece]).is_ok() {}
                }
                Ok(())
            }
            Disk::Limited(_) => limit(server, "4096:unlimited"),
        }
    }

    /// Frees the space. A limit ends with its server process.
    fn free(&self, server: Option<&ServerProcess>) -> Result<()> {
        match (self, server) {
            (Disk::Mounted(place), _) => Ok(std::fs::remove_file(place.join("filler"))?),
            (Disk::Limited(_), Some(server)) => limit(server, "unlimited:unlimited"),
            (Disk::Limited(_), None) => Ok(()),
        }
    }
}

fn limit(server: &ServerProcess, bytes: &str) -> Result<()> {
    let mut command = Command::new("prlimit");
    command.args(["--pid", &server.id()?.to_string(), &format!("--fsize={bytes}")]);
    let status = command.status().context("prlimit, where nothing can be mounted")?;
    if status.success() { Ok(()) } else { bail!("prlimit cannot limit the server: {status}") }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Disk::Mounted(place) = self {
            // Lazily: a server that was just killed may still have open files.
            let unmounted = Command::new("umount").arg("--lazy").arg(&*place).status();
            if !unmounted.is_ok_and(|status| status.success()) {
                eprintln!("faults: {} is still mounted: unmount it", place.display());
            }
        }
    }
}

/// Fills the disk repeatedly under load and prints the counts.
pub(crate) async fn report(
    program: &ServerProgram,
    folder: &Path,
    seed: u64,
    size: LoadSize,
    limited: bool,
) -> Result<()> {
    let disk = Disk::make(folder, limited)?;
    let (program, data) = (disk.program(program), disk.data());
    let (mut server, address) = program.start_and_wait(&data, &[]).await?;
    let load = Load::start(seed, size);
    load.run.server.set(Some(address));
    let (mut paused, mut resumed) = (0, 0);
    for round in 0..ROUNDS {
        load.run.until_more(3 * size.tables as u64).await?;
        disk.fill(&server)?;
        let half = size.tables / 2;
        load.run.until("the tables pause", |state| paused_tables(state) >= half).await?;
        if round == 1 {
            // Kill while the disk is full, and restart when there is space.
            kill(&load.run, server).await?;
            disk.free(None)?;
            let up = program.start_and_wait(&data, &[]).await?;
            server = up.0;
            load.run.server.set(Some(up.1));
        } else {
            disk.free(Some(&server))?;
        }
        load.run.until("all tables resume", |state| paused_tables(state) == 0).await?;
        let mut state = load.run.state();
        paused += std::mem::take(&mut state.counts.paused).len();
        resumed += std::mem::take(&mut state.counts.resumed).len();
    }
    let run = stop_load_and_server(load, server).await?;
    program.check_store(&data).await?;
    let (server, address) = program.start_and_wait(&data, &[]).await?;
    run.server.set(Some(address));
    audit(&run).await?;
    server.kill().await?;
    let counts = run.state().counts.clone();
    println!(
        "faults full_disk paused={paused} acknowledged={} lost={} doubled={} resumed={resumed} refused={} by={} seed={seed}",
        counts.acknowledged,
        counts.lost,
        counts.doubled,
        counts.refused,
        disk.name()
    );
    require_clean(&counts)?;
    if paused == 0 || resumed != paused {
        bail!("{paused} tables paused, and {resumed} resumed");
    }
    Ok(())
}

/// Number of paused tables that have not resumed.
fn paused_tables(state: &RunState) -> usize {
    state.counts.paused.difference(&state.counts.resumed).count()
}
