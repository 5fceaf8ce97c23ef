// The commands through the current node-redis. usage: node client_node.mjs port protocol
import assert from 'node:assert/strict'
import { createClient, RESP_TYPES } from 'redis'

const [port, protocol] = process.argv.slice(2).map(Number)
const client = createClient({ RESP: protocol, socket: { host: '127.0.0.1', port } })
await client.connect()
assert.match(await client.sendCommand(['CLIENT', 'INFO']), new RegExp(`resp=${protocol}`))
const k = `node cf ${protocol}`, b = `node bf ${protocol}`
assert.equal(await client.cf.reserve(k, 1000, { BUCKETSIZE: 4 }), 'OK')
assert.equal(await client.cf.add(k, 'a'), true)
assert.equal(await client.cf.addNX(k, 'a'), false)
assert.deepEqual(await client.cf.insert(k, ['b', 'c']), [true, true])
assert.equal(await client.cf.count(k, 'a'), 1)
assert.equal(await client.cf.del(k, 'a'), true)
assert.equal((await client.cf.info(k))['Number of items inserted'], 2)
const bytes = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer })
const copy = async (family, key) => {
  for (let at = 0; ;) {
    const { iterator, chunk } = await bytes[family].scanDump(key, at)
    if (iterator === 0) break
    assert.equal(String(await bytes[family].loadChunk(`${key} copy`, iterator, chunk)), 'OK')
    at = iterator
  }
}
await copy('cf', k)
assert.equal(await client.cf.exists(`${k} copy`, 'b'), true)
assert.equal(await client.bf.reserve(b, 0.001, 1000), 'OK')
assert.equal(await client.bf.add(b, 'a'), true)
assert.deepEqual(await client.bf.mAdd(b, ['a', 'b']), [false, true])
assert.deepEqual(await client.bf.mExists(b, ['a', 'z']), [true, false])
assert.equal(await client.bf.card(b), 2)
assert.equal((await client.bf.info(b))['Number of items inserted'], 2)
await copy('bf', b)
assert.equal(await client.bf.exists(`${b} copy`, 'b'), true)
await client.close()
