//! Where a capture goes: a file that the user named, one in the capture folder, or a temporary one
//! that is gone afterwards. Nobody but the user can read what is made here.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::TempPath;
use time::OffsetDateTime;

use super::output::to_stdout;

/// The file of one capture. Dropping it removes a temporary file, and one that was made for a run
/// that never began.
#[derive(Debug)]
pub struct CaptureFile {
    path: PathBuf,
    temporary: Option<TempPath>,
    /// Made here, and nothing was recorded into it so far.
    is_unused: bool,
}

impl CaptureFile {
    /// A file with a name that nobody can guess.
    pub fn temporary() -> anyhow::Result<CaptureFile> {
        let file = tempfile::Builder::new()
            .prefix("hallmark-")
            .suffix(".jsonl")
            .tempfile()
            .context("failed to create a temporary capture")?
            .into_temp_path();
        Ok(CaptureFile { path: file.to_path_buf(), temporary: Some(file), is_unused: false })
    }

    /// The file that the user named; one that exists keeps its permissions.
    pub fn named(path: &Path) -> anyhow::Result<CaptureFile> {
        let is_unused = match create(path) {
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("failed to create the capture {}", path.display()));
            }
        };
        Ok(CaptureFile { path: path.to_owned(), temporary: None, is_unused })
    }

    /// A new file in the capture folder, named after the scenario and the time.
    pub fn in_folder(folder: &Path, scenario: &str) -> anyhow::Result<CaptureFile> {
        fs::create_dir_all(folder)
            .with_context(|| format!("failed to create the capture folder {}", folder.display()))?;
        let now = OffsetDateTime::now_utc();
        let (year, month, day) = (now.year(), u8::from(now.month()), now.day());
        let (hour, minute, second) = (now.hour(), now.minute(), now.second());
        let stem =
            format!("{scenario}-{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z");
        for number in 1..=10_000 {
            let name = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            let path = folder.join(format!("{name}.jsonl"));
            match create(&path) {
                Ok(_) => return Ok(CaptureFile { path, temporary: None, is_unused: true }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| {
                        format!("failed to create the capture {}", path.display())
                    });
                }
            }
        }
        bail!("the capture folder {} is full of captures of this second", folder.display())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is removed in the end.
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// Takes note that a run was recorded into it.
    pub fn used(&mut self) {
        self.is_unused = false;
    }

    /// The capture's bytes.
    pub fn open(&self) -> anyhow::Result<BufReader<File>> {
        let path = self.path.display();
        let file =
            File::open(&self.path).with_context(|| format!("failed to read the capture {path}"))?;
        Ok(BufReader::new(file))
    }

    /// Keeps what was captured before an interruption, a temporary file as well, and says where.
    pub fn keep_interrupted(mut self) -> anyhow::Result<()> {
        self.is_unused = false;
        if let Some(file) = self.temporary.take() {
            file.keep().context("failed to keep the temporary capture")?;
        }
        let path = self.path.display();
        eprintln!("interrupted; the capture so far is kept: `hallmark score {path}` judges it");
        Ok(())
    }

    /// Copies the capture to standard output.
    pub fn print(&self) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes).context("failed to read the temporary capture")?;
        to_stdout(&bytes)
    }
}

impl Drop for CaptureFile {
    fn drop(&mut self) {
        if self.is_unused {
            // An empty file that stays behind harms nobody.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Makes a file that does not exist yet.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
