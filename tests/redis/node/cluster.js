// Runs the commands through node-redis on a cluster. usage: node cluster.js port-of-a-node protocol
import assert from 'node:assert/strict'
import { createCluster } from 'redis'

const [port, protocol] = process.argv.slice(2).map(Number)
const cluster = createCluster({ RESP: protocol, rootNodes: [{ socket: { host: '127.0.0.1', port } }] })
await cluster.connect()

const masters = new Set()
for (let n = 0; n < 30; n++) {
  const [mon, tue, wed, week, events] = ['mon', 'tue', 'wed', 'week', 'events'].map(name => `{site${n} ${protocol}}:${name}`)
  // Filters without these would have false positives, in one of 200 runs.
  for (const key of [mon, tue])
    assert.equal(await cluster.sendCommand(key, false, ['CF.RESERVE', key, '1000', 'ERROR', '0.000001']), 'OK')
  assert.equal(await cluster.cf.reserve(wed, 1000), 'OK')
  assert.equal(await cluster.cf.add(mon, 'ana'), true)
  assert.deepEqual(await cluster.cf.insert(tue, ['ana', 'bob']), [true, true])
  assert.equal(await cluster.sendCommand(week, false, ['CF.MERGE', week, mon, tue]), 'OK')
  assert.equal(await cluster.cf.count(week, 'ana'), 2)
  assert.equal(await cluster.cf.exists(week, 'bob'), true)
  assert.equal(await cluster.cf.exists(week, 'eve'), false)
  assert.equal(await cluster.cf.del(week, 'bob'), true)
  assert.equal((await cluster.cf.info(week))['Number of items inserted'], 2)
  assert.equal(await cluster.sendCommand(events, false, ['CFW.RESERVE', events, '600000']), 'OK')
  assert.deepEqual(await cluster.sendCommand(events, false, ['CFW.SEEN', events, 'e17', 'e17']), [0, 1])
  masters.add(cluster.slots[await cluster.sendCommand(mon, true, ['CLUSTER', 'KEYSLOT', mon])].master.id)
}
assert.equal(masters.size, 3)
await assert.rejects(cluster.sendCommand('a', false, ['CF.MERGE', 'a', 'b']), /CROSSSLOT/)
await cluster.close()
