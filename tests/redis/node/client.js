// Runs the commands through node-redis. usage: node client.js port protocol
import assert from 'node:assert/strict'
import { createClient } from 'redis'

const [port, protocol] = process.argv.slice(2).map(Number)
const client = createClient({ RESP: protocol, socket: { host: '127.0.0.1', port } })
await client.connect()
const key = `k${protocol}`

// As large, with so few items, it has a false positive in one of 10^7 runs.
assert.equal(await client.cf.reserve(key, 100000, { BUCKETSIZE: 4, MAXITERATIONS: 30, EXPANSION: 2 }), 'OK')
await assert.rejects(client.cf.reserve(key, 1000), /item exists/)
assert.equal(await client.cf.add(key, 'a'), true)
assert.equal(await client.cf.addNX(key, 'a'), false)
assert.deepEqual(await client.cf.insert(key, ['b', 'c']), [true, true])
assert.deepEqual((await client.cf.insertNX(key, ['b', 'd'])).map(Number), [0, 1])
assert.equal(await client.cf.exists(key, 'a'), true)
assert.equal(await client.cf.exists(key, 'z'), false)
assert.equal(await client.cf.count(key, 'a'), 1)
assert.equal(await client.cf.del(key, 'a'), true)

const info = await client.cf.info(key)
assert.equal(info['Number of items inserted'], 3)
assert.equal(info['Number of items deleted'], 1)
assert.equal(info['Bucket size'], 4)
assert.equal(info['Expansion rate'], 2)
assert.equal(info['Max iterations'], 30)
assert.equal(Object.keys(info).length, 8)

assert.equal(await client.sendCommand(['CFW.RESERVE', `w${protocol}`, '600000']), 'OK')
assert.deepEqual(await client.sendCommand(['CFW.SEEN', `w${protocol}`, 'a', 'b', 'a']), [0, 0, 1])
await client.close()
