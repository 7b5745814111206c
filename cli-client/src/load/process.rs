//! A local process as seen in `/proc`: listening port, CPU time, memory.

use std::fs;
use std::io;
use std::time::Duration;

/// Unit of CPU times in `/proc`: 10 ms, on every machine.
const TICK: Duration = Duration::from_millis(10);

/// A local process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Process {
    id: u32,
}

impl Process {
    /// The process with this id; `None` if it does not exist or there is no `/proc`.
    #[must_use]
    pub fn with_id(id: u32) -> Option<Process> {
        let process = Process { id };
        process.cpu().is_ok().then_some(process)
    }

    /// The process listening on a TCP port; `None` if it is not visible.
    #[must_use]
    pub fn listening_on(port: u16) -> Option<Process> {
        let tables =
            ["/proc/net/tcp", "/proc/net/tcp6"].map(|table| fs::read_to_string(table).unwrap_or_default());
        let socket = tables.iter().flat_map(|table| table.lines()).find_map(|line| listener(line, port))?;
        let socket = format!("socket:[{socket}]");
        let has_it = |id: &u32| {
            let files = fs::read_dir(format!("/proc/{id}/fd")).ok();
            files.into_iter().flatten().flatten().any(|file| {
                fs::read_link(file.path()).is_ok_and(|target| target.as_os_str() == socket.as_str())
            })
        };
        let all = fs::read_dir("/proc").ok()?.flatten();
        let id = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(has_it)?;
        Process::with_id(id)
    }

    /// The process id.
    #[must_use]
    pub const fn id(self) -> u32 {
        self.id
    }

    /// CPU time used so far, user and system.
    pub fn cpu(self) -> io::Result<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id))?;
        cpu(&stat).ok_or_else(|| io::Error::other("/proc has no times"))
    }

    /// Resident memory in KiB.
    pub fn memory_kib(self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        kib.ok_or_else(|| io::Error::other("/proc has no memory"))
    }
}

/// Socket inode of a `/proc/net/tcp` line, if that socket listens on the port.
fn listener(line: &str, port: u16) -> Option<u64> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (_, local) = fields.get(1)?.rsplit_once(':')?;
    let is_it = u16::from_str_radix(local, 16).ok()? == port && *fields.get(3)? == "0A";
    if is_it { fields.get(9)?.parse().ok() } else { None }
}

/// CPU time in a line of `/proc/ID/stat`. Fields are counted after the last `)`, because the process name may
/// contain any character.
fn cpu(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11).map(|field| field.parse::<u32>().ok());
    Some(TICK * (fields.next()?? + fields.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_stat_and_proc_net_tcp_lines_are_parsed() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 100 1000 10";
        assert_eq!(cpu(stat), Some(Duration::from_secs(3)));
        assert_eq!(cpu("7 (a"), None);
        let line = "  0: 0100007F:1E56 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0";
        assert_eq!((listener(line, 7766), listener(line, 7767)), (Some(4711), None));
        assert_eq!(listener(&line.replace(" 0A ", " 01 "), 7766), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn listening_process_is_found_with_its_memory() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let found = Process::listening_on(socket.local_addr().unwrap().port()).unwrap();
        assert_eq!(found.id(), std::process::id());
        assert!(found.memory_kib().unwrap() > 100);
        assert_eq!(Process::with_id(u32::MAX), None);
    }
}
