// guira in WebAssembly, for browsers, Node, Deno and workers.
//
//     import {load} from './guira.mjs';
//     const {Filter} = await load();
//     const f = new Filter();
//     f.add('ana').has('ana');        // true
//
// load() takes guira-simd.wasm where the engine has vectors and guira.wasm elsewhere, both from beside this file. They are
// without the papers' kinds ('dynamic', 'elastic', 'consistent'), which load({all: true}) has: guira-all-simd.wasm and
// guira-all.wasm. instantiate(bytes) takes the bytes from anywhere.

import {bind} from './core.mjs';

// A module of one function that uses a vector: (func (drop (v128.const ...))) is what engines without SIMD refuse.
const WITH_VECTORS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15,
  26, 11]);

export const hasSimd = () => WebAssembly.validate(WITH_VECTORS);

/** The name of the file for this engine. */
export const fileName = ({simd = hasSimd(), all = false} = {}) => `guira${all ? '-all' : ''}${simd ? '-simd' : ''}.wasm`;

export async function load(options) {
  const url = new URL(fileName(options), import.meta.url);
  if (url.protocol !== 'file:') return instantiate(await (await fetch(url)).arrayBuffer());
  const {readFile} = await import('node:fs/promises');
  return instantiate(await readFile(url));
}

export async function instantiate(bytes) {
  return bind(backendOf(await WebAssembly.compile(bytes)));
}

/** The same without waiting. Browsers allow it for large modules in workers only. */
export function instantiateSync(bytes) {
  return bind(backendOf(new WebAssembly.Module(bytes)));
}

const encoder = new TextEncoder(), decoder = new TextDecoder();

