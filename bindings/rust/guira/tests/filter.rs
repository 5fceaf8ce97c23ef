//! The crate against exact models, and what happens at its border.
use std::collections::HashMap;
use std::thread;

use guira::{Config, Error, Filter, Kind, SharedFilter, View, Window, WindowConfig};

/// Numbers from a seed that is printed, and taken back from GUIRA_SEED.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let given = std::env::var("GUIRA_SEED").ok().and_then(|s| s.parse().ok());
        let seed = given.unwrap_or_else(|| {
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64
        });
        println!("GUIRA_SEED={}", seed);
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb) ^ z >> 31
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// With 32 bits, not 16, three keys give an absent one as a false positive in one of 10^9 lookups, not 10^4.
fn sharp() -> Config {
    Config { slot_bits: 32, ..Default::default() }
}

fn key(i: u64) -> String {
    format!("key {}", i)
}

fn path(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("guira-rust-{}-{}", std::process::id(), name))
}

#[test]
fn a_filter_agrees_with_an_exact_multiset() {
    let (mut r, mut model, mut items) = (Random::new(), HashMap::new(), 0);
    let mut f = sharp().build().unwrap();
    for _ in 0..100_000 {
        let k = r.below(2000);
        let copies: &mut u64 = model.entry(k).or_default();
        match r.below(3) {
            0 => {
                f.insert(key(k)).unwrap();
                *copies += 1;
                items += 1;
            }
            1 if *copies > 0 => {
                f.remove(key(k)).unwrap();
                *copies -= 1;
                items -= 1;
            }
            // A false positive may only raise a count.
            _ => assert!(f.count(key(k)) >= *copies && (*copies == 0 || f.contains(key(k)))),
        }
    }
    assert_eq!(f.len(), items);
    f.validate().unwrap();
}

#[test]
fn batches_are_the_same_as_single_calls() {
    let (mut r, mut f) = (Random::new(), Filter::new().unwrap());
    let hashes: Vec<u64> = (0..10_000).map(|_| r.next()).collect();
    f.insert_hashes(&hashes[..5000]).unwrap();
    for (i, found) in f.contains_hashes(&hashes).into_iter().enumerate() {
        assert_eq!(found, f.contains_hash(hashes[i]));
        assert!(found || i >= 5000);
    }
    f.remove_hashes(&hashes[..5000]).unwrap();
    assert!(f.is_empty());
    assert_eq!(f.remove_hashes(&hashes[..1]), Err(Error::NotFound));
    assert_eq!(f.contains_hashes(&[]), []);
}

#[test]
fn errors_are_of_this_crate() {
    let mut f = Filter::new().unwrap();
    f.insert("ana").unwrap();
    assert_eq!(f.insert_unique("ana"), Err(Error::Exists));
    assert_eq!(f.merge(&Filter::new().unwrap()), Err(Error::Invalid)); // another seed
    assert_eq!(f.save("/no such directory/x"), Err(Error::NoFile));
    assert_eq!(f.save("a\0b"), Err(Error::Invalid));
    assert_eq!(Filter::from_bytes(b"").err(), Some(Error::Format));
    assert_eq!(Filter::load("/no such file").err().unwrap().to_string(), Error::NoFile.to_string());
    assert!(!Error::NoFile.to_string().is_empty());
    for config in [
        Config { fpr: 2.0, ..Default::default() },
        Config { slot_bits: 7, ..Default::default() },
        Config { kind: Kind::Cuckoo, ..Default::default() },
    ] {
        assert_eq!(config.build().err(), Some(Error::Invalid));
    }
}

#[test]
fn configurations_beyond_any_machine_are_refused() {
    for config in [
        Config { capacity: u64::MAX, ..Default::default() },
        Config { capacity: 1 << 60, growth: 1.0, ..Default::default() },
        Config { fpr: f64::MIN_POSITIVE, ..Default::default() },
        Config { fpr: f64::NAN, ..Default::default() },
        Config { growth: f64::NAN, capacity: 10, ..Default::default() },
        Config { growth: f64::INFINITY, fpr: 0.1, capacity: 10, ..Default::default() },
        Config { max_load: f64::NAN, ..Default::default() },
        Config { min_load: f64::INFINITY, ..Default::default() },
        Config { slot_bits: u32::MAX, ..Default::default() },
        Config { kind: Kind::Cuckoo, buckets: u64::MAX, ..Default::default() },
        Config { kind: Kind::Elastic, bucket_slots: u32::MAX, ..Default::default() },
    ] {
        let failed = config.build().err();
        assert!(matches!(failed, Some(Error::Invalid | Error::Limit | Error::NoMemory)), "{:?}: {:?}", config, failed);
    }
    for shards in [3, 512, u32::MAX] {
        assert_eq!(SharedFilter::new(&Config::default(), shards).err(), Some(Error::Invalid));
    }
    for (length, fpr) in [(0, 0.0), (1000, 2.0), (1000, f64::NAN)] {
        let config = WindowConfig { length, fpr, ..Default::default() };
        assert!(Window::new(&config).is_err(), "{:?}", config);
    }
    let mut f = Filter::new().unwrap();
    f.insert("ana").unwrap();
    for items in [1 << 44, u64::MAX] {
        assert!(matches!(f.reserve(items), Err(Error::Limit | Error::NoMemory)));
    }
    assert!(f.contains("ana") && f.len() == 1 && f.validate().is_ok());
}

