//! A PostgreSQL cluster for tests: real, temporary, and reached over a socket in its own folder.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// User and group `nobody`: PostgreSQL does not run as root.
const NOBODY: u32 = 65534;

/// Runs the program in its arguments until the standard input closes, which also happens when the test process is
/// killed, and then removes the folder. A line is a signal that stops the program, which is then started anew.
const SUPERVISOR: &str = r#"folder=$1; shift
"$@" & server=$!
while read -r signal; do
    kill -s "$signal" $server
    wait $server
    "$@" & server=$!
done
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
    lifeline: Mutex<ChildStdin>,
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
        PostgresCluster::run(folder, settings)
    }

    /// Starts the server of a folder that has its data.
    fn run(folder: PathBuf, settings: &[&str]) -> PostgresCluster {
        let (programs, data) = (programs(), folder.join("data"));
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
            lifeline: Mutex::new(lifeline),
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

    /// Stops the cluster with a signal, such as `INT` or, for a crash, `QUIT`, and starts it again.
    ///
    /// # Panics
    /// It does not start again.
    #[expect(clippy::disallowed_methods, reason = "the new process is known by its number in a file")]
    pub fn restart(&self, signal: &str) {
        let before = self.process_number();
        writeln!(self.lifeline.lock().expect("the lifeline"), "{signal}").expect("the supervisor runs");
        for _ in 0..1200 {
            let now = self.process_number();
            if now.is_some() && now != before {
                return self.wait_until_ready();
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("PostgreSQL does not start again");
    }

    /// Number of the process that runs.
    fn process_number(&self) -> Option<String> {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid")).ok()?;
        file.lines().next().map(str::to_owned)
    }

    /// Makes a user who needs a password, the owner of all databases that are made from now on.
    ///
    /// # Panics
    /// The user cannot be made.
    pub fn require_password(&self, user: &str, password: &str) {
        self.execute(&format!("CREATE ROLE {user} LOGIN SUPERUSER PASSWORD '{password}'"));
        let file = self.folder.join("data/pg_hba.conf");
        let rules = fs::read_to_string(&file).expect("the rules of access");
        fs::write(&file, format!("local all {user} scram-sha-256\n{rules}"))
            .expect("the rules can be written");
        self.execute("SELECT pg_reload_conf()");
    }

    /// Runs statements in the default database.
    fn execute(&self, sql: &str) {
        let done = Command::new(self.programs.join("psql"))
            .args(["--username=parlor", "--dbname=postgres", "--quiet", "--host"])
            .arg(&self.folder)
            .args(["--command", sql])
            .stdout(Stdio::null())
            .output()
            .expect("psql runs");
        assert!(done.status.success(), "psql failed: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// Starts a standby that every commit waits for.
    ///
    /// # Panics
    /// It does not start.
    #[must_use]
    pub fn start_synchronous_standby(&self, settings: &[&str]) -> PostgresCluster {
        let folder = temporary_folder();
        let data = folder.join("data");
        let copied = as_nobody(&folder, &self.programs.join("pg_basebackup"))
            .args(["--username=parlor", "--checkpoint=fast", "--write-recovery-conf", "--host"])
            .arg(&self.folder)
            .arg("--pgdata")
            .arg(&data)
            .output()
            .expect("pg_basebackup runs");
        assert!(copied.status.success(), "pg_basebackup: {}", String::from_utf8_lossy(&copied.stderr));
        let standby = PostgresCluster::run(folder, settings);
        self.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
        self.execute("SELECT pg_reload_conf()");
        // A commit that ends has reached the standby.
        self.execute("CREATE TABLE standby_is_there ()");
        standby
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
