//! Cuckoo filters that delete, count copies, grow and shrink. A filter answers "is this key in the set?" in a few bytes per
//! key, with no false negatives and a known rate of false positives.
//!
//! ```
//! let mut f = guira::Filter::new()?;
//! # let mut f = guira::Config { slot_bits: 32, ..Default::default() }.build()?; // here without false positives
//! f.insert("ana")?;
//! assert!(f.contains("ana")); // always
//! assert!(!f.contains("bob")); // except for false positives
//! f.remove("ana")?;
//! # Ok::<(), guira::Error>(())
//! ```
//!
//! [`Filter`] is changed by one thread at a time, [`SharedFilter`] by any number of them, and [`Window`] answers "was this
//! key seen in the last ten minutes?". A [`View`] is a read-only filter on bytes or on a mapped file.
//!
//! Remove only keys that were inserted. A filter cannot tell a member from a false positive: removing a key that was never
//! inserted may remove the entry of another key.
//!
//! What must not compile: changing a filter that another thread reads,
//!
//! ```compile_fail
//! let mut f = guira::Filter::new().unwrap();
//! std::thread::scope(|s| {
//!     s.spawn(|| f.contains("ana"));
//!     f.insert("bob").unwrap();
//! });
//! ```
//!
//! and a view that lives longer than its bytes:
//!
//! ```compile_fail
//! let view = {
//!     let bytes = guira::Filter::new().unwrap().to_bytes().unwrap();
//!     guira::View::new(&bytes).unwrap()
//! };
//! view.contains("ana");
//! ```
mod error;
mod filter;
mod shared;
mod view;
mod window;

pub use error::{Error, Result};
pub use filter::{Config, Filter, Kind, Stats};
pub use shared::SharedFilter;
pub use view::View;
pub use window::{Window, WindowConfig};

use std::ffi::{CStr, CString};
use std::os::raw::c_void;
use std::path::Path;

/// The version of the library, for example "1.2.3".
pub fn version() -> &'static str {
    // SAFETY: a static text of the library, in ASCII.
    unsafe { CStr::from_ptr(guira_sys::guira_version().cast()) }.to_str().unwrap_or("")
}

/// A key as C takes it, for the time of one call.
fn parts(key: &[u8]) -> (*const c_void, usize) {
    (key.as_ptr().cast(), key.len())
}

/// A path as C takes it; a path with a NUL in it is invalid.
fn c_path(path: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::Invalid)
}
