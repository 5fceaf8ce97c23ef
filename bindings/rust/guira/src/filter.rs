use std::fmt;
use std::mem::MaybeUninit;
use std::os::raw::c_void;
use std::path::Path;
use std::ptr::{null, null_mut};

use guira_sys as sys;

use crate::error::{check, Result};
use crate::{c_path, parts};

/// Which filter to make. `Tidal` is the one to use; the others are a filter of fixed size and those of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    #[default]
    Tidal,
    Cuckoo,
    Dynamic,
    Elastic,
    Consistent,
}

/// How to make a filter. The default of each field is that of the library; `guira.h` has the details.
///
/// ```
/// let f = guira::Config { capacity: 1_000_000, fpr: 0.001, ..Default::default() }.build()?;
/// assert_eq!(f.stats().fpr_kept, 0.001);
/// # Ok::<(), guira::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Config {
    pub kind: Kind,
    /// Items to make room for at once.
    pub capacity: u64,
    /// False-positive rate to keep, in (0,1); 0: not set.
    pub fpr: f64,
    /// The most items ever, divided by `capacity`; 1: never beyond it; 0: up to 10^10 items.
    pub growth: f64,
    /// Bits per slot; 0: from `fpr`, or 16.
    pub slot_bits: u32,
    /// Grow above it; 0: the default.
    pub max_load: f64,
    /// Shrink below it; 0: the default; negative: never.
    pub min_load: f64,
    /// Of the hash function; all zero: drawn from the system.
    pub seed: [u8; 16],
    /// Cuckoo and the kinds of the papers.
    pub bucket_slots: u32,
    /// Cuckoo and the kinds of the papers.
    pub buckets: u64,
}

impl Config {
    /// An empty filter.
    pub fn build(&self) -> Result<Filter> {
        let mut out = null_mut();
        // SAFETY: a complete configuration and a place for the filter.
        check(unsafe { sys::guira_create(&self.to_c(), &mut out) })?;
        Ok(Filter(out))
    }

    pub(crate) fn to_c(&self) -> sys::guira_config {
        let mut c = MaybeUninit::uninit();
        // SAFETY: the library sets every field.
        let mut c: sys::guira_config = unsafe {
            sys::guira_config_init(c.as_mut_ptr());
            c.assume_init()
        };
        c.kind = self.kind as sys::guira_kind;
        c.capacity = self.capacity;
        c.fpr = self.fpr;
        c.growth = self.growth;
        c.slot_bits = self.slot_bits;
        c.max_load = self.max_load;
        c.min_load = self.min_load;
        c.seed = self.seed;
        c.bucket_slots = self.bucket_slots;
        c.buckets = self.buckets;
        c
    }
}

/// What a filter tells of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stats {
    /// Members, copies counted.
    pub items: u64,
    /// Memory that the filter holds, everything included.
    pub bytes: u64,
    pub slots: u64,
    pub buckets: u64,
    pub load: f64,
    /// False-positive rate to expect right now.
    pub fpr: f64,
    /// False-positive rate that is kept; 0: none was asked for.
    pub fpr_kept: f64,
}

pub(crate) fn stats_of(get: impl FnOnce(*mut sys::guira_stats) -> sys::guira_status) -> Stats {
    // SAFETY: numbers only, for which zeros are values.
    let mut s: sys::guira_stats = unsafe { std::mem::zeroed() };
    s.size = std::mem::size_of::<sys::guira_stats>();
    let status = get(&mut s);
    debug_assert_eq!(status, sys::GUIRA_OK);
    Stats {
        items: s.items,
        bytes: s.bytes,
        slots: s.slots,
        buckets: s.buckets,
        load: s.load,
        fpr: s.fpr,
        fpr_kept: s.fpr_kept,
    }
}

/// A filter that one thread at a time may change. Keys are byte strings: `&str`, `&[u8]`, `String`, ...
pub struct Filter(pub(crate) *mut sys::guira);

// SAFETY: a filter has no tie to a thread. Functions that take &self only read it, and the library allows any number of
// threads to read a filter while none changes it, which &mut self makes sure of.
unsafe impl Send for Filter {}
unsafe impl Sync for Filter {}

impl Drop for Filter {
    fn drop(&mut self) {
        // SAFETY: it is ours, and this is its end.
        unsafe { sys::guira_destroy(self.0) }
    }
}

impl Filter {
    /// An empty filter with the default configuration.
    pub fn new() -> Result<Filter> {
        Config::default().build()
    }

    /// Adds one copy of key.
    pub fn insert(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        let (key, len) = parts(key.as_ref());
        // SAFETY: a filter and len bytes, as in all functions here.
        check(unsafe { sys::guira_insert(self.0, key, len) })
    }

    /// Adds key, or fails with [`Error::Exists`](crate::Error::Exists) if the filter contains it already.
    pub fn insert_unique(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        let (key, len) = parts(key.as_ref());
        check(unsafe { sys::guira_insert_unique(self.0, key, len) })
    }

    /// False: key is not a member. True: it is one, or a false positive.
    pub fn contains(&self, key: impl AsRef<[u8]>) -> bool {
        let (key, len) = parts(key.as_ref());
        unsafe { sys::guira_contains(self.0, key, len) }
    }

    /// Removes one copy of key, which must have been inserted.
    pub fn remove(&mut self, key: impl AsRef<[u8]>) -> Result<()> {
        let (key, len) = parts(key.as_ref());
        check(unsafe { sys::guira_remove(self.0, key, len) })
    }

    /// How many copies of key there are; false positives can make it too many, never too few.
    pub fn count(&self, key: impl AsRef<[u8]>) -> u64 {
        let (key, len) = parts(key.as_ref());
        unsafe { sys::guira_count(self.0, key, len) }
    }

