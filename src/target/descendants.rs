//! Finding what a child left behind: in its process group, outside it, and without parents.
//!
//! Linux only; elsewhere the process group (or job object) has to do.

use std::sync::atomic::{AtomicU64, Ordering};

/// Variable that every process of one link inherits, so that a descendant is recognised even after
/// it has left the process group and lost its parents.
pub(super) const MARKER: &str = "HALLMARK_LINK";

/// A value for [`MARKER`] that no other link of this machine uses at the same time.
pub(super) fn next_marker() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(target_os = "linux")]
mod family {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use nix::sys::prctl::set_child_subreaper;
    use nix::sys::signal::{Signal, kill};
    use nix::sys::wait::{WaitPidFlag, waitpid};
    use nix::unistd::Pid;

    use super::MARKER;

    /// Whether every process that has lost its parents comes to this one.
    static ADOPTING: AtomicBool = AtomicBool::new(false);
    /// The children of all links that are open.
    static OPEN: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

    /// Makes this process the parent of every descendant that loses its own, so that what a target
    /// leaves behind is found whatever it did to hide. For programs that start nothing but targets:
    /// every child that is left when the last link closes is taken for one.
    pub fn adopt_orphans() {
        // A kernel that cannot do it leaves the marker to find them by.
        ADOPTING.store(set_child_subreaper(true).is_ok(), Ordering::Relaxed);
    }

    fn open() -> MutexGuard<'static, BTreeSet<i32>> {
        // A set of numbers is usable whatever its last user died of.
        OPEN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The processes of one link: its child, and all that descends from it.
    #[derive(Debug)]
    pub(in crate::target) struct Family {
        child: i32,
        marker: String,
    }

    impl Family {
        /// The family of a child that was just started.
        pub(in crate::target) fn new(child: Option<u32>, marker: String) -> Family {
            let child = child.and_then(|pid| i32::try_from(pid).ok()).unwrap_or(0);
            if child != 0 {
                open().insert(child);
            }
            Family { child, marker }
        }

        /// Kills every descendant that can be reached from the child, or was orphaned. `collected`
        /// says that the child is gone, so that its number may be another process's by now. Gives
        /// how many were found alive: they may have left children of their own, so it takes
        /// another look until there are none.
        pub(in crate::target) fn kill_descendants(&self, collected: bool) -> usize {
            let mut found = BTreeSet::new();
            if self.child != 0 && !collected {
                descend(self.child, &mut found);
            }
            if ADOPTING.load(Ordering::Relaxed) {
                for orphan in self.orphans() {
                    found.insert(orphan);
                    descend(orphan, &mut found);
                }
            }
            found.into_iter().filter(|pid| end(*pid)).count()
        }

        /// Children of this process that are no link's child: of this link, when they carry its
        /// marker, or when no other link is open that they could have come from.
        fn orphans(&self) -> Vec<i32> {
            let mut links = open().clone();
            links.insert(self.child);
            let own = i32::try_from(std::process::id()).unwrap_or(0);
            let mut orphans = children(own);
            orphans.retain(|pid| !links.contains(pid));
            links.remove(&self.child);
            if !links.is_empty() {
                orphans.retain(|pid| {
                    is_marked(&Path::new("/proc").join(pid.to_string()), &self.marker)
                });
            }
            orphans
        }

        /// Kills every process that carries the marker, wherever it is.
        pub(in crate::target) fn kill_marked(&self) {
            let own = i32::try_from(std::process::id()).unwrap_or(0);
            let Ok(entries) = fs::read_dir("/proc") else { return };
            for entry in entries.flatten() {
                let pid = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok());
                if let Some(pid) = pid.filter(|pid| *pid != own)
                    && is_marked(&entry.path(), &self.marker)
                {
                    end(pid);
                }
            }
        }
    }

    impl Drop for Family {
        fn drop(&mut self) {
            open().remove(&self.child);
        }
    }

    /// Whether a process has the marker in its environment. Processes of other users cannot be
    /// read, and none of them is ours.
    fn is_marked(process: &Path, marker: &str) -> bool {
        let Ok(environment) = fs::read(process.join("environ")) else { return false };
        let wanted = format!("{MARKER}={marker}");
        environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes())
    }

    /// Adds all descendants of a process.
    fn descend(pid: i32, found: &mut BTreeSet<i32>) {
        let mut open = vec![pid];
        while let Some(pid) = open.pop() {
            open.extend(children(pid).into_iter().filter(|child| found.insert(*child)));
        }
    }

    /// The children of a process, of all its threads. A kernel without that list shows none.
    fn children(pid: i32) -> Vec<i32> {
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
        let lists = threads
            .flatten()
            .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        let pids = |list: String| -> Vec<i32> {
            list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
        };
        lists.flat_map(pids).collect()
    }

    /// Kills a process and takes it off the list of processes when it is a child of this one.
    /// Gives whether it was alive.
    fn end(pid: i32) -> bool {
        let pid = Pid::from_raw(pid);
        // It may have gone in the meantime, which is what is wanted.
        let _ = kill(pid, Signal::SIGKILL);
        let _ = waitpid(pid, Some(WaitPidFlag::WNOHANG));
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The state follows the name, which may hold anything.
        let state = status.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
        !matches!(state, None | Some("Z" | "X"))
    }
}

#[cfg(not(target_os = "linux"))]
mod family {
    /// Does nothing: only Linux gives orphans to a process of one's choice.
    pub fn adopt_orphans() {}

    /// The processes of one link, which nothing but their group can tell here.
    #[derive(Debug)]
    pub(in crate::target) struct Family;

    impl Family {
        pub(in crate::target) fn new(_child: Option<u32>, _marker: String) -> Family {
            Family
        }

        pub(in crate::target) fn kill_descendants(&self, _collected: bool) -> usize {
            0
        }

        pub(in crate::target) fn kill_marked(&self) {}
    }
}

pub(super) use family::Family;
pub use family::adopt_orphans;
