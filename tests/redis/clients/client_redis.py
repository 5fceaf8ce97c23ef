"""The commands through the current redis-py. usage: client_redis.py port protocol"""
import sys

import redis

port, protocol = map(int, sys.argv[1:])
r = redis.Redis(port=port, protocol=protocol)
k, b = f"py cf {protocol}", f"py bf {protocol}"
cf, bf = r.cf(), r.bf()
assert r.client_info()["resp"] == str(protocol)
assert cf.create(k, 1000, bucket_size=4, max_iterations=30, expansion=2)
assert cf.add(k, "a") and not cf.addnx(k, "a")
assert list(map(int, cf.insert(k, ["b", "c"], nocreate=True))) == [1, 1]
assert list(map(int, cf.insertnx(k, ["b", "d"]))) == [0, 1]
assert list(map(int, cf.mexists(k, "a", "z"))) == [1, 0] and cf.count(k, "a") == 1 and cf.delete(k, "a")
info = cf.info(k)
inserted = info["insertedNum"] if protocol == 2 else info.get("insertedNum", info.get("Number of items inserted", info.get(b"Number of items inserted")))
assert inserted == 3, info.__dict__ if protocol == 2 else info
position = 0
while True:
    position, chunk = cf.scandump(k, position)
    if position == 0:
        break
    assert cf.loadchunk(k + " copy", position, chunk)
assert cf.exists(k + " copy", "b") and not cf.exists(k + " copy", "z")
assert bf.create(b, 0.001, 1000) and bf.add(b, "a")
assert list(map(int, bf.madd(b, "a", "b"))) == [0, 1] and list(map(int, bf.mexists(b, "a", "z"))) == [1, 0]
assert bf.card(b) == 2 and bf.info(b) is not None
assert list(map(int, bf.insert(b + " 2", ["x", "y"], capacity=50, error=0.01))) == [1, 1]
position = 0
while True:
    position, chunk = bf.scandump(b, position)
    if position == 0:
        break
    assert bf.loadchunk(b + " copy", position, chunk)
assert bf.exists(b + " copy", "b")
