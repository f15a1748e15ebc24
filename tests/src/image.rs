//! The container image: its layout, and the service in it, as a user without rights on a read-only root.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::harness::{
    Connection, ENCRYPTION_KEY, IdentityProvider, free_address, gatepost_binary, readiness, repository, until,
};

/// The user of the image.
const USER: u32 = 65_532;

/// Runs `$@` in the image that is unpacked at `$1`, as its user, in new namespaces. Only the volume can be written.
const CONTAINER: &str = r#"
set -e
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$root/data" "$root/data"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
if touch "$root/written" 2> /dev/null; then echo "the root can be written" >&2; exit 1; fi
shift
exec unshare --root="$root" --wd=/data --setgid=65532 --setuid=65532 "$@"
"#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_image_serves_without_rights_and_says_that_it_is_healthy() {
    let image = spawn_blocking(Image::build).await.unwrap();
    image.check_layout();
    let provider = IdentityProvider::start().await;
    let address = free_address();
    let settings = [
        ("LISTEN", address.to_string()),
        ("METRICS_LISTEN", String::new()),
        ("OIDC_ISSUER", provider.issuer().to_owned()),
        ("OIDC_AUDIENCE", "client".to_owned()),
        ("ENCRYPTION_KEY", ENCRYPTION_KEY.to_owned()),
    ];
    assert!(!image.health(&settings).await.status.success(), "nothing runs yet");
    let migrated = image.run(&["/usr/bin/gatepost", "migrate"], &settings).output().unwrap();
    assert!(migrated.status.success(), "{migrated:?}");
    let command: Vec<String> = ["Entrypoint", "Cmd"].iter().flat_map(|part| image.words(part)).collect();
    let mut service =
        Service(image.run(&command, &settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    until("/readyz answers 200", async || {
        assert_eq!(service.0.try_wait().unwrap(), None, "the service ended");
        readiness(address).await == Some(200)
    })
    .await;
    let health = image.health(&settings).await;
    assert!(health.status.success() && health.stdout == b"ready\n", "{health:?}");
    let database = fs::metadata(image.root.path().join("data/gatepost-data/gatepost.db")).unwrap();
    assert_eq!((database.uid(), database.mode() & 0o777), (USER, 0o600));
    drop(service);
    until("the service has ended", async || Connection::open(address).await.is_err()).await;
}

/// The service in its namespaces. It ends with the test.
struct Service(Child);

impl Drop for Service {
    /// `--kill-child` is not enough: a process that changes its user no longer gets a signal when its parent dies.
    fn drop(&mut self) {
        let id = self.0.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        let _ = Command::new("sh").args(["-c", &format!("kill -KILL {children}")]).status();
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The image, taken apart.
struct Image {
    layout: TempDir,
    config: Value,
    manifest: Value,
    /// The root of a container.
    root: TempDir,
}

impl Image {
    /// Builds the image twice: the same binary makes the same bytes. The symbols of a test's binary would take long.
    fn build() -> Self {
        let scratch = TempDir::new().unwrap();
        let binary = scratch.path().join("gatepost");
        succeeds(Command::new("strip").arg("-o").arg(&binary).arg(gatepost_binary()));
        let built = ["first.tar", "second.tar"].map(|name| {
            let file = scratch.path().join(name);
            let script = repository().join("deploy/image/build.sh");
            // A debug build is large: at the usual level, `gzip` took most of the processor time of this test.
            succeeds(Command::new(script).args([&binary, &file]).env("LEVEL", "1").current_dir(repository()));
            file
        });
        let [first, second] = built.each_ref().map(|file| fs::read(file).unwrap());
        assert!(first == second, "two builds differ");
        let (layout, root) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        succeeds(Command::new("tar").arg("-xf").arg(&built[0]).arg("-C").arg(layout.path()));
        let index = json(&layout.path().join("index.json"));
        let manifest = json(&blob(layout.path(), &index["manifests"][0]));
        let config = json(&blob(layout.path(), &manifest["config"]));
        for layer in manifest["layers"].as_array().unwrap() {
            let layer = blob(layout.path(), layer);
            succeeds(Command::new("tar").args(["--numeric-owner", "-xzpf"]).arg(layer).arg("-C").arg(root.path()));
        }
        fs::set_permissions(root.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        Self { layout, config, manifest, root }
    }

    /// Every blob matches its descriptor, and the layers are those of the configuration.
    fn check_layout(&self) {
        let index = json(&self.layout.path().join("index.json"));
        let layers = self.manifest["layers"].as_array().unwrap();
        let descriptors = [&index["manifests"][0], &self.manifest["config"]].into_iter().chain(layers);
        for descriptor in descriptors {
            let file = blob(self.layout.path(), descriptor);
            assert_eq!(descriptor["digest"], sum("cat", &file));
            assert_eq!(descriptor["size"], fs::metadata(&file).unwrap().len());
        }
        let unpacked = layers.iter().map(|layer| sum("gzip -dc", &blob(self.layout.path(), layer)));
        let diffs = self.config["rootfs"]["diff_ids"].as_array().unwrap().iter().map(|sum| sum.as_str().unwrap());
        assert!(unpacked.eq(diffs));
        assert_eq!(self.config["config"]["User"], format!("{USER}:{USER}"));
        assert_eq!(self.words("Volumes"), ["/data"]);
        let docker = json(&self.layout.path().join("manifest.json"));
        assert!(self.layout.path().join(docker[0]["Config"].as_str().unwrap()).exists());
    }

    /// The strings of a list, or the names of an object, in the configuration.
    fn words(&self, name: &str) -> Vec<String> {
        match &self.config["config"][name] {
            Value::Object(names) => names.keys().cloned().collect(),
            list => strings(list),
        }
    }

    /// A command in the container, with the variables of the image and these settings.
    fn run(&self, command: &[impl AsRef<OsStr>], settings: &[(&str, String)]) -> Command {
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", CONTAINER, "container"]);
        unshare.arg(self.root.path()).args(command).env_clear().stdin(Stdio::null());
        let variables = self.words("Env");
        unshare.envs(variables.iter().filter_map(|variable| variable.split_once('=')));
        unshare.envs(settings.iter().map(|(name, value)| (name, value))).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        unshare
    }

    /// Runs the health check of the image.
    async fn health(&self, settings: &[(&str, String)]) -> Output {
        let test = strings(&self.config["config"]["Healthcheck"]["Test"]);
        let mut check = self.run(&test[1..], settings);
        spawn_blocking(move || check.output().unwrap()).await.unwrap()
    }
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

fn blob(layout: &Path, descriptor: &Value) -> PathBuf {
    layout.join("blobs").join(descriptor["digest"].as_str().unwrap().replace(':', "/"))
}

/// The digest of this command's output for the file.
fn sum(command: &str, file: &Path) -> String {
    let line = format!("{command} '{}' | sha256sum", file.display());
    let output = Command::new("sh").args(["-c", &line]).output().unwrap();
    format!("sha256:{}", &String::from_utf8(output.stdout).unwrap()[..64])
}

fn succeeds(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
