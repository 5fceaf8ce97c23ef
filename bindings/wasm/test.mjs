// Tests of guira.wasm and guira-simd.wasm in Node.
// usage: node --test test.mjs      with GUIRA_WASM: the directory of the build; GUIRA_VECTORS: what vectors.c wrote
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {gzipSync} from 'node:zlib';

import {testCommon} from '../js/common.mjs';
import {testVectors} from '../js/vectors.mjs';

const directory = resolve(process.env.GUIRA_WASM ?? 'build/wasm');
const guira = await import(pathToFileURL(join(directory, 'guira.mjs')));

for (const simd of [false, true]) {
  const name = simd ? 'guira-simd.wasm' : 'guira.wasm';
  describe(name, async () => {
    const bytes = readFileSync(join(directory, name));

    test('is at most 100 KB as a web server sends it', () => {
      assert.ok(gzipSync(bytes, {level: 9}).length < 100 * 1024);
    });

    test('imports a clock and random numbers, nothing else', () => {
      const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).map((i) => `${i.module}.${i.name}`);
      assert.deepEqual(imports.sort(), ['wasi_snapshot_preview1.clock_time_get', 'wasi_snapshot_preview1.random_get']);
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

    testCommon(test, guira.instantiateSync(bytes));
    testVectors(test, guira.instantiateSync(bytes), process.env.GUIRA_VECTORS);
  });
}

test('the engine has vectors if it takes the module that uses them', async () => {
  assert.equal(guira.hasSimd(), WebAssembly.validate(readFileSync(join(directory, 'guira-simd.wasm'))));
  assert.equal((await guira.load()).backend, 'wasm');
});
