// Filters and windows for JavaScript, whatever does the work: WebAssembly (../wasm/guira.mjs) or an addon of Node
// (../node). Both are a "backend": an object of functions on handles. Structs cross as arrays of doubles in the orders
// below, which ../js/flat.h has as well.

const CONFIG = ['kind', 'capacity', 'fpr', 'slotBits', 'maxLoad', 'minLoad', 'growth', 'maxKicks', 'bucketSlots', 'buckets',
  'maxFilters', 'factor', 'candidates', 'virtualNodes', 'ring', 'policy'];
const WINDOW = ['length', 'fpr', 'slides', 'capacity', 'growth'];
const STATS = ['items', 'slots', 'buckets', 'bytes', 'stash', 'elders', 'kicks', 'failures', 'grows', 'shrinks', 'load', 'fpr',
  'evictions', 'filters', 'fprKept'];
const PLAN = ['bits', 'buckets', 'bytes', 'fpr', 'bitsPerItem', 'meets', 'grows', 'removes', 'bucketSlots', 'available'];
const KINDS = ['tidal', 'cuckoo', 'dynamic', 'elastic', 'consistent'];
const POLICIES = ['both', 'buckets', 'filters'];
const CODES = ['OK', 'ENOMEM', 'EINVAL', 'EFULL', 'EDUPLICATE', 'ENOTFOUND', 'EEXIST', 'EFORMAT', 'ECORRUPT', 'EIO', 'ELIMIT',
  'EUNSUPPORTED', 'ENOENT', 'EACCES', 'ENOSPC'];
const ENOTFOUND = -5, EEXIST = -6;

/** What every failure throws, except for arguments of a wrong type (TypeError). `code` is 'EFULL' and so on. */
export class GuiraError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'GuiraError';
    this.code = code;
  }
}

/** A number for each name; what the object does not have is 0, the default. Other names are refused: they are typing errors. */
function numbersOf(object, names, what) {
  if (typeof object !== 'object' || object === null) throw new TypeError(`${what}: expected an object of options`);
  const numbers = new Float64Array(names.length);
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined || name === 'seed') continue;
    const i = names.indexOf(name);
    if (i < 0) throw new TypeError(`${what}: unknown option '${name}'`);
    numbers[i] = numberOf(name, value, what);
  }
  return numbers;
}

function numberOf(name, value, what) {
  const words = name === 'kind' ? KINDS : name === 'policy' ? POLICIES : null;
  const number = words !== null ? words.indexOf(value) : name === 'slides' ? Number(Boolean(value)) : value;
  if (typeof number !== 'number' || Number.isNaN(number) || (words !== null && number < 0))
    throw new TypeError(`${what}: ${name} must be ${words !== null ? `one of ${words.join(', ')}` : 'a number'}`);
  return number;
}

function seedOf(object, what) {
  if (object.seed === undefined) return new Uint8Array(16);
  if (!(object.seed instanceof Uint8Array) || object.seed.length !== 16)
    throw new TypeError(`${what}: seed must be a Uint8Array of 16 bytes`);
  return object.seed;
}

const named = (numbers, names) => Object.fromEntries(names.map((name, i) => [name, numbers[i]]));

const configOf = (numbers, seed) => {
  const c = named(numbers, CONFIG);
  return {...c, kind: KINDS[c.kind], policy: POLICIES[c.policy], seed};
};

function bytesOf(bytes, what) {
  if (bytes instanceof Uint8Array) return bytes;
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes);
  throw new TypeError(`${what}: expected a Uint8Array or an ArrayBuffer`);
}

const real = (name) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(BigUint64Array.prototype), name).get;
const bufferOf = real('buffer'), offsetOf = real('byteOffset'), lengthOf = real('length');

/** An array of keys or of hashes. Keys are copied: an array may have getters, which could free the filter that hashes them. Of hashes
 * there is a new view: the class of an array may have a `length` of its own. A buffer that was sent to a worker is a TypeError. */
function listOf(keys) {
  if (Array.isArray(keys)) return [...keys];
  if (!(keys instanceof BigUint64Array)) throw new TypeError('expected an array of keys or a BigUint64Array of hashes');
  return new BigUint64Array(bufferOf.call(keys), offsetOf.call(keys), lengthOf.call(keys));
}

function timeOf(now) {
  if (typeof now !== 'number') throw new TypeError('now must be a number');
  return now;
}

const fail = (backend, status) => {
  throw new GuiraError(CODES[-status] ?? 'EUNKNOWN', backend.statusText(status));
};

