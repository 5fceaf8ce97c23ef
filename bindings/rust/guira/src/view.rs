use std::marker::PhantomData;
use std::path::Path;
use std::ptr::null_mut;

use guira_sys as sys;

use crate::c_path;
use crate::error::{check, Result};
use crate::filter::Filter;

/// A read-only filter on the bytes of a file. Everything that reads a [`Filter`] can be called.
///
/// ```
/// let mut f = guira::Filter::new()?;
/// f.insert("ana")?;
/// let bytes = f.to_bytes()?;
/// let view = guira::View::new(&bytes)?;
/// assert!(view.contains("ana"));
/// # Ok::<(), guira::Error>(())
/// ```
pub struct View<'a> {
    filter: Filter,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> View<'a> {
    /// Bytes that do not start on a multiple of 64 are copied once. Only their beginning is checked: corrupt bytes do no
    /// harm, but may give false negatives and false positives; `validate` reads all of them.
    pub fn new(bytes: &'a [u8]) -> Result<View<'a>> {
        let mut out = null_mut();
        // SAFETY: the view cannot live longer than the bytes, which cannot change meanwhile.
        check(unsafe { sys::guira_view(bytes.as_ptr().cast(), bytes.len(), &mut out) })?;
        Ok(View { filter: Filter(out), bytes: PhantomData })
    }

    /// Answers from a file without reading it in.
    ///
    /// # Safety
    /// No program may make the file shorter while the view exists: reading what was there raises SIGBUS. [`Filter::save`]
    /// replaces files and never does that.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<View<'static>> {
        let (path, mut out) = (c_path(path.as_ref())?, null_mut());
        check(sys::guira_map(path.as_ptr().cast(), &mut out))?;
        Ok(View { filter: Filter(out), bytes: PhantomData })
    }
}

impl std::ops::Deref for View<'_> {
    type Target = Filter;
    fn deref(&self) -> &Filter {
        &self.filter
    }
}
