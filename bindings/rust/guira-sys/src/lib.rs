//! The C interface of libguira, as in `guira.h`, `guira_shared.h` and `guira_window.h`, which have the contract of every
//! function. The crate `guira` is safe; use that.
#![allow(non_camel_case_types)]
#![no_std]

use core::ffi::c_void;
use core::marker::{PhantomData, PhantomPinned};

/// `char` of C; `core::ffi::c_char` needs Rust 1.64.
#[cfg(any(target_arch = "aarch64", target_arch = "arm", target_arch = "s390x", target_arch = "powerpc64", target_arch = "riscv64"))]
pub type c_char = u8;
/// `char` of C; `core::ffi::c_char` needs Rust 1.64.
#[cfg(not(any(target_arch = "aarch64", target_arch = "arm", target_arch = "s390x", target_arch = "powerpc64", target_arch = "riscv64")))]
pub type c_char = i8;

macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
            _not_send: PhantomData<(*mut u8, PhantomPinned)>,
        }
    )*};
}
opaque!(guira guira_shared guira_window);

pub type guira_status = i32;
pub const GUIRA_OK: guira_status = 0;
pub const GUIRA_ENOMEM: guira_status = -1;
pub const GUIRA_EINVAL: guira_status = -2;
pub const GUIRA_EFULL: guira_status = -3;
pub const GUIRA_EDUPLICATE: guira_status = -4;
pub const GUIRA_ENOTFOUND: guira_status = -5;
pub const GUIRA_EEXIST: guira_status = -6;
pub const GUIRA_EFORMAT: guira_status = -7;
pub const GUIRA_ECORRUPT: guira_status = -8;
pub const GUIRA_EIO: guira_status = -9;
pub const GUIRA_ELIMIT: guira_status = -10;
pub const GUIRA_EUNSUPPORTED: guira_status = -11;
pub const GUIRA_ENOENT: guira_status = -12;
pub const GUIRA_EACCES: guira_status = -13;
pub const GUIRA_ENOSPC: guira_status = -14;

