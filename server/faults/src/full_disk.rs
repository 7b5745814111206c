//! A full disk: tables pause, nothing acknowledged is lost, and play goes on when there is room again.
//!
//! The disk is a small tmpfs that a file fills up, or, where nothing can be mounted, a limit on the size of files that is
//! put on the running server and taken away again.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::audit::audit;
use crate::kills::{clean, end_play, kill};
use crate::load::{Load, Size};
use crate::process::{Process, Program};
use crate::world::State;

/// The size of the small disk: room for the run, and quickly filled.
const SIZE: &str = "size=64m";
/// How often it is full.
const ROUNDS: usize = 3;

/// A disk that can be full.
enum Disk {
    /// A file system of its own. Unmounted when it is dropped.
    Mounted(PathBuf),
    /// A limit for the server.
    Limited(PathBuf),
}

impl Disk {
    fn make(folder: &Path, limited: bool) -> Result<Disk> {
        let place = folder.join("disk");
        std::fs::create_dir(&place)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(&place).stderr(Stdio::null());
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

    /// The server, so that a limit makes its writes fail and does not end it.
    fn program(&self, program: &Program) -> Program {
        match self {
            Disk::Mounted(_) => program.clone(),
            Disk::Limited(_) => {
                let ignoring = ["sh", "-c", "trap '' XFSZ; exec \"$@\"", "sh"];
                program.under(ignoring.into_iter().map(PathBuf::from))
            }
        }
    }

    /// Takes all room away.
    fn fill(&self, server: &Process) -> Result<()> {
        match self {
            Disk::Mounted(place) => {
                let mut filler = File::create(place.join("filler"))?;
                // Until there is no room for a single byte.
                for piece in [1 << 20, 4096, 1] {
                    while filler.write_all(&vec![0; piece]).is_ok() {}
                }
                Ok(())
            }
            Disk::Limited(_) => limit(server, "4096:unlimited"),
        }
    }

    /// Gives the room back. A limit has ended with a server that has ended.
    fn free(&self, server: Option<&Process>) -> Result<()> {
        match (self, server) {
            (Disk::Mounted(place), _) => Ok(std::fs::remove_file(place.join("filler"))?),
            (Disk::Limited(_), Some(server)) => limit(server, "unlimited:unlimited"),
            (Disk::Limited(_), None) => Ok(()),
        }
    }
}

fn limit(server: &Process, bytes: &str) -> Result<()> {
    let mut command = Command::new("prlimit");
    command.args(["--pid", &server.id()?.to_string(), &format!("--fsize={bytes}")]);
    let status = command.status().context("prlimit, where nothing can be mounted")?;
    if status.success() { Ok(()) } else { bail!("prlimit cannot limit the server: {status}") }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Disk::Mounted(place) = self {
            // Lazily: a server that was just killed may still have files open.
            let unmounted = Command::new("umount").arg("--lazy").arg(&*place).status();
            if !unmounted.is_ok_and(|status| status.success()) {
                eprintln!("faults: {} is still mounted: unmount it", place.display());
            }
        }
    }
}

/// Fills the disk under a load again and again, and prints what came of it.
pub(crate) async fn report(
    program: &Program,
    folder: &Path,
    seed: u64,
    size: Size,
    limited: bool,
) -> Result<()> {
    let disk = Disk::make(folder, limited)?;
    let (program, data) = (disk.program(program), disk.data());
    let (mut server, address) = program.up(&data, &[]).await?;
    let load = Load::start(seed, size);
    load.world.dial.set(Some(address));
    let (mut paused, mut resumed) = (0, 0);
    for round in 0..ROUNDS {
        load.world.until_more(3 * size.tables as u64).await?;
        disk.fill(&server)?;
        let half = size.tables / 2;
        load.world.until("the tables pause", |state| standing(state) >= half).await?;
        if round == 1 {
            // Killed while the disk is full, and started again when there is room.
            kill(&load.world, server).await?;
            disk.free(None)?;
            let up = program.up(&data, &[]).await?;
            server = up.0;
            load.world.dial.set(Some(up.1));
        } else {
            disk.free(Some(&server))?;
        }
        load.world.until("all tables go on", |state| standing(state) == 0).await?;
        let mut state = load.world.state();
        paused += std::mem::take(&mut state.tally.paused).len();
        resumed += std::mem::take(&mut state.tally.went_on).len();
    }
    let world = end_play(load, server).await?;
    program.check_store(&data).await?;
    let (server, address) = program.up(&data, &[]).await?;
    world.dial.set(Some(address));
    audit(&world).await?;
    server.kill().await?;
    let tally = world.state().tally.clone();
    println!(
        "faults full_disk paused={paused} acknowledged={} lost={} doubled={} resumed={resumed} refused={} by={} seed={seed}",
        tally.acknowledged,
        tally.lost,
        tally.doubled,
        tally.refused,
        disk.name()
    );
    clean(&tally)?;
    if paused == 0 || resumed != paused {
        bail!("{paused} tables paused, and {resumed} went on");
    }
    Ok(())
}

/// How many tables were refused an answer, and have not gone on since.
fn standing(state: &State) -> usize {
    state.tally.paused.difference(&state.tally.went_on).count()
}
