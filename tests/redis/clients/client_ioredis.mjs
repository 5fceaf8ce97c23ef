// The commands through ioredis, which passes module commands on. usage: node client_ioredis.mjs port protocol
import assert from 'node:assert/strict'
import Redis from 'ioredis'

const [port, protocol] = process.argv.slice(2).map(Number)
const client = new Redis({ host: '127.0.0.1', port, protocol })
const k = `io cf ${protocol}`, copy = `${k} copy`, b = `io bf ${protocol}`
const plain = reply => [reply].flat().map(Number) // booleans or integers
assert.equal(await client.call('CF.RESERVE', k, 1000), 'OK')
assert.deepEqual(plain(await client.call('CF.INSERT', k, 'ITEMS', 'a', 'b')), [1, 1])
const fields = reply => Array.isArray(reply) ? reply.length / 2 : reply.size ?? Object.keys(reply).length
assert.equal(fields(await client.call('CF.INFO', k)), 8)
for (let at = 0; ;) {
  const [position, chunk] = await client.callBuffer('CF.SCANDUMP', k, at)
  if (Number(position) === 0) break
  assert.equal(await client.call('CF.LOADCHUNK', copy, position, chunk), 'OK')
  at = position
}
assert.deepEqual(plain(await client.call('CF.MEXISTS', copy, 'a', 'z')), [1, 0])
assert.deepEqual(plain(await client.call('BF.MADD', b, 'a', 'a')), [1, 0])
assert.equal(fields(await client.call('BF.INFO', b)), 5)
client.disconnect()
