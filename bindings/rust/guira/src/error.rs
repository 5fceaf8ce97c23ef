use std::ffi::CStr;
use std::fmt;

use guira_sys as sys;

/// Why a call failed. A call that fails leaves the filter as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    NoMemory,
    /// An argument is invalid.
    Invalid,
    /// No room left for this key.
    Full,
    /// More copies of one key than its buckets can hold; never from a tidal filter.
    Duplicate,
    /// The key is not in the filter.
    NotFound,
    /// The key may be in the filter already.
    Exists,
    /// Not a guira file, or one of something else.
    Format,
    /// A checksum is wrong or an invariant is broken.
    Corrupt,
    /// Reading or writing failed.
    Io,
    /// Beyond the limits of this filter.
    Limit,
    /// This filter cannot do that.
    Unsupported,
    /// There is no such file or directory.
    NoFile,
    /// The system does not allow it.
    Permission,
    /// No space left for the file.
    NoSpace,
    /// A status that this version of the crate does not know.
    Other(i32),
}

pub type Result<T> = std::result::Result<T, Error>;

const ALL: [(Error, sys::guira_status); 14] = [
    (Error::NoMemory, sys::GUIRA_ENOMEM),
    (Error::Invalid, sys::GUIRA_EINVAL),
    (Error::Full, sys::GUIRA_EFULL),
    (Error::Duplicate, sys::GUIRA_EDUPLICATE),
    (Error::NotFound, sys::GUIRA_ENOTFOUND),
    (Error::Exists, sys::GUIRA_EEXIST),
    (Error::Format, sys::GUIRA_EFORMAT),
    (Error::Corrupt, sys::GUIRA_ECORRUPT),
    (Error::Io, sys::GUIRA_EIO),
    (Error::Limit, sys::GUIRA_ELIMIT),
    (Error::Unsupported, sys::GUIRA_EUNSUPPORTED),
    (Error::NoFile, sys::GUIRA_ENOENT),
    (Error::Permission, sys::GUIRA_EACCES),
    (Error::NoSpace, sys::GUIRA_ENOSPC),
];

impl Error {
    fn status(self) -> sys::guira_status {
        match self {
            Error::Other(status) => status,
            known => ALL.iter().find(|(e, _)| *e == known).map_or(0, |(_, s)| *s),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: a static text of the library for every number.
        let text = unsafe { CStr::from_ptr(sys::guira_strerror(self.status()).cast()) };
        f.write_str(&text.to_string_lossy())
    }
}

impl std::error::Error for Error {}

pub(crate) fn check(status: sys::guira_status) -> Result<()> {
    if status == sys::GUIRA_OK {
        return Ok(());
    }
    Err(ALL.iter().find(|(_, s)| *s == status).map_or(Error::Other(status), |(e, _)| *e))
}