const handles = new FinalizationRegistry(({free, handle}) => free(handle));

/** The handle of an object that was made with the backend's functions `of`. A method of a filter that is called on a window, or on
 * anything else, is a TypeError: WebAssembly would read whatever is there. */
let handleOf;

/** What filters and windows have in common. `of` are the backend's functions for one of them. The class stands outside of bind():
 * made by each call of it, its private names would differ, and the engine would look them up in a table once there are two
 * backends: 20 ns more for each operation. */
class Handle {
  #backend;
  #of;
  #handle;
  static {
    handleOf = (object, of = object.#of) => {
      if (object.#of !== of) throw new TypeError(`expected a ${of.what}`);
      if (object.#handle === null) throw new GuiraError('EINVAL', 'this object has been freed');
      return object.#handle;
    };
  }
  constructor(backend, of, handle) {
    this.#backend = backend;
    this.#of = of;
    this.#handle = handle;
    if (backend.mustFree) handles.register(this, {free: of.free, handle}, this);
  }
  #check(status) {
    if (status < 0) fail(this.#backend, status);
  }
  /** Frees the memory at once, instead of some time after the last use. */
  free() {
    if (this.#handle === null) return;
    if (this.#backend.mustFree) handles.unregister(this);
    this.#of.free(this.#handle);
    this.#handle = null;
  }
  get size() {
    return this.stats().items;
  }
  stats() {
    const numbers = new Float64Array(STATS.length);
    this.#check(this.#of.stats(handleOf(this), numbers));
    return named(numbers, STATS);
  }
  /** The bytes of the file format: the same on every machine and in every language. */
  toBytes() {
    const bytes = this.#of.save(handleOf(this));
    return typeof bytes === 'number' ? fail(this.#backend, bytes) : bytes;
  }
  clear() {
    this.#check(this.#of.clear(handleOf(this)));
  }
  clone() {
    return new this.constructor(made(this.#backend, this.#of.clone(handleOf(this))), INTERNAL);
  }
  /** Reads everything and checks every invariant; throws if one is broken. */
  validate() {
    const reason = this.#of.validate(handleOf(this));
    if (reason !== null) throw new GuiraError('ECORRUPT', reason);
  }
}
if (Symbol.dispose) Handle.prototype[Symbol.dispose] = Handle.prototype.free;

/** Says to a constructor that it gets a handle and not a configuration. */
const INTERNAL = Symbol('internal');

function made(backend, handle) {
  if (handle === null && CODES[-backend.lastStatus()] === 'EUNSUPPORTED')
    throw new GuiraError('EUNSUPPORTED', 'the kinds of the papers are not in guira.wasm: use load({all: true})');
  return handle ?? fail(backend, backend.lastStatus());
}

/** The classes and functions of one backend. Its insert, insertUnique, remove and contains may return undefined for 0. */
export function bind(backend) {
  const f = {...backend.filter, what: 'Filter'}, w = {...backend.window, what: 'Window'};
  const check = (status) => (status < 0 ? fail(backend, status) : status);

  class Filter extends Handle {
    constructor(config = {}, internal) {
      if (internal === INTERNAL) super(backend, f, config);
      else super(backend, f, made(backend, f.create(numbersOf(config, CONFIG, 'Filter'), seedOf(config, 'Filter'))));
    }
    static fromBytes(bytes) {
      return new this(made(backend, f.load(bytesOf(bytes, 'fromBytes'))), INTERNAL);
    }
    get config() {
      const numbers = new Float64Array(CONFIG.length), seed = new Uint8Array(16);
      check(f.config(handleOf(this, f), numbers, seed));
      return configOf(numbers, seed);
    }

    add(key) {
      const status = f.insert(handleOf(this, f), key);
      if (status) fail(backend, status);
      return this;
    }
    /** Adds the key unless it may be there already. False: it may. */
    addUnique(key) {
      const status = f.insertUnique(handleOf(this, f), key);
      return !status || (status !== EEXIST && check(status) === 0);
    }
    has(key) {
      return Boolean(f.contains(handleOf(this, f), key));
    }
    /** Removes one copy of a key that was added. False: it is not there. */
    delete(key) {
      const status = f.remove(handleOf(this, f), key);
      return !status || (status !== ENOTFOUND && check(status) === 0);
    }
    count(key) {
      return f.count(handleOf(this, f), key);
    }

    hash(key) {
      return f.hash(handleOf(this, f), key);
    }
    addHash(hash) {
      check(f.insertHash(handleOf(this, f), hash));
      return this;
    }
    addUniqueHash(hash) {
      const status = f.insertUniqueHash(handleOf(this, f), hash);
      return status === EEXIST ? false : check(status) === 0;
    }
    hasHash(hash) {
      return f.containsHash(handleOf(this, f), hash) !== 0;
    }
    deleteHash(hash) {
      const status = f.removeHash(handleOf(this, f), hash);
      return status === ENOTFOUND ? false : check(status) === 0;
    }
    countHash(hash) {
      return f.countHash(handleOf(this, f), hash);
    }

    #hashes(keys) {
      const list = listOf(keys);
      return Array.isArray(list) ? f.hashes(handleOf(this, f), list) : list;
    }
    /** Adds all of them, copies included. Throws if some were refused; the others are in the filter then. */
    addMany(keys) {
      const hashes = this.#hashes(keys);
      const n = f.insertMany(handleOf(this, f), hashes);
      if (n < hashes.length) fail(backend, f.lastRefusal());
      return n;
    }
    /** A Uint8Array with 1 for each key that the filter has and 0 for the others. */
    hasMany(keys) {
      const hashes = this.#hashes(keys);
      return f.containsMany(handleOf(this, f), hashes);
    }
    /** Removes one copy of each. Returns how many were there. */
    deleteMany(keys) {
      const hashes = this.#hashes(keys);
      return f.removeMany(handleOf(this, f), hashes);
    }

    reserve(items) {
      check(f.reserve(handleOf(this, f), numberOf('items', items, 'reserve')));
    }
    shrinkToFit() {
      check(f.shrinkToFit(handleOf(this, f)));
    }
    /** Adds every member of another filter with the same seed and slots, without the keys. */
    merge(other) {
      check(f.merge(handleOf(this, f), handleOf(other, f)));
      return this;
    }
    /** The same without what is there already. */
    union(other) {
      check(f.union(handleOf(this, f), handleOf(other, f)));
      return this;
    }
  }

  class Window extends Handle {
    constructor(config, internal) {
      if (internal === INTERNAL) super(backend, w, config);
      else super(backend, w, made(backend, w.create(numbersOf(config ?? {}, WINDOW, 'Window'), seedOf(config ?? {}, 'Window'))));
    }
    static fromBytes(bytes) {
      return new this(made(backend, w.load(bytesOf(bytes, 'fromBytes'))), INTERNAL);
    }
    get config() {
      const numbers = new Float64Array(WINDOW.length), seed = new Uint8Array(16);
      check(w.config(handleOf(this, w), numbers, seed));
      return {...named(numbers, WINDOW), slides: numbers[2] !== 0, seed};
    }
    /** Whether the key was seen within the length of the window; it is recorded as seen. */
    seen(key, now) {
      return check(w.seen(handleOf(this, w), key, timeOf(now))) === 1;
    }
    /** The same without recording. */
    has(key, now) {
      return check(w.contains(handleOf(this, w), key, timeOf(now))) === 1;
    }
    hash(key) {
      return w.hash(handleOf(this, w), key);
    }
    /** A Uint8Array with 1 for each key that was seen; all are recorded. */
    seenMany(keys, now) {
      const list = listOf(keys), hashes = Array.isArray(list) ? w.hashes(handleOf(this, w), list) : list;
      const seen = new Uint8Array(hashes.length);
      check(w.seenMany(handleOf(this, w), hashes, timeOf(now), seen));
      return seen;
    }
    tick(now) {
      check(w.tick(handleOf(this, w), timeOf(now)));
    }
    get now() {
      return w.now(handleOf(this, w));
    }
  }

  /** What it costs to hold so many items: a row for each kind and one for a Bloom filter. */
  function plan(items, fpr, growth = 0) {
    const names = [...KINDS, 'bloom'], n = PLAN.length;
    const numbers = new Float64Array(names.length * n + 1);
    check(backend.plan(Number(items), Number(fpr), Number(growth), numbers));
    const rows = names.map((name, i) => {
      const row = named(numbers.subarray(i * n, i * n + n), PLAN);
      for (const flag of ['meets', 'grows', 'removes', 'available']) row[flag] = row[flag] !== 0;
      return {name, ...row};
    });
    return {rows, smallest: rows[numbers[names.length * n]].name};
  }

  return {Filter, Window, plan, GuiraError, version: backend.version(), backend: backend.name};
}