#[test]
fn keys_of_any_size_are_keys() {
    let mut f = sharp().build().unwrap();
    let keys = [Vec::new(), vec![0], vec![0; 2], vec![7; 1 << 20]];
    for key in &keys {
        f.insert_unique(key).unwrap();
    }
    assert!(keys.iter().all(|key| f.contains(key)) && f.len() == 4);
    assert!(f.contains_hashes(&[]).is_empty());
    f.insert_hashes(&[]).unwrap();
    assert_eq!(f.remove_hashes(&[]), Ok(()));
}

/// A copy of a view is a filter of its own, and stays when the bytes are gone.
#[test]
fn a_copy_of_a_view_outlives_the_bytes() {
    let mut f = Filter::new().unwrap();
    for i in 0..5000 {
        f.insert(key(i)).unwrap();
    }
    let mut bytes = f.to_bytes().unwrap();
    let mut copy = View::new(&bytes).unwrap().try_clone().unwrap();
    bytes.fill(0xff);
    drop(bytes);
    copy.insert("new").unwrap();
    assert!((0..5000).all(|i| copy.contains(key(i))) && copy.validate().is_ok());
}

#[test]
fn files_and_views_have_the_members() {
    let (mut f, file) = (Filter::new().unwrap(), path("file"));
    for i in 0..5000 {
        f.insert(key(i)).unwrap();
    }
    f.save(&file).unwrap();
    let bytes = f.to_bytes().unwrap();
    assert_eq!(bytes, std::fs::read(&file).unwrap());
    let (loaded, read) = (Filter::load(&file).unwrap(), Filter::from_bytes(&bytes).unwrap());
    let (view, mapped) = (View::new(&bytes).unwrap(), unsafe { View::map(&file) }.unwrap());
    for g in [&f, &loaded, &read, &view, &mapped, &f.try_clone().unwrap()] {
        assert!((0..5000).all(|i| g.contains(key(i))));
        g.validate().unwrap();
    }
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn damaged_bytes_are_refused() {
    let (mut r, mut f) = (Random::new(), Filter::new().unwrap());
    for i in 0..300 {
        f.insert(key(i)).unwrap();
    }
    let bytes = f.to_bytes().unwrap();
    for i in 0..2000 {
        let (mut bad, at) = (bytes.clone(), r.below(bytes.len() as u64) as usize);
        if i % 2 == 0 {
            bad[at] ^= 1 + r.below(255) as u8;
        } else {
            bad.truncate(at);
        }
        assert!(Filter::from_bytes(&bad).is_err());
        if let Ok(view) = View::new(&bad) {
            view.contains("ana"); // may be wrong, but does no harm
            let _ = view.validate();
        }
    }
}

#[test]
fn bytes_may_lie_at_any_address() {
    let mut f = Filter::new().unwrap();
    for i in 0..300 {
        f.insert(key(i)).unwrap();
    }
    let bytes = f.to_bytes().unwrap();
    for shift in 0..72 {
        let mut room = vec![0; shift];
        room.extend_from_slice(&bytes);
        let view = View::new(&room[shift..]).unwrap();
        assert!((0..300).all(|i| view.contains(key(i))));
        assert_eq!(Filter::from_bytes(&room[shift..]).unwrap().len(), 300);
        assert!(View::new(&room[shift..room.len() - 1]).is_err());
    }
}

#[test]
fn union_leaves_out_what_is_there() {
    let mut a = sharp().build().unwrap();
    let mut b = Config { seed: a.seed(), ..sharp() }.build().unwrap();
    a.insert("ana").unwrap();
    b.insert("ana").unwrap();
    b.insert("bob").unwrap();
    a.union(&b).unwrap();
    assert_eq!(a.len(), 2);
    a.merge(&b).unwrap();
    assert_eq!(a.count("ana"), 2);
}

#[test]
fn threads_share_a_filter() {
    let (g, file) = (SharedFilter::new(&Config::default(), 0).unwrap(), path("shared"));
    thread::scope(|s| {
        for t in 0..4 {
            let g = &g;
            s.spawn(move || {
                for i in t * 5000..(t + 1) * 5000 {
                    g.insert(key(i)).unwrap();
                    assert!(g.contains(key(i)));
                }
            });
        }
    });
    g.save(&file).unwrap();
    assert_eq!(SharedFilter::load(&file).unwrap().len(), 20_000);
    assert_eq!(Filter::load(&file).err(), Some(Error::Format));
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn many_threads_read_a_filter() {
    let mut f = Filter::new().unwrap();
    f.insert("ana").unwrap();
    thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| assert!((0..1000).all(|_| f.contains("ana"))));
        }
    });
    thread::spawn(move || f.insert("bob").unwrap()).join().unwrap();
}

#[test]
fn windows_forget() {
    let (mut w, file) =
        (Window::new(&WindowConfig { length: 1000, ..Default::default() }).unwrap(), path("window"));
    assert!(!w.seen("ana", 10).unwrap());
    assert!(w.contains("ana", 1010).unwrap());
    assert_eq!(w.seen("ana", 9), Err(Error::Invalid));
    w.save(&file).unwrap();
    assert_eq!(Window::load(&file).unwrap().now(), 10);
    w.tick(3000).unwrap();
    assert_eq!(w.stats().items, 0);
    assert!(Window::new(&WindowConfig::default()).is_err());
    std::fs::remove_file(&file).unwrap();
}