pub type guira_kind = u32;
pub const GUIRA_TIDAL: guira_kind = 0;
pub const GUIRA_CUCKOO: guira_kind = 1;
pub const GUIRA_DYNAMIC: guira_kind = 2;
pub const GUIRA_ELASTIC: guira_kind = 3;
pub const GUIRA_CONSISTENT: guira_kind = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct guira_config {
    pub size: usize,
    pub kind: guira_kind,
    pub capacity: u64,
    pub fpr: f64,
    pub slot_bits: u32,
    pub max_load: f64,
    pub min_load: f64,
    pub growth: f64,
    pub seed: [u8; 16],
    pub max_kicks: u32,
    pub bucket_slots: u32,
    pub buckets: u64,
    pub max_filters: u32,
    pub factor: u32,
    pub candidates: u32,
    pub virtual_nodes: u32,
    pub ring: u64,
    pub policy: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct guira_stats {
    pub size: usize,
    pub items: u64,
    pub slots: u64,
    pub buckets: u64,
    pub bytes: u64,
    pub stash: u64,
    pub elders: u64,
    pub kicks: u64,
    pub failures: u64,
    pub grows: u64,
    pub shrinks: u64,
    pub load: f64,
    pub fpr: f64,
    pub evictions: u64,
    pub filters: u64,
    pub fpr_kept: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct guira_window_config {
    pub size: usize,
    pub length: u64,
    pub fpr: f64,
    pub slides: bool,
    pub capacity: u64,
    pub seed: [u8; 16],
    pub growth: f64,
}

pub type guira_write_fn = unsafe extern "C" fn(to: *mut c_void, bytes: *const c_void, n: usize) -> bool;

extern "C" {
    pub fn guira_config_init(c: *mut guira_config);
    pub fn guira_create(c: *const guira_config, out: *mut *mut guira) -> guira_status;
    pub fn guira_destroy(f: *mut guira);
    pub fn guira_insert(f: *mut guira, key: *const c_void, len: usize) -> guira_status;
    pub fn guira_insert_unique(f: *mut guira, key: *const c_void, len: usize) -> guira_status;
    pub fn guira_contains(f: *const guira, key: *const c_void, len: usize) -> bool;
    pub fn guira_remove(f: *mut guira, key: *const c_void, len: usize) -> guira_status;
    pub fn guira_count(f: *const guira, key: *const c_void, len: usize) -> u64;
    pub fn guira_hash(f: *const guira, key: *const c_void, len: usize) -> u64;
    pub fn guira_insert_hash(f: *mut guira, hash: u64) -> guira_status;
    pub fn guira_contains_hash(f: *const guira, hash: u64) -> bool;
    pub fn guira_remove_hash(f: *mut guira, hash: u64) -> guira_status;
    pub fn guira_contains_hash_many(f: *const guira, hash: *const u64, n: usize, out: *mut bool) -> usize;
    pub fn guira_insert_hash_many(f: *mut guira, hash: *const u64, n: usize, out: *mut guira_status) -> usize;
    pub fn guira_remove_hash_many(f: *mut guira, hash: *const u64, n: usize, out: *mut guira_status) -> usize;
    pub fn guira_reserve(f: *mut guira, items: u64) -> guira_status;
    pub fn guira_shrink_to_fit(f: *mut guira) -> guira_status;
    pub fn guira_clear(f: *mut guira) -> guira_status;
    pub fn guira_clone(f: *const guira, out: *mut *mut guira) -> guira_status;
    pub fn guira_merge(into: *mut guira, from: *const guira) -> guira_status;
    pub fn guira_union(into: *mut guira, from: *const guira) -> guira_status;
    pub fn guira_stats_get(f: *const guira, out: *mut guira_stats) -> guira_status;
    pub fn guira_config_get(f: *const guira, out: *mut guira_config) -> guira_status;
    pub fn guira_validate(f: *const guira, reason: *mut *const c_char) -> guira_status;
    pub fn guira_strerror(s: guira_status) -> *const c_char;
    pub fn guira_version() -> *const c_char;
    pub fn guira_save(f: *const guira, path: *const c_char) -> guira_status;
    pub fn guira_load(path: *const c_char, out: *mut *mut guira) -> guira_status;
    pub fn guira_map(path: *const c_char, out: *mut *mut guira) -> guira_status;
    pub fn guira_view(bytes: *const c_void, n: usize, out: *mut *mut guira) -> guira_status;
    pub fn guira_save_to(f: *const guira, write: guira_write_fn, to: *mut c_void) -> guira_status;
    pub fn guira_load_from(bytes: *const c_void, n: usize, out: *mut *mut guira) -> guira_status;

    pub fn guira_shared_create(c: *const guira_config, shards: u32, out: *mut *mut guira_shared) -> guira_status;
    pub fn guira_shared_destroy(g: *mut guira_shared);
    pub fn guira_shared_insert(g: *mut guira_shared, key: *const c_void, len: usize) -> guira_status;
    pub fn guira_shared_insert_unique(g: *mut guira_shared, key: *const c_void, len: usize) -> guira_status;
    pub fn guira_shared_contains(g: *const guira_shared, key: *const c_void, len: usize) -> bool;
    pub fn guira_shared_remove(g: *mut guira_shared, key: *const c_void, len: usize) -> guira_status;
    pub fn guira_shared_count(g: *const guira_shared, key: *const c_void, len: usize) -> u64;
    pub fn guira_shared_hash(g: *const guira_shared, key: *const c_void, len: usize) -> u64;
    pub fn guira_shared_contains_hash_many(g: *const guira_shared, hash: *const u64, n: usize, out: *mut bool) -> usize;
    pub fn guira_shared_insert_hash_many(g: *mut guira_shared, hash: *const u64, n: usize, out: *mut guira_status) -> usize;
    pub fn guira_shared_stats_get(g: *const guira_shared, out: *mut guira_stats) -> guira_status;
    pub fn guira_shared_save(g: *const guira_shared, path: *const c_char) -> guira_status;
    pub fn guira_shared_load(path: *const c_char, out: *mut *mut guira_shared) -> guira_status;

    pub fn guira_window_create(c: *const guira_window_config, out: *mut *mut guira_window) -> guira_status;
    pub fn guira_window_destroy(w: *mut guira_window);
    pub fn guira_window_seen(w: *mut guira_window, key: *const c_void, len: usize, now: u64, seen: *mut bool) -> guira_status;
    pub fn guira_window_contains(w: *const guira_window, key: *const c_void, len: usize, now: u64, seen: *mut bool) -> guira_status;
    pub fn guira_window_tick(w: *mut guira_window, now: u64) -> guira_status;
    pub fn guira_window_now(w: *const guira_window) -> u64;
    pub fn guira_window_stats_get(w: *const guira_window, out: *mut guira_stats) -> guira_status;
    pub fn guira_window_save(w: *const guira_window, path: *const c_char) -> guira_status;
    pub fn guira_window_load(path: *const c_char, out: *mut *mut guira_window) -> guira_status;
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::{size_of, MaybeUninit};

    /// The library writes its own sizeof into the struct.
    #[test]
    fn the_configuration_is_as_large_as_in_c() {
        let mut c = MaybeUninit::<guira_config>::uninit();
        let c = unsafe {
            guira_config_init(c.as_mut_ptr());
            c.assume_init()
        };
        assert_eq!(c.size, size_of::<guira_config>());
    }
}
