// The commands through ioredis, which passes module commands on. usage: node client_ioredis.mjs port protocol
import assert from 'node:assert/strict'
import Redis from 'ioredis'

const [port, protocol] = process.argv.slice(2).map(Number)
const client = new Redis({ host: '127.0.0.1', port, protocol })
const k = `io cf ${protocol}`, b = `io bf ${protocol}`
const plain = reply => [reply].flat().map(Number) // booleans or integers
assert.match(String(await client.call('CLIENT', 'INFO')), new RegExp(`resp=${protocol}`))
assert.equal(await client.call('CF.RESERVE', k, 1000), 'OK')
assert.deepEqual(plain(await client.call('CF.ADDNX', k, 'c')), [1])
assert.equal(await client.call('CF.COUNT', k, 'c'), 1)
assert.deepEqual(plain(await client.call('CF.DEL', k, 'c')), [1])
assert.deepEqual(plain(await client.call('CF.INSERT', k, 'ITEMS', 'a', 'b')), [1, 1])
const fields = reply => Array.isArray(reply) ? reply.length / 2 : reply.size ?? Object.keys(reply).length
assert.equal(fields(await client.call('CF.INFO', k)), 8)
const copy = async (family, key) => {
  for (let at = 0; ;) {
    const [position, chunk] = await client.callBuffer(`${family}.SCANDUMP`, key, at)
    if (Number(position) === 0) break
    assert.equal(await client.call(`${family}.LOADCHUNK`, `${key} copy`, position, chunk), 'OK')
    at = position
  }
}
await copy('CF', k)
assert.deepEqual(plain(await client.call('CF.MEXISTS', `${k} copy`, 'a', 'z')), [1, 0])
assert.deepEqual(plain(await client.call('BF.MADD', b, 'a', 'a')), [1, 0])
assert.equal(fields(await client.call('BF.INFO', b)), 5)
await copy('BF', b)
assert.deepEqual(plain(await client.call('BF.MEXISTS', `${b} copy`, 'a', 'z')), [1, 0])
client.disconnect()
