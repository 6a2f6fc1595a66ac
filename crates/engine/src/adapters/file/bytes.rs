//! Reads a file whole, up to a bound, and tells bytes as text.

use super::walk::Place;
use super::{Gate, Trouble};
use crate::adapters::file::trouble::shown;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::fs::{FileType, Mode, OFlags, fstat, openat};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;

/// How much is read and written before someone may stop it.
pub(super) const CHUNK_BYTES: usize = 1024 * 1024;

/// How bytes are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As text, which they must be.
    Utf8,
    /// As base64.
    Base64,
    /// As text if they are, else as base64.
    Auto,
}

impl Encoding {
    /// The encoding of a name.
    pub(super) fn named(name: &str) -> Option<Encoding> {
        match name {
            "utf-8" => Some(Encoding::Utf8),
            "base64" => Some(Encoding::Base64),
            "auto" => Some(Encoding::Auto),
            _ => None,
        }
    }

    /// The bytes that a text stands for.
    pub(super) fn decode(self, text: String) -> Result<Vec<u8>, Trouble> {
        match self {
            Encoding::Utf8 | Encoding::Auto => Ok(text.into_bytes()),
            Encoding::Base64 => {
                let plain: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
                let decoded = STANDARD.decode(plain);
                decoded.map_err(|error| {
                    let error = error.to_string().to_lowercase();
                    Trouble::cannot(format!("`content` is no base64: {error}"))
                })
            }
        }
    }

    /// A text for bytes, and the name of its encoding.
    pub(super) fn encode(self, bytes: Vec<u8>, place: &Place) -> Result<(String, &'static str), Trouble> {
        let bytes = match self {
            Encoding::Base64 => bytes,
            Encoding::Utf8 | Encoding::Auto => match String::from_utf8(bytes) {
                Ok(text) => return Ok((text, "utf-8")),
                Err(error) if self == Encoding::Utf8 => {
                    return Err(Trouble::no(format!(
                        "{} is not UTF-8 (byte {}): read it with `encoding: base64`",
                        shown(&place.given),
                        error.utf8_error().valid_up_to()
                    )));
                }
                Err(error) => error.into_bytes(),
            },
        };
        Ok((STANDARD.encode(bytes), "base64"))
    }
}

/// The bytes of a file.
pub(super) fn read(place: &Place, bytes_max: u64, bound: &str, gate: &Gate) -> Result<Vec<u8>, Trouble> {
    if place.file()?.is_none() {
        return Err(Trouble::system("read", &place.given, Errno::NOENT));
    }
    let mut file = open(place)?;
    let too_large = || {
        let shown = shown(&place.given);
        Trouble::no(format!("{shown} has more than {bytes_max} bytes, and {bound}"))
    };
    let size = file.metadata().map_or(0, |data| data.len());
    if size > bytes_max {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    loop {
        gate.check()?;
        let more = (&mut file).take(CHUNK_BYTES as u64).read_to_end(&mut bytes);
        let more = more.map_err(|error| {
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::IO);
            place.said("read", errno)
        })?;
        if bytes.len() as u64 > bytes_max {
            return Err(too_large());
        }
        if more == 0 {
            return place.lies_inside().map(|()| bytes);
        }
    }
}

/// Opens what is there. It was a file a moment ago, and must be one now: nothing is waited for and nothing followed.
fn open(place: &Place) -> Result<File, Trouble> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(&place.dir, &place.name, flags, Mode::empty());
    let file = file.map_err(|errno| place.said("read", errno))?;
    let stat = fstat(&file).map_err(|errno| place.said("read", errno))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(Trouble::no(format!("{} is no file any more", shown(&place.given))));
    }
    place.is_nobodys(&stat)?;
    Ok(file.into())
}
