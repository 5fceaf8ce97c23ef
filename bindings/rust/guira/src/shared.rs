use std::path::Path;
use std::ptr::null_mut;

use guira_sys as sys;

use crate::error::{check, Result};
use crate::filter::{stats_of, Config, Stats};
use crate::{c_path, parts};

/// A filter that any number of threads may change and look up at once. Lookups take no lock and never block.
///
/// ```
/// let g = guira::SharedFilter::new(&Default::default(), 0)?;
/// std::thread::scope(|s| {
///     s.spawn(|| g.insert("ana"));
///     s.spawn(|| g.insert("bob"));
/// });
/// assert!(g.contains("ana") && g.contains("bob"));
/// # Ok::<(), guira::Error>(())
/// ```
pub struct SharedFilter(*mut sys::guira_shared);

// SAFETY: the library allows every call from any thread at any time, except for the end, which takes &mut self.
unsafe impl Send for SharedFilter {}
unsafe impl Sync for SharedFilter {}

impl Drop for SharedFilter {
    fn drop(&mut self) {
        // SAFETY: it is ours, and no other thread can have it any more.
        unsafe { sys::guira_shared_destroy(self.0) }
    }
}

impl SharedFilter {
    /// shards: a power of two up to 256, or 0 for the default. More shards let more threads write at once.
    pub fn new(config: &Config, shards: u32) -> Result<SharedFilter> {
        let mut out = null_mut();
        // SAFETY: as in filter.rs.
        check(unsafe { sys::guira_shared_create(&config.to_c(), shards, &mut out) })?;
        Ok(SharedFilter(out))
    }

    pub fn insert(&self, key: impl AsRef<[u8]>) -> Result<()> {
        let (key, len) = parts(key.as_ref());
        check(unsafe { sys::guira_shared_insert(self.0, key, len) })
    }

    /// If several threads insert the same key at once, exactly one gets `Ok`.
    pub fn insert_unique(&self, key: impl AsRef<[u8]>) -> Result<()> {
        let (key, len) = parts(key.as_ref());
        check(unsafe { sys::guira_shared_insert_unique(self.0, key, len) })
    }

    pub fn contains(&self, key: impl AsRef<[u8]>) -> bool {
        let (key, len) = parts(key.as_ref());
        unsafe { sys::guira_shared_contains(self.0, key, len) }
    }

    pub fn remove(&self, key: impl AsRef<[u8]>) -> Result<()> {
        let (key, len) = parts(key.as_ref());
        check(unsafe { sys::guira_shared_remove(self.0, key, len) })
    }

    pub fn count(&self, key: impl AsRef<[u8]>) -> u64 {
        let (key, len) = parts(key.as_ref());
        unsafe { sys::guira_shared_count(self.0, key, len) }
    }

    pub fn hash(&self, key: impl AsRef<[u8]>) -> u64 {
        let (key, len) = parts(key.as_ref());
        unsafe { sys::guira_shared_hash(self.0, key, len) }
    }

    pub fn contains_hashes(&self, hashes: &[u64]) -> Vec<bool> {
        let mut out = vec![false; hashes.len()];
        unsafe { sys::guira_shared_contains_hash_many(self.0, hashes.as_ptr(), hashes.len(), out.as_mut_ptr()) };
        out
    }

    pub fn insert_hashes(&self, hashes: &[u64]) -> Result<()> {
        let mut out = vec![sys::GUIRA_OK; hashes.len()];
        unsafe { sys::guira_shared_insert_hash_many(self.0, hashes.as_ptr(), hashes.len(), out.as_mut_ptr()) };
        out.into_iter().try_for_each(check)
    }

    pub fn len(&self) -> u64 {
        self.stats().items
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sums and means over the shards.
    pub fn stats(&self) -> Stats {
        stats_of(|out| unsafe { sys::guira_shared_stats_get(self.0, out) })
    }

    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::guira_shared_save(self.0, path.as_ptr().cast()) })
    }

    pub fn load(path: impl AsRef<Path>) -> Result<SharedFilter> {
        let (path, mut out) = (c_path(path.as_ref())?, null_mut());
        check(unsafe { sys::guira_shared_load(path.as_ptr().cast(), &mut out) })?;
        Ok(SharedFilter(out))
    }
}
