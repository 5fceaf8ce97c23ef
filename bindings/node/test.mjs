// Tests of the npm package, with its addon or with WebAssembly.
// usage: node --expose-gc --test test.mjs     with GUIRA_NODE: the package; GUIRA_VECTORS: what ../wasm/vectors.c wrote;
// GUIRA_EXPECTED: native or wasm
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {PassThrough, Readable, Writable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {Worker} from 'node:worker_threads';

import {testCommon} from '../js/common.mjs';
import {testVectors} from '../js/vectors.mjs';

const index = pathToFileURL(join(resolve(process.env.GUIRA_NODE ?? 'build/node'), 'index.mjs'));
const guira = await import(index);
const {Filter, Window, uniq} = guira;

test('the backend is the addon if it was compiled', () => {
  assert.equal(guira.backend, process.env.GUIRA_EXPECTED);
});

test('GUIRA_BACKEND=wasm chooses WebAssembly', () => {
  const code = `console.log((await import(${JSON.stringify(index.href)})).backend)`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], {env: {...process.env, GUIRA_BACKEND: 'wasm'}});
  assert.equal(String(out).trim(), 'wasm');
});

test('a filter of another backend is refused', async () => {
  const {load} = await import(new URL('./guira.mjs', index)), other = new (await load({all: true})).Filter().add('ana');
  const f = new Filter(other.config).add('bob');
  for (const call of [() => f.merge(other), () => other.merge(f), () => Filter.prototype.add.call(other, 'eva'),
    () => Object.getPrototypeOf(other).has.call(f, 'ana')]) assert.throws(call, {name: 'TypeError', message: 'expected a Filter'});
  assert.equal(f.merge(Filter.fromBytes(other.toBytes())).size, 2);
});

testCommon(test, guira);
testVectors(test, guira, process.env.GUIRA_VECTORS);

test('save and load', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'guira-')), path = join(directory, 'set.gf');
  try {
    await new Filter().add('ana').save(path);
    await new Filter().add('bob').save(path);
    assert.ok((await Filter.load(path)).has('bob'));
    await assert.rejects(Window.load(path), {code: 'EFORMAT'});
    await assert.rejects(Filter.load(join(directory, 'none')), {code: 'ENOENT'});
    await assert.rejects(new Filter().save(join(directory, 'none', 'set.gf')), {code: 'ENOENT'});
    assert.deepEqual(readdirSync(directory), ['set.gf']);
  } finally {
    rmSync(directory, {recursive: true});
  }
});

const lines = async (stream, chunks) => {
  const out = [];
  for await (const chunk of Readable.from(chunks.map((c) => Buffer.from(c))).pipe(stream)) out.push(chunk);
  return Buffer.concat(out).toString();
};

test('uniq passes each line once', async () => {
  assert.equal(await lines(uniq(), ['a\nb', 'b\na\n', '\n\nbb\nc', '\nd']), 'a\nbb\n\nc\nd');
});

test('uniq with a window passes a line again when it has expired', async () => {
  let time = 0;
  assert.equal(await lines(uniq({window: 10, now: () => (time += 6)}), ['a\na\na\na\n']), 'a\na\n');
});

test('streams around uniq that fail', async () => {
  const input = () => Readable.from(['a\n', 'b\n', 'c\n']), output = () => new PassThrough().resume();
  const fails = (message, ...streams) => assert.rejects(pipeline(...streams), {message});
  await fails('source', new Readable({read() { this.destroy(new Error('source')); }}), uniq(), output());
  await fails('sink', input(), uniq(), new Writable({write: (chunk, encoding, done) => done(new Error('sink'))}));
  await fails('clock', input(), uniq({window: 5, now: () => { throw new Error('clock'); }}), output());
  let time = 10;
  await assert.rejects(pipeline(input(), uniq({window: 5, now: () => time--}), output()), {code: 'EINVAL'});
});

test('workers that are stopped while they use filters', async () => {
  const code = `import(${JSON.stringify(index.href)}).then(({Filter, Window}) => {
    const f = new Filter();
    require('node:worker_threads').parentPort.postMessage('started');
    for (let i = 0; ; i++) if (f.add(String(i)).size % 1000 === 0) new Window({length: 5}).seen('ana', f.clone().toBytes().length);
  })`;
  const workers = Array.from({length: 3}, () => new Worker(code, {eval: true}));
  await Promise.all(workers.map((worker) => new Promise((resolved) => worker.once('message', resolved))));
  assert.deepEqual(await Promise.all(workers.map((worker) => worker.terminate())), [1, 1, 1]);
});

test('filters that nobody uses are freed', {skip: !global.gc || guira.backend !== 'native'}, async () => {
  const used = () => process.memoryUsage().rss;
  const round = async () => {
    for (let i = 0; i < 40; i++) new Filter({capacity: 1e6}).add('ana').clone().toBytes();
    global.gc();
    await new Promise((resolved) => setImmediate(resolved));
  };
  for (let i = 0; i < 3; i++) await round();
  const before = used();
  for (let i = 0; i < 10; i++) await round();
  // Each round makes 240 MB: 2.4 GB would be left behind.
  assert.ok(used() - before < 500e6, `${used() - before} bytes more than before`);
});
