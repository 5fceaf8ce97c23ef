// Compiles with tsc --strict if index.d.ts has the right types; what must be refused is marked. It is never run.
import {Readable} from 'node:stream';
import {Filter, GuiraError, Window, backend, plan, uniq, version} from 'guira';
import type {Code, Config, Key, Keys, Stats} from 'guira';

const config: Config = {kind: 'tidal', capacity: 100, fpr: 0.001, seed: new Uint8Array(16)};
const key: Key = Buffer.from('ana'), keys: Keys = new BigUint64Array(2);
const f: Filter = new Filter(config).add('ana').add(key).merge(new Filter(config));
const answers: [boolean, boolean, number, bigint, Uint8Array] = [f.has(key), f.delete('ana'), f.count('ana'), f.hash(key), f.hasMany(keys)];
const all: Stats = f.stats(), again: Filter = new Filter(f.config), copy: Filter = f.clone();
const saved: Promise<void> = f.save('names.gf'), loaded: Promise<Filter> = Filter.load('names.gf');
const w: Window = new Window({length: 600}), seen: boolean = w.seen('ana', 1000), now: number = w.now;
const copied: Promise<void> = Window.fromBytes(w.toBytes()).clone().save('window.gf');
const names: string[] = plan(1e6, 0.01).rows.map((row) => row.name), texts: string[] = [version, backend];
Readable.from(['a\n']).pipe(uniq({window: 10})).pipe(process.stdout);
const codeOf = (e: unknown): Code | undefined => (e instanceof GuiraError ? e.code : undefined);

// @ts-expect-error: a key is no number
f.add(5);
// @ts-expect-error: a hash is a bigint
f.addHash(5);
// @ts-expect-error: there is no such kind
new Filter({kind: 'bloom'});
// @ts-expect-error: a window has a length
new Window({});
// @ts-expect-error: a window needs the time
w.seen('ana');

export {again, all, answers, codeOf, copied, copy, loaded, names, now, saved, seen, texts};
