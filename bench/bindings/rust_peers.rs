//! Single operations and batches of guira and its peers, in one process; prints a Markdown table.
//!
//! Keys are distinct, of 16 bytes. Half of the lookups are of members. Every figure is the best of six passes (adding and
//! removing: of three) in nanoseconds of processor time per key; the passes of all take turns. Every filter is made for the number of keys:
//! fastbloom and qfilter for a rate of 0.1 %; guira has slots of 16 bits (0.05 %).
//!
//! usage: peers [KEYS]       (default: 1000000)
use std::collections::HashSet;

/// That of this thread in nanoseconds: other programs on the machine do not count.
fn processor_time() -> i64 {
    #[repr(C)]
    struct Timespec {
        seconds: std::os::raw::c_long,
        nanoseconds: std::os::raw::c_long,
    }
    unsafe extern "C" {
        fn clock_gettime(clock: i32, out: *mut Timespec) -> i32;
    }
    const CLOCK_THREAD_CPUTIME_ID: i32 = 3;
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: the C library writes to t, which has its layout on Linux.
    assert_eq!(unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut t) }, 0);
    t.seconds * 1_000_000_000 + t.nanoseconds
}

type Keys<'a> = &'a [[u8; 16]];

/// What is measured of each.
trait Peer {
    fn add(&mut self, keys: Keys);
    fn look(&self, keys: Keys) -> usize;
    /// False: it cannot remove.
    fn remove(&mut self, keys: Keys) -> bool;
}

impl Peer for HashSet<[u8; 16]> {
    fn add(&mut self, keys: Keys) {
        for key in keys {
            self.insert(*key);
        }
    }
    fn look(&self, keys: Keys) -> usize {
        keys.iter().filter(|key| self.contains(*key)).count()
    }
    fn remove(&mut self, keys: Keys) -> bool {
        for key in keys {
            HashSet::remove(self, key);
        }
        true
    }
}

impl Peer for guira::Filter {
    fn add(&mut self, keys: Keys) {
        for key in keys {
            self.insert(key).unwrap();
        }
    }
    fn look(&self, keys: Keys) -> usize {
        keys.iter().filter(|key| self.contains(key)).count()
    }
    fn remove(&mut self, keys: Keys) -> bool {
        keys.iter().for_each(|key| guira::Filter::remove(self, key).unwrap());
        true
    }
}

struct Batch(guira::Filter);

impl Batch {
    fn hashes(&self, keys: Keys) -> Vec<u64> {
        keys.iter().map(|key| self.0.hash(key)).collect()
    }
}

impl Peer for Batch {
    fn add(&mut self, keys: Keys) {
        self.0.insert_hashes(&self.hashes(keys)).unwrap();
    }
    fn look(&self, keys: Keys) -> usize {
        self.0.contains_hashes(&self.hashes(keys)).into_iter().filter(|yes| *yes).count()
    }
    fn remove(&mut self, keys: Keys) -> bool {
        self.0.remove_hashes(&self.hashes(keys)).unwrap();
        true
    }
}

impl Peer for guira::SharedFilter {
    fn add(&mut self, keys: Keys) {
        for key in keys {
            self.insert(key).unwrap();
        }
    }
    fn look(&self, keys: Keys) -> usize {
        keys.iter().filter(|key| self.contains(key)).count()
    }
    fn remove(&mut self, keys: Keys) -> bool {
        keys.iter().for_each(|key| guira::SharedFilter::remove(self, key).unwrap());
        true
    }
}

impl Peer for fastbloom::BloomFilter {
    fn add(&mut self, keys: Keys) {
        for key in keys {
            self.insert(key);
        }
    }
    fn look(&self, keys: Keys) -> usize {
        keys.iter().filter(|key| self.contains(*key)).count()
    }
    fn remove(&mut self, _: Keys) -> bool {
        false
    }
}