    /// The hash of a key, for batches.
    pub fn hash(&self, key: impl AsRef<[u8]>) -> u64 {
        let (key, len) = parts(key.as_ref());
        unsafe { sys::guira_hash(self.0, key, len) }
    }

    pub fn contains_hash(&self, hash: u64) -> bool {
        unsafe { sys::guira_contains_hash(self.0, hash) }
    }

    pub fn insert_hash(&mut self, hash: u64) -> Result<()> {
        check(unsafe { sys::guira_insert_hash(self.0, hash) })
    }

    /// Looks up many hashes: the same as one after the other, but faster.
    ///
    /// ```
    /// let mut f = guira::Filter::new()?;
    /// # let mut f = guira::Config { slot_bits: 32, ..Default::default() }.build()?; // here without false positives
    /// f.insert("ana")?;
    /// let hashes = [f.hash("ana"), f.hash("bob")];
    /// assert_eq!(f.contains_hashes(&hashes), [true, false]);
    /// # Ok::<(), guira::Error>(())
    /// ```
    pub fn contains_hashes(&self, hashes: &[u64]) -> Vec<bool> {
        let mut out = vec![false; hashes.len()];
        // SAFETY: as many places as hashes, here and below.
        unsafe { sys::guira_contains_hash_many(self.0, hashes.as_ptr(), hashes.len(), out.as_mut_ptr()) };
        out
    }

    /// Adds many hashes. Continues after a failure; the error is the first one.
    pub fn insert_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        let mut out = vec![sys::GUIRA_OK; hashes.len()];
        unsafe { sys::guira_insert_hash_many(self.0, hashes.as_ptr(), hashes.len(), out.as_mut_ptr()) };
        out.into_iter().try_for_each(check)
    }

    /// Removes one copy of each. Continues after a failure; the error is the first one.
    pub fn remove_hashes(&mut self, hashes: &[u64]) -> Result<()> {
        let mut out = vec![sys::GUIRA_OK; hashes.len()];
        unsafe { sys::guira_remove_hash_many(self.0, hashes.as_ptr(), hashes.len(), out.as_mut_ptr()) };
        out.into_iter().try_for_each(check)
    }

    pub fn reserve(&mut self, items: u64) -> Result<()> {
        check(unsafe { sys::guira_reserve(self.0, items) })
    }

    pub fn shrink_to_fit(&mut self) -> Result<()> {
        check(unsafe { sys::guira_shrink_to_fit(self.0) })
    }

    pub fn clear(&mut self) -> Result<()> {
        check(unsafe { sys::guira_clear(self.0) })
    }

    /// A second filter with the same bytes.
    pub fn try_clone(&self) -> Result<Filter> {
        let mut out = null_mut();
        check(unsafe { sys::guira_clone(self.0, &mut out) })?;
        Ok(Filter(out))
    }

    /// Inserts a copy of every member of `from`, all or nothing. Both must have the same seed.
    pub fn merge(&mut self, from: &Filter) -> Result<()> {
        check(unsafe { sys::guira_merge(self.0, from.0) })
    }

    /// Like `merge`, without the members that are there already.
    pub fn union(&mut self, from: &Filter) -> Result<()> {
        check(unsafe { sys::guira_union(self.0, from.0) })
    }

    pub fn len(&self) -> u64 {
        self.stats().items
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn stats(&self) -> Stats {
        stats_of(|out| unsafe { sys::guira_stats_get(self.0, out) })
    }

    /// The seed of the hash function: filters that are to be merged need the same one.
    pub fn seed(&self) -> [u8; 16] {
        let mut c = Config::default().to_c();
        unsafe { sys::guira_config_get(self.0, &mut c) };
        c.seed
    }

    /// Reads the whole filter and checks every invariant.
    pub fn validate(&self) -> Result<()> {
        check(unsafe { sys::guira_validate(self.0, null::<*const sys::c_char>() as *mut _) })
    }

    /// After a crash at any time there is the old file or the new one, complete. A file contains the seed: keep it as secret
    /// as the keys.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_path(path.as_ref())?;
        check(unsafe { sys::guira_save(self.0, path.as_ptr().cast()) })
    }

    /// The filter in a file, which need not be trusted.
    pub fn load(path: impl AsRef<Path>) -> Result<Filter> {
        let (path, mut out) = (c_path(path.as_ref())?, null_mut());
        check(unsafe { sys::guira_load(path.as_ptr().cast(), &mut out) })?;
        Ok(Filter(out))
    }

    /// What `save` writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        // SAFETY: append gets the vector, and nobody else has it meanwhile.
        check(unsafe { sys::guira_save_to(self.0, append, &mut out as *mut Vec<u8> as *mut c_void) })?;
        Ok(out)
    }

    /// The filter in these bytes, which need not be trusted.
    pub fn from_bytes(bytes: &[u8]) -> Result<Filter> {
        let mut out = null_mut();
        check(unsafe { sys::guira_load_from(bytes.as_ptr().cast(), bytes.len(), &mut out) })?;
        Ok(Filter(out))
    }
}

/// Adds bytes to a `Vec<u8>`. A panic must not cross C, so a lack of memory is an answer here.
unsafe extern "C" fn append(to: *mut c_void, bytes: *const c_void, n: usize) -> bool {
    let out = &mut *(to as *mut Vec<u8>);
    if out.try_reserve(n).is_err() {
        return false;
    }
    out.extend_from_slice(std::slice::from_raw_parts(bytes.cast(), n));
    true
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.stats();
        write!(f, "Filter({} items, {} bytes, fpr {:.2e})", s.items, s.bytes, s.fpr)
    }
}
