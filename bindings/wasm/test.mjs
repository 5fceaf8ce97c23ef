// Tests of the four .wasm files in Node.
// usage: node --test test.mjs      with GUIRA_WASM: the directory of the build; GUIRA_VECTORS: what vectors.c wrote
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {gzipSync} from 'node:zlib';

import {random, testCommon} from '../js/common.mjs';
import {testVectors} from '../js/vectors.mjs';

const directory = resolve(process.env.GUIRA_WASM ?? 'build/wasm');
const guira = await import(pathToFileURL(join(directory, 'guira.mjs')));

/** The exports alone, without what guira.mjs makes of them. */
function exportsOf(bytes) {
  const nothing = () => 0;
  const imports = {math: Math, wasi_snapshot_preview1: {random_get: nothing, clock_time_get: nothing}};
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports;
}

for (const [simd, all] of [[false, false], [true, false], [false, true], [true, true]]) {
  const name = guira.fileName({simd, all});
  describe(name, async () => {
    const bytes = readFileSync(join(directory, name));

    test('is under 100 KB, or as a web server sends it with the kinds of the papers', () => {
      assert.ok((all ? gzipSync(bytes, {level: 9}) : bytes).length < 100000);
    });

    test('imports a clock, random numbers and functions of Math, nothing else', () => {
      const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
      const others = imports.filter((i) => i.module !== 'math').map((i) => `${i.module}.${i.name}`);
      assert.deepEqual(others.sort(), ['wasi_snapshot_preview1.clock_time_get', 'wasi_snapshot_preview1.random_get']);
      for (const i of imports) if (i.module === 'math') assert.equal(typeof Math[i.name], 'function');
    });

    const seed = Number(process.env.GUIRA_SEED ?? Date.now() % 1e9);
    test(`blocks of memory do not overlap, and become one when all are freed (GUIRA_SEED=${seed})`, () => {
      const x = exportsOf(bytes), next = random(seed), blocks = [];
      const release = () => {
        const [{at, n, mark}] = blocks.splice(next(blocks.length), 1);
        assert.ok(new Uint8Array(x.memory.buffer, at, n).every((byte) => byte === mark));
        x.release(at);
      };
      for (let i = 0; i < 5000; i++) {
        const n = 1 + next(next(10) === 0 ? 100000 : 300), mark = next(256), at = x.allocate(n) >>> 0;
        assert.ok(at > 0 && at % 64 === 0);
        new Uint8Array(x.memory.buffer, at, n).fill(mark);
        blocks.push({at, n, mark});
        while (blocks.length > 0 && next(i < 4000 ? 20 : 3) < 8) release();
      }
      while (blocks.length > 0) release();
      const size = x.memory.buffer.byteLength, first = x.allocate(1);
      x.release(first);
      assert.equal(x.allocate(size - first - 256), first);
      assert.equal(x.memory.buffer.byteLength, size);
    });

    test('memory ends with a refusal', () => {
      const x = exportsOf(bytes);
      for (const n of [2 ** 31, 2 ** 32 - 1, 2 ** 32 - 17, 2 ** 32 - 80]) assert.equal(x.allocate(n), 0);
      assert.ok(x.allocate(100) > 0);
    });

    test('memory that was freed is used again', () => {
      const {Filter} = guira.instantiateSync(bytes);
      for (let i = 0; i < 300; i++) {
        const f = new Filter({capacity: 1e6});
        f.add('ana');
        f.toBytes();
        f.free();
      }
    });

    testCommon(test, guira.instantiateSync(bytes), all);
    testVectors(test, guira.instantiateSync(bytes), process.env.GUIRA_VECTORS, all);
  });
}

test('the engine has vectors if it takes the module that uses them', async () => {
  assert.equal(guira.hasSimd(), WebAssembly.validate(readFileSync(join(directory, 'guira-simd.wasm'))));
  assert.equal((await guira.load()).backend, 'wasm');
  assert.equal(new (await guira.load({all: true})).Filter({kind: 'elastic'}).add('ana').has('ana'), true);
});
