use std::path::Path;
use std::ptr::null_mut;

use guira_sys as sys;

use crate::error::{check, Result};
use crate::filter::{stats_of, Stats};
use crate::{c_path, parts};

/// How to make a window. Only `length` must be set.
#[derive(Debug, Clone, Default)]
pub struct WindowConfig {
    /// In the caller's unit of time; better 100 of them or more.
    pub length: u64,
    /// False-positive rate to keep; 0: 1e-5.
    pub fpr: f64,
    /// Every time a key is seen starts `length` anew.
    pub slides: bool,
    /// Number of keys expected within `length`.
    pub capacity: u64,
    pub seed: [u8; 16],
    /// As in [`Config`](crate::Config).
    pub growth: f64,
}

/// Answers "was this key seen in the last `length`?". Expired keys are removed by themselves.
///
/// ```
/// let mut w = guira::Window::new(&guira::WindowConfig { length: 600, ..Default::default() })?; // seconds
/// assert!(!w.seen("ana", 1000)?);
/// assert!(w.seen("ana", 1600)?);
/// assert!(!w.seen("ana", 1640)?); // expired
/// # Ok::<(), guira::Error>(())
/// ```
pub struct Window(*mut sys::guira_window);

// SAFETY: as for Filter.
unsafe impl Send for Window {}
unsafe impl Sync for Window {}

impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: it is ours, and this is its end.
        unsafe { sys::guira_window_destroy(self.0) }
    }
}

impl Window {
    /// An empty window at time 0.
    pub fn new(config: &WindowConfig) -> Result<Window> {
        let c = sys::guira_window_config {
            size: std::mem::size_of::<sys::guira_window_config>(),
            length: config.length,
            fpr: config.fpr,
            slides: config.slides,
            capacity: config.capacity,
            seed: config.seed,
            growth: config.growth,
        };
        let mut out = null_mut();
        check(unsafe { sys::guira_window_create(&c, &mut out) })?;
        Ok(Window(out))
    }

    /// Whether key was seen; it is recorded as seen. The time never goes back: that is `Error::Invalid`, and changes nothing.
    pub fn seen(&mut self, key: impl AsRef<[u8]>, now: u64) -> Result<bool> {
        let ((key, len), mut seen) = (parts(key.as_ref()), false);
        check(unsafe { sys::guira_window_seen(self.0, key, len, now, &mut seen) })?;
        Ok(seen)
    }

    /// The lookup alone: changes nothing, not even the time.
    pub fn contains(&self, key: impl AsRef<[u8]>, now: u64) -> Result<bool> {
        let ((key, len), mut seen) = (parts(key.as_ref()), false);
        check(unsafe { sys::guira_window_contains(self.0, key, len, now, &mut seen) })?;
        Ok(seen)
    }

    /// Sets the time and removes everything that is due, for times without traffic.
    pub fn tick(&mut self, now: u64) -> Result<()> {
        check(unsafe { sys::guira_window_tick(self.0, now) })
    }

    /// The time of the last call.
    pub fn now(&self) -> u64 {
        unsafe { sys::guira_window_now(self.0) }
    }

    /// `items` are all entries that were not removed yet.
    pub fn stats(&self) -> Stats {
        stats_of(|out| unsafe { sys::guira_window_stats_get(self.0, out) })
    }

    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::guira_window_save(self.0, path.as_ptr().cast()) })
    }

    pub fn load(path: impl AsRef<Path>) -> Result<Window> {
        let (path, mut out) = (c_path(path.as_ref())?, null_mut());
        check(unsafe { sys::guira_window_load(path.as_ptr().cast(), &mut out) })?;
        Ok(Window(out))
    }
}
