//! A file of vectors: one JSON object per line, with the digest of a text and the vector of it.

use crate::{
    digest::Digest,
    text::{
        regular_file,
        write_file::{append_private, write_private},
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    path::PathBuf,
};

/// The largest file, in bytes.
const FILE_MAX: u64 = 64 * 1024 * 1024;

/// The digest of a model's identity and a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct VectorKey(Digest);

impl VectorKey {
    pub(super) fn new(identity: &str, text: &str) -> Self {
        Self(Digest::from_bytes(format!("{identity}\0{text}").as_bytes()))
    }
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct StoredVector<'a> {
    text: &'a str,
    /// The numbers as base64 of 32-bit floats, with the lowest byte first.
    vector: &'a str,
}

/// Vectors by key.
pub(super) type KnownVectors = HashMap<VectorKey, Vec<f32>>;

#[derive(Debug)]
pub(super) struct VectorFile {
    path: PathBuf,
    /// The largest size in bytes.
    max: u64,
}

impl VectorFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self::with_max(path, FILE_MAX)
    }

    pub(super) fn with_max(path: PathBuf, max: u64) -> Self {
        Self { path, max }
    }

    /// Reads the vectors of these keys. A line that cannot be read counts as none.
    pub(super) fn read(&self, keys: &HashSet<VectorKey>) -> KnownVectors {
        let names: HashMap<String, VectorKey> =
            keys.iter().map(|key| (key.0.to_string(), *key)).collect();
        let mut vectors = KnownVectors::new();
        match regular_file::open(&self.path) {
            Ok(file) => {
                // A line that is not complete or not valid is skipped: its vector is computed
                // again.
                for line in BufReader::new(file.take(self.max))
                    .split(b'\n')
                    .map_while(Result::ok)
                {
                    vectors.extend(parse(&line, &names));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => self.warn(&error),
        }
        vectors
    }

    /// Adds vectors. If the file would be too large, it is replaced by these and the known ones.
    pub(super) fn append(&self, vectors: &[(VectorKey, Vec<f32>)], known: &KnownVectors) {
        if let Err(error) = self.try_append(vectors, known) {
            self.warn(&error);
        }
    }

    fn try_append(
        &self,
        vectors: &[(VectorKey, Vec<f32>)],
        known: &KnownVectors,
    ) -> io::Result<()> {
        fs::create_dir_all(self.path.parent().unwrap_or(&self.path))?;
        // The first line break ends a line that another process could not finish.
        let lines = vectors
            .iter()
            .fold("\n".to_owned(), |lines, (key, vector)| {
                lines + &line(*key, vector)
            });
        // Two processes may both see the last free room. The file is then larger by one batch, and
        // the next append writes it anew.
        let size = fs::metadata(&self.path).map_or(0, |file| file.len());
        if size + lines.len() as u64 <= self.max {
            // One call per batch, so that processes do not mix their lines.
            return append_private(&self.path)?.write_all(lines.as_bytes());
        }
        let all = known
            .iter()
            .fold(lines, |lines, (key, vector)| lines + &line(*key, vector));
        if all.len() as u64 > self.max {
            return Err(io::Error::other(format!(
                "the vectors of all tools have more than {} bytes",
                self.max
            )));
        }
        write_private(&self.path, &all)
    }

    /// Removes the file.
    pub(super) fn remove(&self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            self.warn(&error);
        }
    }

    fn warn(&self, error: &io::Error) {
        let path = self.path.display();
        tracing::warn!(%path, %error, "vectors of tools cannot be kept; the next start computes them again");
    }
}

fn line(key: VectorKey, vector: &[f32]) -> String {
    let bytes: Vec<u8> = vector
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    let stored = StoredVector {
        text: &key.0.to_string(),
        vector: &BASE64_STANDARD.encode(bytes),
    };
    let mut line = serde_json::to_string(&stored).unwrap_or_default();
    line.push('\n');
    line
}

/// Reads a line, if its text is one of these.
fn parse(line: &[u8], names: &HashMap<String, VectorKey>) -> Option<(VectorKey, Vec<f32>)> {
    let stored: StoredVector<'_> = serde_json::from_slice(line).ok()?;
    let key = names.get(stored.text)?;
    let bytes = BASE64_STANDARD.decode(stored.vector).ok()?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| {
        (
            *key,
            numbers
                .iter()
                .map(|number| f32::from_le_bytes(*number))
                .collect(),
        )
    })
}
