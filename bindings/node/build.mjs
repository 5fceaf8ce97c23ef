// Compiles the addon when the package is installed. Without a C compiler, xxhash.h or the headers of Node the package works
// as well, with WebAssembly: that is not an error.
import {execFileSync} from 'node:child_process';
import {existsSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Where node_api.h is: in the package node-api-headers, or beside Node. Undefined: nowhere. */
function headers() {
  const places = [join(dirname(process.execPath), '..', 'include', 'node'), '/usr/include/node'];
  try {
    places.unshift(createRequire(import.meta.url)('node-api-headers').include_dir);
  } catch {
    // the package is not installed
  }
  return places.find((place) => existsSync(join(place, 'node_api.h')));
}

if (process.argv[2] === '--find-headers') process.exit(headers() === undefined ? 1 : 0);

const cc = process.env.CC ?? 'cc', out = join(here, 'guira.node');
const link = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
const flags = ['-shared', '-fPIC', '-O3', '-std=gnu11', '-fvisibility=hidden', ...(process.env.CFLAGS ?? '').split(' ').filter(Boolean)];
rmSync(out, {force: true});
try {
  if (headers() === undefined) throw new Error('node_api.h was not found');
  execFileSync(cc, [...flags, '-isystem', headers(), '-I', join(here, 'src', 'include'), join(here, 'src', 'node', 'addon.c'),
    join(here, 'src', 'include', 'guira.c'), '-o', out, ...link, '-lm'], {stdio: ['ignore', 'inherit', 'pipe']});
} catch (e) {
  rmSync(out, {force: true});
  const reason = e.code === 'ENOENT' ? `${cc} was not found` : String(e.stderr).split('\n').find((line) => line.includes('error')) ?? e.message;
  console.log(`guira: the addon was not compiled (${reason.trim()}); WebAssembly is used instead`);
}