function backendOf(module) {
  let u8;
  const x = new WebAssembly.Instance(module, {
    math: Math,
    wasi_snapshot_preview1: {
      random_get(at, n) {
        crypto.getRandomValues(new Uint8Array(x.memory.buffer, at, n));
        return 0;
      },
      clock_time_get(id, precision, at) {
        new DataView(x.memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
    },
  }).exports;
  const KEY = x.key_buffer(), KEY_BYTES = x.key_buffer_bytes();

  // The memory as bytes. It gets a new buffer whenever it grows, and the old one has no bytes then.
  const memory = () => {
    if (u8 === undefined || u8.length === 0) u8 = new Uint8Array(x.memory.buffer);
    return u8;
  };
  const reserve = (n) => {
    const at = x.allocate(n);
    if (at === 0) throw new RangeError('guira: out of memory');
    return at >>> 0;
  };
  /** Calls use(at) with n bytes of memory, which are freed afterwards. */
  const within = (n, use) => {
    const at = reserve(n);
    try {
      return use(at);
    } finally {
      x.release(at);
    }
  };
  /** Writes n bytes, and no more: the class of an array may have a `length` of its own. */
  const put = (at, bytes, n) => memory().subarray(at, at + n).set(bytes);
  const text = (at) => {
    const bytes = memory();
    return decoder.decode(bytes.subarray(at, bytes.indexOf(0, at)));
  };

  /** Writes a short ASCII string to the buffer for keys. Returns its length; -1: it is something else. */
  const putShort = (key) => {
    const bytes = memory(), n = key.length;
    if (n > 48) return -1;
    for (let i = 0; i < n; i++) {
      const c = key.charCodeAt(i);
      if (c > 127) return -1;
      bytes[KEY + i] = c;
    }
    return n;
  };
  /** call(at, n) with the bytes of a key in memory. */
  const withKey = (key, call) => {
    let bytes = key;
    if (typeof key === 'string') {
      if (key.length * 3 <= KEY_BYTES) return call(KEY, encoder.encodeInto(key, memory().subarray(KEY, KEY + KEY_BYTES)).written);
      bytes = encoder.encode(key);
    }
    if (!(bytes instanceof Uint8Array)) throw new TypeError('a key must be a string or a Uint8Array');
    if (bytes.length <= KEY_BYTES) {
      put(KEY, bytes, KEY_BYTES);
      return call(KEY, bytes.length);
    }
    return within(bytes.length, (at) => {
      put(at, bytes, bytes.length);
      return call(at, bytes.length);
    });
  };
  /** A function of a handle, a key, and perhaps one number. */
  const byKey = (call) => (handle, key, more) => {
    const n = typeof key === 'string' ? putShort(key) : -1;
    return n >= 0 ? call(handle, KEY, n, more) : withKey(key, (at, length) => call(handle, at, length, more));
  };

  const config = (get) => (handle, numbers, seed) => within(numbers.length * 8 + 16, (at) => {
    const status = get(handle, at, at + numbers.length * 8);
    numbers.set(new Float64Array(x.memory.buffer, at, numbers.length));
    seed.set(memory().subarray(at + numbers.length * 8, at + numbers.length * 8 + 16));
    return status;
  });
  const create = (make) => (numbers, seed) => within(numbers.length * 8 + 16, (at) => {
    new Float64Array(x.memory.buffer, at, numbers.length).set(numbers);
    put(at + numbers.length * 8, seed, 16);
    return make(at, at + numbers.length * 8) >>> 0 || null;
  });
  const loadBytes = (make) => (bytes) => within(bytes.length, (at) => {
    put(at, bytes, bytes.length);
    return make(at, bytes.length) >>> 0 || null;
  });
  const save = (sizeOf, write) => (handle) => {
    const n = sizeOf(handle);
    return within(n, (at) => {
      const status = write(handle, at);
      return status === 0 ? memory().slice(at, at + n) : status;
    });
  };
  const stats = (get) => (handle, numbers) => within(numbers.length * 8, (at) => {
    const status = get(handle, at);
    numbers.set(new Float64Array(x.memory.buffer, at, numbers.length));
    return status;
  });
  const validate = (get) => (handle) => {
    const at = get(handle);
    return at === 0 ? null : text(at);
  };
  const hashes = (hash) => {
    const one = byKey(hash);
    return (handle, keys) => {
      const out = new BigUint64Array(keys.length);
      for (let i = 0; i < keys.length; i++) out[i] = BigInt.asUintN(64, one(handle, keys[i]));
      return out;
    };
  };
  /** Calls use(at) with hashes in memory, and n * extra more bytes after them. */
  const withHashes = (list, extra, use) => within(list.length * (8 + extra), (at) => {
    put(at, new Uint8Array(list.buffer, list.byteOffset, list.byteLength), list.length * 8);
    return use(at, at + list.length * 8);
  });
  const hash = byKey(x.filter_hash), windowHash = byKey(x.window_hash);
  let refusal = 0;

  return {
    name: 'wasm',
    mustFree: true,
    version: () => text(x.version()),
    statusText: (status) => text(x.status_text(status)),
    lastStatus: () => x.last_status(),
    plan: (items, fpr, growth, numbers) => within(numbers.length * 8, (at) => {
      const status = x.plan(items, fpr, growth, at);
      numbers.set(new Float64Array(x.memory.buffer, at, numbers.length));
      return status;
    }),
    filter: {
      create: create(x.filter_create),
      load: loadBytes(x.filter_load),
      clone: (handle) => x.filter_clone(handle) >>> 0 || null,
      free: x.filter_destroy,
      insert: byKey(x.filter_insert),
      insertUnique: byKey(x.filter_insert_unique),
      contains: byKey(x.filter_contains),
      remove: byKey(x.filter_remove),
      count: byKey(x.filter_count),
      hash: (handle, key) => BigInt.asUintN(64, hash(handle, key)),
      hashes: hashes(x.filter_hash),
      insertHash: (handle, h) => x.filter_insert_hash(handle, h),
      insertUniqueHash: (handle, h) => x.filter_insert_unique_hash(handle, h),
      containsHash: (handle, h) => x.filter_contains_hash(handle, h),
      removeHash: (handle, h) => x.filter_remove_hash(handle, h),
      countHash: (handle, h) => x.filter_count_hash(handle, h),
      insertMany: (handle, list) => withHashes(list, 4, (at, statuses) => {
        const n = x.filter_insert_many(handle, at, list.length, statuses);
        if (n < list.length) refusal = new Int32Array(x.memory.buffer, statuses, list.length).find((s) => s !== 0);
        return n;
      }),
      lastRefusal: () => refusal,
      containsMany: (handle, list) => withHashes(list, 1, (at, out) => {
        x.filter_contains_many(handle, at, list.length, out);
        return memory().slice(out, out + list.length);
      }),
      removeMany: (handle, list) => withHashes(list, 0, (at) => x.filter_remove_many(handle, at, list.length, 0)),
      reserve: (handle, items) => x.filter_reserve(handle, items),
      shrinkToFit: x.filter_shrink_to_fit,
      clear: x.filter_clear,
      merge: x.filter_merge,
      union: x.filter_union,
      stats: stats(x.filter_stats),
      config: config(x.filter_config),
      validate: validate(x.filter_validate),
      save: save(x.filter_saved_size, x.filter_save),
    },
    window: {
      create: create(x.window_create),
      load: loadBytes(x.window_load),
      clone: (handle) => x.window_clone(handle) >>> 0 || null,
      free: x.window_destroy,
      seen: byKey(x.window_seen),
      contains: byKey(x.window_contains),
      hash: (handle, key) => BigInt.asUintN(64, windowHash(handle, key)),
      hashes: hashes(x.window_hash),
      seenMany: (handle, list, now, seen) => withHashes(list, 1, (at, out) => {
        const status = x.window_seen_many(handle, at, list.length, now, out);
        seen.set(memory().subarray(out, out + list.length));
        return status;
      }),
      tick: x.window_tick,
      now: x.window_now,
      clear: x.window_clear,
      stats: stats(x.window_stats),
      config: config(x.window_config),
      validate: validate(x.window_validate),
      save: save(x.window_saved_size, x.window_save),
    },
  };
}
