//! Finding what a child left behind outside its process group.

use std::sync::atomic::{AtomicU64, Ordering};

/// Variable that every process of one link inherits, so that a descendant is recognised even after
/// it has left the process group and lost its parents.
pub(super) const MARKER: &str = "HALLMARK_LINK";

/// A value for [`MARKER`] that no other link of this machine uses at the same time.
pub(super) fn next_marker() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Kills every process that carries the marker. Reads `/proc`, so it does something on Linux only;
/// elsewhere the process group (or job object) has to do.
#[cfg(target_os = "linux")]
pub(super) fn kill_marked(marker: &str) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let wanted = format!("{MARKER}={marker}");
    let Ok(entries) = std::fs::read_dir("/proc") else { return };
    let own = std::process::id();
    for entry in entries.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        if u32::try_from(pid) == Ok(own) {
            continue;
        }
        // Processes of other users cannot be read, and none of them is ours.
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes()) {
            // It may have gone in the meantime, which is what is wanted.
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill_marked(_marker: &str) {}