impl Peer for qfilter::Filter {
    fn add(&mut self, keys: Keys) {
        for key in keys {
            self.insert_duplicated(key).unwrap();
        }
    }
    fn look(&self, keys: Keys) -> usize {
        keys.iter().filter(|key| self.contains(key)).count()
    }
    fn remove(&mut self, keys: Keys) -> bool {
        for key in keys {
            qfilter::Filter::remove(self, key);
        }
        true
    }
}

fn config(n: usize) -> guira::Config {
    guira::Config { capacity: n as u64, ..Default::default() }
}

type Make = fn(usize) -> Box<dyn Peer>;
const PEERS: [(&str, Make); 6] = [
    ("HashSet", |n| Box::new(HashSet::<[u8; 16]>::with_capacity(n))),
    ("guira::Filter, one by one", |n| Box::new(config(n).build().unwrap())),
    ("guira::Filter, one batch of keys", |n| Box::new(Batch(config(n).build().unwrap()))),
    ("guira::SharedFilter, one by one", |n| Box::new(guira::SharedFilter::new(&config(n), 0).unwrap())),
    ("fastbloom", |n| Box::new(fastbloom::BloomFilter::with_false_pos(0.001).expected_items(n))),
    ("qfilter", |n| Box::new(qfilter::Filter::new(n as u64, 0.001).unwrap())),
];

#[derive(Default, Clone)]
struct Figures {
    look: f64,
    add: f64,
    remove: f64,
    missing: usize,
}

fn measured(best: &mut f64, n: usize, call: impl FnOnce()) {
    let start = processor_time();
    call();
    let t = (processor_time() - start) as f64 / n as f64;
    if *best == 0.0 || t < *best {
        *best = t;
    }
}

fn measure(make: Make, members: Keys, probes: Keys, f: &mut Figures) {
    let n = members.len();
    let mut peer = make(n);
    measured(&mut f.add, n, || peer.add(members));
    for _ in 0..2 {
        measured(&mut f.look, n, || assert!(peer.look(probes) >= n / 2 - n / 100));
    }
    f.missing = n - peer.look(members);
    let mut removed = 0.0;
    let mut can = true;
    measured(&mut removed, n, || can = peer.remove(members));
    if can && (f.remove == 0.0 || removed < f.remove) {
        f.remove = removed;
    }
}

/// Numbers of 64 bits from a fixed seed (splitmix64).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e3779b97f4a7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
    z ^ (z >> 31)
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name")).unwrap_or("");
    line.split(':').nth(1).unwrap_or("?").trim().to_string()
}

fn main() {
    let n: usize = std::env::args().nth(1).map_or(1_000_000, |word| word.parse().expect("a number of keys"));
    let mut state = 1;
    let keys: Vec<[u8; 16]> =
        (0..2 * n).map(|_| format!("{:016x}", random(&mut state)).into_bytes().try_into().unwrap()).collect();
    let (members, others) = keys.split_at(n);
    let mut probes = [&members[..n / 2], &others[..n / 2]].concat();
    for i in (1..probes.len()).rev() {
        probes.swap(i, (random(&mut state) % (i as u64 + 1)) as usize);
    }
    let mut figures = vec![Figures::default(); PEERS.len()];
    for _ in 0..3 {
        for ((_, make), f) in PEERS.iter().zip(&mut figures) {
            measure(*make, members, &probes, f);
        }
    }
    println!("guira {}, {}\n\n{} keys of 16 bytes, ns of processor time per key:\n", guira::version(), processor(), n);
    println!("| | lookup | add | remove | members not found |\n|---|---|---|---|---|");
    for ((name, _), f) in PEERS.iter().zip(&figures) {
        let remove = if f.remove > 0.0 { format!("{:.0}", f.remove) } else { "-".to_string() };
        println!("| {} | {:.0} | {:.0} | {} | {} |", name, f.look, f.add, remove, f.missing);
    }
}
