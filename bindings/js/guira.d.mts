/** Cuckoo filters that grow and shrink, and sliding windows. */

/** A key: a string, hashed as UTF-8, or bytes. */
export type Key = string | Uint8Array;
/** Many keys, or the hashes of many keys. */
export type Keys = readonly Key[] | BigUint64Array;
export type Kind = 'tidal' | 'cuckoo' | 'dynamic' | 'elastic' | 'consistent';
export type Policy = 'both' | 'buckets' | 'filters';

/** See guira_config in guira.h. What is left out has its default. */
export interface Config {
  kind?: Kind;
  capacity?: number;
  fpr?: number;
  slotBits?: number;
  maxLoad?: number;
  minLoad?: number;
  growth?: number;
  seed?: Uint8Array;
  maxKicks?: number;
  bucketSlots?: number;
  buckets?: number;
  maxFilters?: number;
  factor?: number;
  candidates?: number;
  virtualNodes?: number;
  ring?: number;
  policy?: Policy;
}

/** See guira_window_config in guira_window.h. */
export interface WindowConfig {
  length: number;
  fpr?: number;
  slides?: boolean;
  capacity?: number;
  growth?: number;
  seed?: Uint8Array;
}

export interface Stats {
  items: number;
  slots: number;
  buckets: number;
  bytes: number;
  stash: number;
  elders: number;
  kicks: number;
  failures: number;
  grows: number;
  shrinks: number;
  load: number;
  fpr: number;
  evictions: number;
  filters: number;
  fprKept: number;
}

export interface PlanRow {
  name: Kind | 'bloom';
  bits: number;
  buckets: number;
  bytes: number;
  fpr: number;
  bitsPerItem: number;
  meets: boolean;
  grows: boolean;
  removes: boolean;
  bucketSlots: number;
  available: boolean;
}

export type Code = 'ENOMEM' | 'EINVAL' | 'EFULL' | 'EDUPLICATE' | 'ENOTFOUND' | 'EEXIST' | 'EFORMAT' | 'ECORRUPT' | 'EIO'
  | 'ELIMIT' | 'EUNSUPPORTED' | 'ENOENT' | 'EACCES' | 'ENOSPC';

export class GuiraError extends Error {
  readonly code: Code;
}

export class Filter {
  constructor(config?: Config);
  static fromBytes(bytes: Uint8Array | ArrayBuffer): Filter;
  readonly config: Required<Config>;
  readonly size: number;
  add(key: Key): this;
  addUnique(key: Key): boolean;
  has(key: Key): boolean;
  delete(key: Key): boolean;
  count(key: Key): number;
  hash(key: Key): bigint;
  addHash(hash: bigint): this;
  addUniqueHash(hash: bigint): boolean;
  hasHash(hash: bigint): boolean;
  deleteHash(hash: bigint): boolean;
  countHash(hash: bigint): number;
  addMany(keys: Keys): number;
  hasMany(keys: Keys): Uint8Array;
  deleteMany(keys: Keys): number;
  reserve(items: number): void;
  shrinkToFit(): void;
  clear(): void;
  clone(): Filter;
  merge(other: Filter): this;
  union(other: Filter): this;
  stats(): Stats;
  validate(): void;
  toBytes(): Uint8Array;
  free(): void;
}

export class Window {
  constructor(config: WindowConfig);
  static fromBytes(bytes: Uint8Array | ArrayBuffer): Window;
  readonly config: Required<WindowConfig>;
  readonly size: number;
  readonly now: number;
  seen(key: Key, now: number): boolean;
  has(key: Key, now: number): boolean;
  hash(key: Key): bigint;
  seenMany(keys: Keys, now: number): Uint8Array;
  tick(now: number): void;
  clear(): void;
  clone(): Window;
  stats(): Stats;
  validate(): void;
  toBytes(): Uint8Array;
  free(): void;
}

export function plan(items: number, fpr: number, growth?: number): {rows: PlanRow[]; smallest: Kind | 'bloom'};

export interface Guira {
  Filter: typeof Filter;
  Window: typeof Window;
  plan: typeof plan;
  GuiraError: typeof GuiraError;
  version: string;
  backend: 'wasm' | 'native';
}

/** WebAssembly: see guira.mjs. all: with the papers' kinds, in a larger file. */
export function load(options?: {simd?: boolean; all?: boolean}): Promise<Guira>;
export function fileName(options?: {simd?: boolean; all?: boolean}): string;
export function instantiate(bytes: BufferSource): Promise<Guira>;
export function instantiateSync(bytes: BufferSource): Guira;
export function hasSimd(): boolean;
