import type {Transform} from 'node:stream';
import type {Config, Key, Keys, Stats, WindowConfig} from './guira.mjs';
import {Filter as BaseFilter, Window as BaseWindow} from './guira.mjs';

export type {Code, Config, Key, Keys, Kind, PlanRow, Policy, Stats, WindowConfig} from './guira.mjs';
export {GuiraError, plan} from './guira.mjs';

export class Filter extends BaseFilter {
  static fromBytes(bytes: Uint8Array | ArrayBuffer): Filter;
  static load(path: string): Promise<Filter>;
  clone(): Filter;
  save(path: string): Promise<void>;
}

export class Window extends BaseWindow {
  static fromBytes(bytes: Uint8Array | ArrayBuffer): Window;
  static load(path: string): Promise<Window>;
  clone(): Window;
  save(path: string): Promise<void>;
}

export const version: string;
export const backend: 'native' | 'wasm';

/** A stream that passes each line once, or once in `window` seconds. */
export function uniq(options?: {window?: number; fpr?: number; capacity?: number; now?: () => number}): Transform;
