// What holds for filters and windows in JavaScript, whatever the backend is.
import assert from 'node:assert/strict';

/** Numbers from a seed, so that a failure can be repeated with GUIRA_SEED. */
export function random(seed) {
  let a = seed >>> 0;
  return (n) => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

// A filter of n keys finds an absent one with n * 2^-15 by default, too often for tests that expect none; with 32 bits, n * 2^-31.
const sharp = {slotBits: 32};

const throwsCode = (call, code) => assert.throws(call, (e) => e.name === 'GuiraError' && e.code === code && e.message !== '');

/** all: whether the papers' kinds are there. */
export function testCommon(test, {Filter, Window, plan, version}, all = true) {
  const seed = Number(process.env.GUIRA_SEED ?? Date.now() % 1e9);

  test(`a filter agrees with a Map (GUIRA_SEED=${seed})`, () => {
    const next = random(seed), f = new Filter(), model = new Map();
    let members = 0;
    for (let i = 0; i < 30000; i++) {
      const key = `key ${next(4000)}`, n = model.get(key) ?? 0;
      if (next(5) < (i % 10000 < 5000 ? 4 : 1)) {
        f.add(key);
        model.set(key, n + 1);
        members++;
      } else if (n > 0) {
        assert.equal(f.delete(key), true);
        model.set(key, n - 1);
        members--;
      }
      if (n > 0) assert.ok(f.count(key) >= model.get(key));
    }
    assert.equal(f.size, members);
    for (const [key, n] of model) if (n > 0) assert.ok(f.has(key));
    f.validate();
  });

  test('keys are strings as UTF-8, or bytes', () => {
    const f = new Filter();
    for (const key of ['', 'ana', 'größe', '日本', '\ud800', 'x'.repeat(5000), 'ü'.repeat(5000)]) {
      f.add(key);
      assert.ok(f.has(new TextEncoder().encode(key)));
      assert.equal(f.hash(key), f.hash(new TextEncoder().encode(key)));
    }
    for (const key of [1, 1n, null, undefined, {}, [], new Uint16Array(2), Symbol('x')]) {
      assert.throws(() => f.add(key), TypeError);
      assert.throws(() => f.has(key), TypeError);
    }
    assert.equal(f.size, 7);
  });

  test(`strings of all lengths and all of Unicode are their UTF-8 (GUIRA_SEED=${seed})`, () => {
    const next = random(seed), f = new Filter(), encoder = new TextEncoder();
    const below = [0x80, 0x100, 0x800, 0x10000];
    for (let i = 0; i < 5000; i++) {
      const rare = 1 + next(20), n = next(i % 50 === 0 ? 600 : 40), units = [];
      while (units.length < n) units.push(next(rare) > 0 ? next(0x80) : next(4) > 0 ? next(below[next(4)]) : 0xd800 + next(0x800));
      const key = String.fromCharCode(...units), pairs = key + '\u{1f426}'.repeat(next(3)) + key.slice(0, next(9));
      for (const k of [key, pairs]) assert.equal(f.hash(k), f.hash(encoder.encode(k)), JSON.stringify(k));
    }
    for (let n = 240; n < 270; n++)
      for (const c of ['a', 'ü', '日', '\u{1f426}', '\udc00'])
        assert.equal(f.hash(c.repeat(n)), f.hash(encoder.encode(c.repeat(n))));
  });

  test('batches answer as single calls do', () => {
    const f = new Filter(), keys = Array.from({length: 1000}, (_, i) => `key ${i}`);
    assert.equal(f.addMany(keys.slice(0, 500)), 500);
    const hashes = BigUint64Array.from(keys, (key) => f.hash(key));
    assert.deepEqual(f.hasMany(keys), Uint8Array.from(keys, (key) => Number(f.has(key))));
    assert.deepEqual(f.hasMany(hashes), f.hasMany(keys));
    assert.deepEqual(f.hasMany([]), new Uint8Array(0));
    assert.equal(f.deleteMany(hashes.subarray(0, 500)), 500);
    assert.equal(f.size, 0);
    assert.throws(() => f.hasMany('abc'), TypeError);
    assert.throws(() => f.hasMany(new Float64Array(2)), TypeError);
    assert.throws(() => f.addMany(['a', 7]), TypeError);
  });

  test('an array of keys may run code: getters that throw or free, proxies', () => {
    const withGetter = (get) => Object.defineProperty(['ana', 'bob', 'eva'], 1, {get});
    for (const method of ['addMany', 'hasMany', 'deleteMany']) {
      const f = new Filter({capacity: 1e5});
      assert.throws(() => f[method](withGetter(() => assert.fail('mine'))), /mine/);
      throwsCode(() => f[method](withGetter(() => (f.free(), 'bob'))), 'EINVAL');
    }
    const w = new Window({length: 600});
    throwsCode(() => w.seenMany(withGetter(() => (w.free(), 'bob')), 1), 'EINVAL');
    const short = new Proxy(['ana'], {get: (list, name) => (name === 'length' ? 2 : list[name])});
    assert.throws(() => new Filter().hasMany(short), TypeError);
    assert.deepEqual(new Filter(sharp).add('ana').hasMany(new Proxy(['ana', 'bob'], {})), Uint8Array.of(1, 0));
    assert.throws(() => new Filter().hasMany([, 'ana']), TypeError);
  });

  test('arrays of hashes that lie, were sent away, or got smaller', () => {
    class Liar extends BigUint64Array {
      get length() { return Liar.says; }
    }
    for (Liar.says of [0, 1, 1e6, -1, 'x']) {
      const f = new Filter(), w = new Window({length: 5}), hashes = new Liar([1n, 2n, 3n]);
      assert.equal(f.addMany(hashes), 3);
      assert.deepEqual(f.hasMany(hashes), Uint8Array.of(1, 1, 1));
      assert.deepEqual(w.seenMany(hashes, 1), Uint8Array.of(0, 0, 0));
      assert.equal(f.deleteMany(hashes), 3);
    }
    const f = new Filter(), sent = new BigUint64Array(4);
    structuredClone(sent.buffer, {transfer: [sent.buffer]});
    for (const call of [() => f.addMany(sent), () => f.hasMany(sent), () => f.addMany(Object.create(BigUint64Array.prototype))])
      assert.throws(call, TypeError);
    if (ArrayBuffer.prototype.resize) {
      const buffer = new ArrayBuffer(64, {maxByteLength: 64}), cut = new BigUint64Array(buffer, 8, 4), all = new BigUint64Array(buffer);
      buffer.resize(16);
      assert.deepEqual([f.addMany(cut), f.addMany(all), f.size], [0, 2, 2]);
    }
    f.validate();
  });

  test('bytes that another thread changes while they are loaded', async () => {
    const {Worker} = await import('node:worker_threads');
    const made = [new Filter({fpr: 0.01}), new Window({length: 100})];
    for (let i = 0; i < 1000; i++) made[0].add(`key ${i}`), made[1].seen(`key ${i}`, i);
    for (const object of made) {
      const bytes = object.toBytes(), shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
      shared.set(bytes);
      const code = `const {bytes, shared} = require('node:worker_threads').workerData;
        for (let s = 1; ; s = (s * 1103515245 + 12345) & 0x7fffffff) {
          const i = s % 3 > 0 ? s % bytes.length : s % 200;
          shared[i] ^= 1 << (s >> 20 & 7);
          shared[i] = bytes[i];
        }`;
      const worker = new Worker(code, {eval: true, workerData: {bytes, shared}});
      await new Promise((resolved) => worker.once('online', resolved));
      for (const end = Date.now() + 300; Date.now() < end;) {
        try {
          const copy = object.constructor.fromBytes(shared);
          for (let i = 0; i < 100; i++) object === made[0] ? copy.add(`new ${i}`) : copy.seen(`new ${i}`, 2000);
          copy.validate();
          copy.free();
        } catch (e) {
          if (e.name !== 'GuiraError' || !['ECORRUPT', 'EFORMAT'].includes(e.code)) throw e;
        }
      }
      await worker.terminate();
    }
  });

  test('methods refuse objects of other classes', () => {
    const f = new Filter(), w = new Window({length: 600});
    for (const other of [w, {}, {_handle: 12345}, null, 5, Object.create(Filter.prototype)]) {
      assert.throws(() => f.add.call(other, 'ana'), TypeError);
      assert.throws(() => f.hasHash.call(other, 5n), TypeError);
      assert.throws(() => f.reserve.call(other, 1000), TypeError);
      assert.throws(() => f.merge(other), TypeError);
    }
    for (const other of [f, {}, null]) assert.throws(() => w.seen.call(other, 'ana', 5), TypeError);
    w.validate();
  });

  test('buffers whose bytes went to another thread, and lengths that lie', () => {
    const f = new Filter(), gone = new Uint8Array(8);
    structuredClone(gone.buffer, {transfer: [gone.buffer]});
    assert.throws(() => f.add(gone), TypeError);
    assert.throws(() => Filter.fromBytes(gone));
    class Short extends Uint8Array {
      get length() {
        return 3;
      }
    }
    const key = new Short(100000).fill(255);
    for (const call of [() => f.add(key), () => Filter.fromBytes(key)])
      try {
        call(); // it may be taken by its real length or refused, but not written where others have their bytes
      } catch (e) {
        assert.ok(e instanceof RangeError || e.code === 'EFORMAT', e);
      }
    for (let i = 0; i < 100; i++) f.add(String(i));
    f.validate();
  });

  test('numbers are numbers', () => {
    for (const wrong of ['7', null, undefined, {}, 7n]) {
      assert.throws(() => new Filter().reserve(wrong), TypeError);
      const w = new Window({length: 600});
      for (const call of [() => w.seen('ana', wrong), () => w.has('ana', wrong), () => w.seenMany(['ana'], wrong), () => w.tick(wrong)])
        assert.throws(call, TypeError);
    }
  });

  test('failures are exceptions with a code', () => {
    throwsCode(() => new Filter({kind: 'cuckoo'}), 'EINVAL');
    throwsCode(() => new Filter({fpr: 2}), 'EINVAL');
    throwsCode(() => new Filter({capacity: -1}), 'EINVAL');
    throwsCode(() => new Filter({capacity: 0.5}), 'EINVAL');
    throwsCode(() => new Filter({fpr: 1e-12}), 'ELIMIT');
    throwsCode(() => new Filter().merge(new Filter()), 'EINVAL');
    throwsCode(() => Filter.fromBytes(new Uint8Array(3)), 'EFORMAT');
    throwsCode(() => new Window({}), 'EINVAL');
    throwsCode(() => plan(0, 0.01), 'EINVAL');
    assert.throws(() => new Filter({capactiy: 1}), /unknown option 'capactiy'/);
    assert.throws(() => new Filter({kind: 'bloom'}), TypeError);
    for (const config of [5, 'ana', null, true]) assert.throws(() => new Filter(config), TypeError);
    assert.throws(() => new Filter({fpr: '0.01'}), TypeError);
    assert.throws(() => new Filter({seed: [1]}), TypeError);
    assert.throws(() => new Filter().merge({}), TypeError);
    assert.throws(() => Filter.fromBytes('abc'), TypeError);
    const full = new Filter({kind: 'cuckoo', capacity: 10});
    throwsCode(() => full.addMany(Array.from({length: 1000}, (_, i) => String(i))), 'EFULL');
    throwsCode(() => {
      for (let i = 0; i < 1000; i++) full.add(String(i));
    }, 'EFULL');
  });

  test('sizes that no memory holds are refused', () => {
    const codes = new Set(['ENOMEM', 'ELIMIT']);
    const huge = [{capacity: 2 ** 52}, {kind: 'cuckoo', capacity: 2 ** 40}, {kind: 'cuckoo', buckets: 2 ** 32},
      {kind: 'dynamic', capacity: 2 ** 45, maxFilters: 2 ** 32 - 1}, {kind: 'elastic', capacity: 2 ** 45},
      {kind: 'consistent', buckets: 2 ** 30, virtualNodes: 1024, ring: 2 ** 50},
      {kind: 'consistent', capacity: 2 ** 45}];
    for (const config of huge.filter(({kind}) => all || kind === undefined || kind === 'cuckoo'))
      assert.throws(() => new Filter(config), (e) => codes.has(e.code), JSON.stringify(config));
    assert.throws(() => new Filter().reserve(2 ** 50), (e) => codes.has(e.code));
  });

  test('a filter that was freed refuses', () => {
    const f = new Filter();
    f.free();
    f.free();
    throwsCode(() => f.has('ana'), 'EINVAL');
    throwsCode(() => new Filter().merge(f), 'EINVAL');
  });

  test('every byte of a file counts', () => {
    const f = new Filter();
    for (let i = 0; i < 50; i++) f.add(String(i));
    const bytes = f.toBytes();
    assert.equal(Filter.fromBytes(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)).size, 50);
    for (let i = 0; i < bytes.length; i++) {
      const broken = bytes.slice();
      broken[i] ^= 1;
      assert.throws(() => Filter.fromBytes(broken), (e) => e.code === 'ECORRUPT' || e.code === 'EFORMAT');
    }
    for (let n = 0; n < bytes.length; n += 7) assert.throws(() => Filter.fromBytes(bytes.subarray(0, n)));
  });

  test('merge, union, clone, reserve, clear', () => {
    const f = new Filter(sharp).add('ana'), g = new Filter(f.config).add('ana').add('bob');
    assert.equal(f.clone().merge(g).size, 3);
    assert.equal(f.clone().union(g).size, 2);
    f.reserve(1000);
    assert.ok(f.stats().slots >= 1000);
    f.shrinkToFit();
    f.clear();
    assert.equal(f.size, 0);
    assert.equal(g.has('ana'), true);
    assert.equal(g.addUnique('ana'), false);
    assert.equal(g.addUnique('carl'), true);
    assert.equal(g.delete('nobody at all'), false);
  });

  test('hashes', () => {
    const f = new Filter(), h = f.hash('ana');
    f.addHash(h);
    assert.ok(f.has('ana') && f.hasHash(h) && f.countHash(h) === 1);
    assert.equal(f.addUniqueHash(h), false);
    assert.equal(f.deleteHash(h), true);
    assert.equal(f.deleteHash(h), false);
    assert.throws(() => f.addHash(5), TypeError);
  });

  test('a window forgets', () => {
    const w = new Window({length: 600});
    assert.deepEqual([w.seen('ana', 1000), w.seen('ana', 1600), w.seen('ana', 1640)], [false, true, false]);
    throwsCode(() => w.seen('ana', 5), 'EINVAL');
    throwsCode(() => w.seen('ana', -1), 'EINVAL');
    assert.equal(w.now, 1640);
    assert.deepEqual(w.seenMany(['ana', 'bob'], 1641), Uint8Array.of(1, 0));
    const again = Window.fromBytes(w.toBytes());
    assert.equal(again.has('bob', 1642), true);
    again.tick(1e6);
    assert.equal(again.size, 0);
    throwsCode(() => Window.fromBytes(new Filter().toBytes()), 'EFORMAT');
    throwsCode(() => Filter.fromBytes(w.toBytes()), 'EFORMAT');
    w.clear();
    w.validate();
    assert.equal(w.clone().size, 0);
    assert.equal(w.config.length, 600);
  });

  test('the plan has a row for each kind and for Bloom', () => {
    const {rows, smallest} = plan(1e9, 0.01, 1);
    assert.deepEqual(rows.map((r) => r.name), ['tidal', 'cuckoo', 'dynamic', 'elastic', 'consistent', 'bloom']);
    assert.equal(smallest, 'bloom');
    assert.deepEqual(rows.map((r) => r.available), [true, true, all, all, all, false]);
    assert.ok(rows[0].bytes > 1e9 && (!all || rows[4].bytes > 2 ** 32));
    assert.match(version, /^\d+\.\d+\.\d+$/);
  });
}
