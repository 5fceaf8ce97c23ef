// Single operations and batches of guira and its peers, in one process; prints a Markdown table.
//
// Keys are distinct strings of 16 characters. Half of the lookups are of members. Every figure is the least of ROUNDS
// rounds, in which all take turns, in processor time, per key. Peers are made for the number of keys, bloom-filters' for a rate
// of 1 %, cuckoo-filter's with 2 bytes per fingerprint; guira's filter has its defaults (16-bit slots: 0.05 % to 1 %), and grows
// unless its row says that it has a capacity. The slow ones get SLOW keys: their time per key does not depend on it much.
// Rows of guira with as many keys stand beside them, and their ratios: these take turns PAIRS times, and a ratio is of figures of
// the same turn, because another program makes a turn twice as long. Figures are means there, of TIMES filters of guira, of which one
// takes a millisecond, and of half as many of cuckoo-filter, which takes up to twice as long for one as for the next. Each starts
// with an empty heap and compiled code: garbage is collected before it, and a first filter is not timed. So nobody pays for what
// another leaves to the collector; what is collected while it runs is part of its time.
//
// Filters with a capacity are compared with peers that have one, and filters that grow with peers that grow. cuckoo-filter's growing one
// has its defaults, with room for 60,000 keys, so that it need not grow here: started with 64 buckets, it takes four times as long.
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

// One function for each method of each peer, made from text: the engine compiles each for its own class. A number makes each text
// another one, because functions of the same text share what the engine has learned about the objects.
let texts = 0;
const loop = (method) => new Function('f', 'keys', `/* ${texts++} */ let n = 0; for (let i = 0; i < keys.length; i++) if (f.${method}(keys[i])) n++; return n;`);
const all3 = ['has', 'add', 'delete'];
const plain = (make) => ({make, loops: all3.map(loop), count: n});
const slow = (make, names = all3, count = SLOW) => ({make, loops: names.map(loop), count});
const PEERS = {
  Set: plain(() => new Set()),
  'guira, addon': plain(() => new native.Filter()),
  'guira, WebAssembly': plain(() => new wasm.Filter()),
  'guira, addon, with a capacity': slow((c) => new native.Filter({capacity: c})),
  'bloom-filters, BloomFilter': slow((c) => bloom.BloomFilter.create(c, 0.01), ['has', 'add']),
  'bloom-filters, CuckooFilter': slow((c) => bloom.CuckooFilter.create(c, 0.01), ['has', 'add', 'remove']),
  'cuckoo-filter': slow((c) => new cuckoo.CuckooFilter(Math.ceil(c / 3), 4, 2), ['contains', 'add', 'remove']),
  'guira, addon, grows': slow(() => new native.Filter()),
  'bloom-filters, ScalableBloomFilter': slow(() => new bloom.ScalableBloomFilter(), ['has', 'add'], SLOW / 20),
  'cuckoo-filter, ScalableCuckooFilter': slow(() => new cuckoo.ScalableCuckooFilter(), ['contains', 'add', 'remove']),
};
const FIXED = ['bloom-filters, BloomFilter', 'bloom-filters, CuckooFilter', 'cuckoo-filter'];
const RATIOS = [
  ['with a capacity, beside peers with one', 'guira, addon, with a capacity', FIXED],
  ['grows, beside a peer that grows', 'guira, addon, grows', ['cuckoo-filter, ScalableCuckooFilter']],
  ['grows, beside peers with a capacity', 'guira, addon, grows', FIXED],
];

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

/** The mean of as many filters as take half a second at most. */
function mean(name) {
  const times = name.startsWith('guira') ? TIMES : name.startsWith('cuckoo-filter') ? TIMES / 2 : 1;
  global.gc?.();
  once(PEERS[name]);
  const figures = Array.from({length: times}, () => once(PEERS[name]));
  return [0, 1, 2].map((i) => figures.reduce((sum, figure) => sum + (figure[i] ?? Infinity), 0) / times);
}

/** For each row of RATIOS guira's figures, the medians, and the quotients of the fastest peer's and them: median, and what nine of ten turns
 * exceed. */
function ratios() {
  const all = [...new Set(RATIOS.flatMap(([, ours, peers]) => [ours, ...peers]))];
  const turns = Array.from({length: PAIRS}, () => new Map(all.map((name) => [name, mean(name)])));
  const at = (list, share) => list.sort((a, b) => a - b)[Math.floor(list.length * share)];
  for (const [title, ours, peers] of RATIOS) {
    const cells = [0, 1, 2].map((i) => {
      const quotients = turns.map((figures) => Math.min(...peers.map((name) => figures.get(name)[i])) / figures.get(ours)[i]);
      const ns = at(turns.map((figures) => figures.get(ours)[i]), 0.5);
      return `${ns.toFixed(0)} ns: ${at(quotients, 0.5).toFixed(0)}, ${at(quotients, 0.1).toFixed(0)}`;
    });
    console.log(`| ${title} | ${cells.join(' | ')} |`);
  }
}

/** All peers in turn, ROUNDS times; the least of each figure. */
function singles() {
  const best = new Map();
  for (let round = 0; round < ROUNDS; round++) {
    global.gc?.(); // not more often: it throws compiled code away
    for (const [name, peer] of Object.entries(PEERS)) {
      const small = name.startsWith('guira') && peer.count === SLOW; // so that its code is compiled as that of the others is
      for (let i = 0; i < (small ? TIMES : 1); i++) {
        const figures = once(peer), before = best.get(name) ?? figures;
        best.set(name, figures.map((x, i) => (x === undefined ? x : Math.min(x, before[i]))));
      }
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
ratios();
console.log(`\nBatches of ${n}, ns of processor time per key:\n\n| | hasMany, strings | addMany, strings | hasMany, hashes |\n|---|---|---|---|`);
batch('guira, addon', native);
batch('guira, WebAssembly', wasm);
