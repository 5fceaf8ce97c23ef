// Repeats what ../wasm/vectors.c did in a native build. Used by the tests of both ways to JavaScript.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';

const seed = Uint8Array.from({length: 16}, (_, i) => i + 1);
export const CASES = {
  tidal16: {}, tidal12: {slotBits: 12}, tidal14: {slotBits: 14}, tidal20: {slotBits: 20}, tidal32: {slotBits: 32},
  kept: {fpr: 0.001}, cuckoo16: {kind: 'cuckoo', capacity: 9000}, cuckoo12: {kind: 'cuckoo', capacity: 9000, slotBits: 12},
  cuckoo4: {kind: 'cuckoo', capacity: 9000, fpr: 0.001}, dynamic: {kind: 'dynamic'}, elastic: {kind: 'elastic'},
  consistent: {kind: 'consistent'},
};

const MASK = (1n << 64n) - 1n;
function* splitmix(state) {
  for (;;) {
    state = (state + 0x9e3779b97f4a7c15n) & MASK;
    let z = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    yield z ^ (z >> 31n);
  }
}

/** Refusals are part of the vectors: the fixed and the papers' kinds refuse surplus copies. */
function attempt(change) {
  try {
    change();
  } catch (e) {
    assert.equal(e.name, 'GuiraError');
  }
}

function use(f) {
  for (let i = 0; i < 5000; i++) {
    attempt(() => f.add(String(i)));
    if (i % 3 === 0) attempt(() => f.add(String(i)));
  }
  for (let i = 0; i < 5000; i += 2) f.delete(String(i));
  const next = splitmix(42n);
  for (let i = 0; i < 1000; i++) attempt(() => f.addHash(next.next().value));
  for (let i = 0; i < 100; i++) attempt(() => f.add('many copies'));
}

export function testVectors(test, {Filter, Window}, directory, all = true) {
  const native = (name) => new Uint8Array(readFileSync(join(directory, name)));

  test('hashes are those of a native build', () => {
    const f = new Filter({seed}), key = Uint8Array.from({length: 300}, (_, i) => (i * 7) & 255);
    const expected = readFileSync(join(directory, 'hashes.txt'), 'utf8').trim().split('\n');
    expected.forEach((hash, n) => assert.equal(String(f.hash(key.subarray(0, n))), hash, `a key of ${n} bytes`));
  });

  const papers = ['dynamic', 'elastic', 'consistent'];
  for (const name of all ? [] : papers)
    test(`${name} is refused by a build without it`, () => {
      for (const make of [() => new Filter(CASES[name]), () => Filter.fromBytes(native(`${name}.gf`))])
        assert.throws(make, (e) => e.code === 'EUNSUPPORTED' && /all: true/.test(e.message));
    });

  for (const [name, config] of Object.entries(CASES).filter(([name]) => all || !papers.includes(name))) {
    test(`${name} saves the bytes of a native build`, () => {
      const f = new Filter({...config, seed});
      use(f);
      f.validate();
      assert.deepEqual(f.toBytes(), native(`${name}.gf`));
      const g = Filter.fromBytes(native(`${name}.gf`));
      for (let i = 1; i < 5000; i += 2) assert.ok(g.has(String(i)));
      f.free();
      g.free();
    });
  }

  test('a window saves the bytes of a native build', () => {
    const w = new Window({length: 600, fpr: 0.001, seed});
    for (let i = 0; i < 5000; i++) w.seen(String(i % 700), i);
    assert.deepEqual(w.toBytes(), native('window.gf'));
  });
}
