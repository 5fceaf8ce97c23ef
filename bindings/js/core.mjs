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

function hashesOf(keys) {
  if (!(keys instanceof BigUint64Array)) throw new TypeError('expected an array of keys or a BigUint64Array of hashes');
  return keys;
}

/** The classes and functions of one backend. */
export function bind(backend) {
  const fail = (status) => {
    throw new GuiraError(CODES[-status] ?? 'EUNKNOWN', backend.statusText(status));
  };
  const check = (status) => {
    if (status < 0) fail(status);
    return status;
  };
  const made = (handle) => {
    if (handle === null && CODES[-backend.lastStatus()] === 'EUNSUPPORTED')
      throw new GuiraError('EUNSUPPORTED', 'the kinds of the papers are not in guira.wasm: use load({all: true})');
    return handle ?? fail(backend.lastStatus());
  };
  const handles = new FinalizationRegistry(({free, handle}) => free(handle));

  /** What filters and windows have in common. `of` are the backend's functions for one of them. */
  class Handle {
    #of;
    #handle;
    constructor(of, handle) {
      this.#of = of;
      this.#handle = handle;
      if (backend.mustFree) handles.register(this, {free: of.free, handle}, this);
    }
    get _handle() {
      if (this.#handle === null) throw new GuiraError('EINVAL', 'this object has been freed');
      return this.#handle;
    }
    /** Frees the memory at once, instead of some time after the last use. */
    free() {
      if (this.#handle === null) return;
      if (backend.mustFree) handles.unregister(this);
      this.#of.free(this.#handle);
      this.#handle = null;
    }
    get size() {
      return this.stats().items;
    }
    stats() {
      const numbers = new Float64Array(STATS.length);
      check(this.#of.stats(this._handle, numbers));
      return named(numbers, STATS);
    }
    /** The bytes of the file format: the same on every machine and in every language. */
    toBytes() {
      const bytes = this.#of.save(this._handle);
      return typeof bytes === 'number' ? fail(bytes) : bytes;
    }
    clear() {
      check(this.#of.clear(this._handle));
    }
    clone() {
      return new this.constructor(made(this.#of.clone(this._handle)), INTERNAL);
    }
    /** Reads everything and checks every invariant; throws if one is broken. */
    validate() {
      const reason = this.#of.validate(this._handle);
      if (reason !== null) throw new GuiraError('ECORRUPT', reason);
    }
  }
  if (Symbol.dispose) Handle.prototype[Symbol.dispose] = Handle.prototype.free;

  const INTERNAL = Symbol('internal');
  const f = backend.filter, w = backend.window;

  class Filter extends Handle {
    constructor(config = {}, internal) {
      if (internal === INTERNAL) super(f, config);
      else super(f, made(f.create(numbersOf(config, CONFIG, 'Filter'), seedOf(config, 'Filter'))));
    }
    static fromBytes(bytes) {
      return new this(made(f.load(bytesOf(bytes, 'fromBytes'))), INTERNAL);
    }
    get config() {
      const numbers = new Float64Array(CONFIG.length), seed = new Uint8Array(16);
      check(f.config(this._handle, numbers, seed));
      return configOf(numbers, seed);
    }

    add(key) {
      const status = f.insert(this._handle, key);
      if (status !== 0) fail(status);
      return this;
    }
    /** Adds the key unless it may be there already. False: it may. */
    addUnique(key) {
      const status = f.insertUnique(this._handle, key);
      return status === EEXIST ? false : check(status) === 0;
    }
    has(key) {
      return f.contains(this._handle, key) !== 0;
    }
    /** Removes one copy of a key that was added. False: it is not there. */
    delete(key) {
      const status = f.remove(this._handle, key);
      return status === ENOTFOUND ? false : check(status) === 0;
    }
    count(key) {
      return f.count(this._handle, key);
    }

    hash(key) {
      return f.hash(this._handle, key);
    }
    addHash(hash) {
      check(f.insertHash(this._handle, hash));
      return this;
    }
    addUniqueHash(hash) {
      const status = f.insertUniqueHash(this._handle, hash);
      return status === EEXIST ? false : check(status) === 0;
    }
    hasHash(hash) {
      return f.containsHash(this._handle, hash) !== 0;
    }
    deleteHash(hash) {
      const status = f.removeHash(this._handle, hash);
      return status === ENOTFOUND ? false : check(status) === 0;
    }
    countHash(hash) {
      return f.countHash(this._handle, hash);
    }

    #hashes(keys) {
      return Array.isArray(keys) ? f.hashes(this._handle, keys) : hashesOf(keys);
    }
    /** Adds all of them, copies included. Throws if some were refused; the others are in the filter then. */
    addMany(keys) {
      const hashes = this.#hashes(keys);
      const n = f.insertMany(this._handle, hashes);
      if (n < hashes.length) fail(f.lastRefusal());
      return n;
    }
    /** A Uint8Array with 1 for each key that the filter has and 0 for the others. */
    hasMany(keys) {
      return f.containsMany(this._handle, this.#hashes(keys));
    }
    /** Removes one copy of each. Returns how many were there. */
    deleteMany(keys) {
      return f.removeMany(this._handle, this.#hashes(keys));
    }

    reserve(items) {
      check(f.reserve(this._handle, items));
    }
    shrinkToFit() {
      check(f.shrinkToFit(this._handle));
    }
    /** Adds every member of another filter with the same seed and slots, without the keys. */
    merge(other) {
      check(f.merge(this._handle, Filter.#of(other)));
      return this;
    }
    /** The same without what is there already. */
    union(other) {
      check(f.union(this._handle, Filter.#of(other)));
      return this;
    }
    static #of(other) {
      if (!(other instanceof Filter)) throw new TypeError('expected a Filter');
      return other._handle;
    }
  }

  class Window extends Handle {
    constructor(config, internal) {
      if (internal === INTERNAL) super(w, config);
      else super(w, made(w.create(numbersOf(config ?? {}, WINDOW, 'Window'), seedOf(config ?? {}, 'Window'))));
    }
    static fromBytes(bytes) {
      return new this(made(w.load(bytesOf(bytes, 'fromBytes'))), INTERNAL);
    }
    get config() {
      const numbers = new Float64Array(WINDOW.length), seed = new Uint8Array(16);
      check(w.config(this._handle, numbers, seed));
      return {...named(numbers, WINDOW), slides: numbers[2] !== 0, seed};
    }
    /** Whether the key was seen within the length of the window; it is recorded as seen. */
    seen(key, now) {
      return check(w.seen(this._handle, key, now)) === 1;
    }
    /** The same without recording. */
    has(key, now) {
      return check(w.contains(this._handle, key, now)) === 1;
    }
    hash(key) {
      return w.hash(this._handle, key);
    }
    /** A Uint8Array with 1 for each key that was seen; all are recorded. */
    seenMany(keys, now) {
      const hashes = Array.isArray(keys) ? w.hashes(this._handle, keys) : hashesOf(keys);
      const seen = new Uint8Array(hashes.length);
      check(w.seenMany(this._handle, hashes, now, seen));
      return seen;
    }
    tick(now) {
      check(w.tick(this._handle, now));
    }
    get now() {
      return w.now(this._handle);
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
