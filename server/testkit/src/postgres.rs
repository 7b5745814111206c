//! A PostgreSQL cluster for tests: real, temporary, and reached over a socket in its own folder.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// User and group `nobody`: PostgreSQL does not run as root.
const NOBODY: u32 = 65534;

/// Runs the program in its arguments until the standard input closes, which also happens when the test process is
/// killed, and then removes the folder.
const SUPERVISOR: &str = r#"folder=$1; shift
"$@" & server=$!
cat > /dev/null
kill -INT $server 2> /dev/null
wait $server
rm -rf "$folder""#;

/// A running cluster. It ends with the process.
#[derive(Debug)]
pub struct PostgresCluster {
    folder: PathBuf,
    programs: PathBuf,
    databases: AtomicU32,
    /// Open as long as the cluster shall run.
    _lifeline: ChildStdin,
    _supervisor: Child,
}

impl PostgresCluster {
    /// The cluster that all tests of this process share, started on the first call.
    ///
    /// # Panics
    /// PostgreSQL is not installed (Debian: postgresql), or does not start.
    pub fn shared() -> &'static PostgresCluster {
        static SHARED: OnceLock<PostgresCluster> = OnceLock::new();
        SHARED.get_or_init(|| PostgresCluster::start(&["fsync=off"]))
    }

    /// Starts a cluster with these settings.
    ///
    /// # Panics
    /// PostgreSQL is not installed (Debian: postgresql), or does not start.
    #[must_use]
    pub fn start(settings: &[&str]) -> PostgresCluster {
        let programs = programs();
        let folder = temporary_folder();
        let data = folder.join("data");
        let initdb = as_nobody(&folder, &programs.join("initdb"))
            .args(["--auth=trust", "--username=parlor", "--no-sync", "--encoding=UTF8", "--locale=C", "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .output()
            .expect("initdb runs");
        assert!(initdb.status.success(), "initdb failed: {}", String::from_utf8_lossy(&initdb.stderr));
        let server = as_nobody(&folder, &programs.join("postgres"));
        let mut supervisor = Command::new("bash");
        supervisor.args(["-c", SUPERVISOR, "postgres-supervisor"]).arg(&folder);
        supervisor
            .arg(server.get_program())
            .args(server.get_args())
            .arg("-D")
            .arg(&data)
            .arg("-k")
            .arg(&folder);
        for setting in ["listen_addresses=", "max_connections=500"].iter().chain(settings) {
            supervisor.arg("-c").arg(setting);
        }
        let log = fs::File::create(folder.join("log")).expect("the log can be made");
        let mut supervisor = supervisor
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("bash can be started");
        let lifeline = supervisor.stdin.take().expect("the input is a pipe");
        let cluster = PostgresCluster {
            folder,
            programs,
            databases: AtomicU32::new(0),
            _lifeline: lifeline,
            _supervisor: supervisor,
        };
        cluster.wait_until_ready();
        cluster
    }

    #[expect(clippy::disallowed_methods, reason = "pg_isready tells only whether the server is ready now")]
    fn wait_until_ready(&self) {
        for _ in 0..600 {
            let ready = Command::new(self.programs.join("pg_isready"))
                .arg("--quiet")
                .arg("--host")
                .arg(&self.folder)
                .status()
                .expect("pg_isready runs");
            if ready.success() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!(
            "PostgreSQL does not start: {}",
            fs::read_to_string(self.folder.join("log")).unwrap_or_default()
        );
    }

    /// Creates an empty database, and returns its address.
    ///
    /// # Panics
    /// The database cannot be created.
    pub fn create_database(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        let created = Command::new(self.programs.join("createdb"))
            .args(["--username=parlor", "--host"])
            .arg(&self.folder)
            .arg(&name)
            .output()
            .expect("createdb runs");
        assert!(created.status.success(), "createdb failed: {}", String::from_utf8_lossy(&created.stderr));
        let host = self.folder.display().to_string().replace('/', "%2F");
        format!("postgres://parlor@{host}/{name}?sslmode=disable")
    }
}

/// The folder of PostgreSQL's programs, of the newest version that is installed.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<(u32, PathBuf)> = versions
        .filter_map(|version| {
            let number = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .filter(|(_, folder)| folder.join("initdb").exists())
        .collect();
    folders.sort();
    folders.pop().expect("PostgreSQL is installed (Debian: apt-get install postgresql)").1
}

/// A folder that the cluster's user may write to.
fn temporary_folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("parlor-postgres-{}-{number}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("the temporary folder can be made");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("the folder is ours");
    if is_root(&folder) {
        chown(&folder, Some(NOBODY), Some(NOBODY)).expect("root may give a folder away");
    }
    folder
}

/// Reports whether this process runs as root, which owns what it makes.
fn is_root(own: &Path) -> bool {
    fs::metadata(own).is_ok_and(|folder| folder.uid() == 0)
}

/// A program run as an unprivileged user.
fn as_nobody(folder: &Path, program: &Path) -> Command {
    let given_away = fs::metadata(folder).is_ok_and(|folder| folder.uid() == NOBODY);
    let mut command = if given_away {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(program)
    };
    command.current_dir(folder);
    command
}
