// guira for Node: the addon if it was compiled when the package was installed, else WebAssembly. GUIRA_BACKEND=wasm in the
// environment chooses WebAssembly.
import {existsSync, readFileSync} from 'node:fs';
import {open, readFile, rename, rm} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {Transform} from 'node:stream';

import {bind} from './core.mjs';
import {fileName, instantiateSync} from './guira.mjs';

const addon = new URL('./guira.node', import.meta.url);

function choose() {
  if (process.env.GUIRA_BACKEND !== 'wasm' && existsSync(addon))
    return bind({...createRequire(import.meta.url)('./guira.node'), name: 'native', mustFree: false});
  return instantiateSync(readFileSync(new URL(fileName({all: true}), import.meta.url)));
}

const guira = choose();
export const {Filter, Window, GuiraError, plan, version, backend} = guira;

/** Writes to a file beside the old one, which is then replaced: after a crash there is the old one or the new one. */
async function save(path) {
  const bytes = this.toBytes(), temporary = `${path}.guira-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (e) {
    await rm(temporary, {force: true});
    throw e;
  }
}
for (const Class of [Filter, Window]) {
  Class.prototype.save = save;
  Class.load = async (path) => Class.fromBytes(await readFile(path));
}

/** A stream that passes each line once, or once in `window` seconds. */
export function uniq({window, fpr = 1e-5, capacity, now = () => Math.floor(Date.now() / 1000)} = {}) {
  const seen = window === undefined ? new Filter({fpr, capacity}) : new Window({length: window, fpr, capacity});
  const isNew = window === undefined ? (line) => seen.addUnique(line) : (line) => !seen.seen(line, now());
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk, encoding, done) {
      try {
        const all = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
        let from = 0;
        for (let end; (end = all.indexOf(10, from)) >= 0; from = end + 1)
          if (isNew(all.subarray(from, end))) this.push(all.subarray(from, end + 1));
        rest = all.subarray(from);
        done();
      } catch (e) {
        done(e);
      }
    },
    flush(done) {
      try {
        if (rest.length > 0 && isNew(rest)) this.push(rest);
        done();
      } catch (e) {
        done(e);
      }
    },
    final(done) {
      done();
    },
    destroy(error, done) {
      seen.free();
      done(error);
    },
  });
}
