// Single operations and batches of guira and its peers, in one process; prints a Markdown table.
//
// Keys are distinct strings of 16 characters. Half of the lookups are of members. Every figure is the least of ROUNDS
// rounds, in which all take turns, in processor time, per key. Peers are made for the number of keys, bloom-filters' for a rate
// of 1 %, cuckoo-filter's with 2 bytes per fingerprint; guira's filter has its defaults (16-bit slots: 0.05 % to 1 %), and grows
// unless its row says that it has a capacity. The slow ones get SLOW keys: their time per key does not depend on it much.
// Rows of guira with as many keys stand beside them, and their ratios: these take turns PAIRS times, and a ratio is of figures of
// the same turn, because a garbage collection or another program makes a turn of 20,000 keys twice as long. guira's figures are
// the mean of TIMES filters there: one takes a millisecond. What a peer leaves to the garbage collector is part of its time.
//
// usage: node --expose-gc node_peers.mjs [KEYS]       (default: 1000000)
import {createRequire} from 'node:module';
import {cpus} from 'node:os';

import * as native from 'guira';
import {load} from './node_modules/guira/guira.mjs';

const require = createRequire(import.meta.url);
const bloom = require('bloom-filters'), cuckoo = require('cuckoo-filter');
const n = Number(process.argv[2] ?? 1e6), SLOW = Math.min(n, 2e4), ROUNDS = 5, PAIRS = 25, TIMES = 10;
const wasm = await load({all: true});

function nanoseconds(passes, count, call) {
  let best = Infinity;
  for (let i = 0; i < passes; i++) {
    const start = process.cpuUsage();
    call();
    const {user, system} = process.cpuUsage(start);
    best = Math.min(best, user + system);
  }
  return (best * 1000) / count;
}

/** Numbers of 32 bits from a fixed seed. */
let state = 1;
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (t ^ (t >>> 14)) >>> 0;
}
// Joined and cut again: strings that JavaScript has put together piece by piece are slow when they are read first.
const all = Array.from({length: 2 * n}, (_, i) => i.toString(16).padStart(8, '0') + random().toString(16).padStart(8, '0'));
const keys = all.map((key) => Buffer.from(key).toString('latin1'));

function shuffle(list) {
  for (let i = list.length - 1; i > 0; i--) {
    const j = random() % (i + 1);
    [list[i], list[j]] = [list[j], list[i]];
  }
  return list;
}

// One function for each method of each peer, made from text: the engine compiles each for its own class.
const loop = (method) => new Function('f', 'keys', 'let n = 0; for (const key of keys) if (f.METHOD(key)) n++; return n;'.replace('METHOD', method));
const all3 = ['has', 'add', 'delete'];
const plain = (make) => ({make, loops: all3.map(loop), count: n});
const slow = (make, names = all3) => ({make, loops: names.map(loop), count: SLOW});
const PEERS = {
  Set: plain(() => new Set()),
  'guira, addon': plain(() => new native.Filter()),
  'guira, WebAssembly': plain(() => new wasm.Filter()),
  'guira, addon, as many keys as the slow ones': slow(() => new native.Filter()),
  'guira, addon, the same with a capacity': slow((c) => new native.Filter({capacity: c})),
  'bloom-filters, BloomFilter': slow((c) => bloom.BloomFilter.create(c, 0.01), ['has', 'add']),
  'bloom-filters, CuckooFilter': slow((c) => bloom.CuckooFilter.create(c, 0.01), ['has', 'add', 'remove']),
  'cuckoo-filter': slow((c) => new cuckoo.CuckooFilter(Math.ceil(c / 3), 4, 2), ['contains', 'add', 'remove']),
};

const figure = (x) => x.toFixed(x < 100 ? 1 : 0);
/** Nanoseconds of a lookup, of adding and of removing (undefined: it cannot), and how many members were not found. */
function once({make, loops: [look, add, remove], count}) {
  const f = make(count), members = keys.slice(0, count);
  const probes = shuffle([...members.slice(0, count / 2), ...keys.slice(n, n + count / 2)]);
  const added = nanoseconds(1, count, () => add(f, members)), looked = nanoseconds(1, count, () => look(f, probes));
  const missing = count - look(f, members);
  const removed = remove && nanoseconds(1, count, () => remove(f, members));
  f.free?.();
  return [looked, added, removed, missing];
}

/** The quotients of the fastest peer and guira, for `names` of guira's rows: median, and what nine of ten turns exceed. */
function ratios(names) {
  const peers = Object.keys(PEERS).filter((name) => PEERS[name].count === SLOW && !name.startsWith('guira'));
  const quotients = new Map(names.map((name) => [name, [[], [], []]]));
  for (let turn = 0; turn < PAIRS; turn++) {
    const theirs = peers.map((name) => once(PEERS[name]));
    const fastest = [0, 1, 2].map((i) => Math.min(...theirs.map((figures) => figures[i] ?? Infinity)));
    for (const name of names) {
      const ours = Array.from({length: TIMES}, () => once(PEERS[name]));
      quotients.get(name).forEach((list, i) => list.push(fastest[i] / (ours.reduce((sum, figures) => sum + figures[i], 0) / TIMES)));
    }
  }
  const at = (list, share) => [...list].sort((a, b) => a - b)[Math.floor(list.length * share)].toFixed(0);
  for (const [name, lists] of quotients) console.log(`| ${name} | ${lists.map((list) => `${at(list, 0.5)}, ${at(list, 0.1)}`).join(' | ')} |`);
}

/** All peers in turn, ROUNDS times; the least of each figure. */
function singles() {
  const best = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    global.gc?.(); // not more often: it throws compiled code away
    for (const [name, peer] of Object.entries(PEERS)) {
      const figures = once(peer), before = best.get(name) ?? figures;
      best.set(name, figures.map((x, i) => (x === undefined ? x : Math.min(x, before[i]))));
    }
  }
  for (const [name, [looked, added, removed, missing]] of best)
    console.log(`| ${name} | ${PEERS[name].count} | ${figure(looked)} | ${figure(added)} | ${removed === undefined ? '-' : figure(removed)} | ${missing} |`);
}

function batch(name, {Filter}) {
  const f = new Filter(), members = keys.slice(0, n), probes = shuffle([...members.slice(0, n / 2), ...keys.slice(n, n + n / 2)]);
  const added = nanoseconds(1, n, () => f.addMany(members)), found = nanoseconds(3, n, () => f.hasMany(probes));
  const hashes = BigUint64Array.from(probes, (key) => f.hash(key)), byHash = nanoseconds(3, n, () => f.hasMany(hashes));
  console.log(`| ${name} | ${figure(found)} | ${figure(added)} | ${figure(byHash)} |`);
}

console.log(`guira ${native.version} (${native.backend}), Node ${process.version}, ${cpus()[0].model}`);
console.log('\nSingle operations, keys are strings, ns of processor time:\n\n| | keys | has | add | delete | members not found |\n|---|---|---|---|---|---|');
singles();
console.log(`\nTimes as fast as the fastest peer, ${SLOW} keys, ${PAIRS} turns: the median, and what nine of ten turns exceed:\n\n| | has | add | delete |\n|---|---|---|---|`);
ratios(Object.keys(PEERS).filter((name) => PEERS[name].count === SLOW && name.startsWith('guira')));
console.log(`\nBatches of ${n}, ns of processor time per key:\n\n| | hasMany, strings | addMany, strings | hasMany, hashes |\n|---|---|---|---|`);
batch('guira, addon', native);
batch('guira, WebAssembly', wasm);
