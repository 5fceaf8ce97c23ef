"""The commands through valkey-glide, which passes module commands on. usage: client_glide.py port protocol"""
import sys

from glide_sync import GlideClient, GlideClientConfiguration, NodeAddress, ProtocolVersion

port, protocol = map(int, sys.argv[1:])
version = ProtocolVersion.RESP2 if protocol == 2 else ProtocolVersion.RESP3
client = GlideClient.create(GlideClientConfiguration([NodeAddress("127.0.0.1", port)], protocol=version))


def call(*words):
    return client.custom_command([w if isinstance(w, bytes) else str(w) for w in words])


def copy(family, key):
    position = 0
    while True:
        position, chunk = call(family + ".SCANDUMP", key, position)
        if position == 0:
            return
        assert call(family + ".LOADCHUNK", key + " copy", position, chunk) == "OK"


assert f"resp={protocol}" in str(call("CLIENT", "INFO"))
k, b = f"glide cf {protocol}", f"glide bf {protocol}"
assert call("CF.RESERVE", k, 1000) == "OK"
assert call("CF.ADD", k, "a") == 1 and call("CF.ADDNX", k, "a") == 0
assert call("CF.INSERT", k, "ITEMS", "b", "c") == [1, 1] and call("CF.INSERTNX", k, "ITEMS", "b", "d") == [0, 1]
assert call("CF.MEXISTS", k, "a", "z") == [1, 0] and call("CF.COUNT", k, "a") == 1 and call("CF.DEL", k, "a") == 1
info = call("CF.INFO", k)
assert len(info) == (8 if protocol == 3 else 16)
copy("CF", k)
assert call("CF.EXISTS", k + " copy", "b") == 1
assert call("BF.RESERVE", b, 0.001, 1000) == "OK" and call("BF.MADD", b, "a", "a") == [1, 0]
assert call("BF.CARD", b) == 1 and len(call("BF.INFO", b)) == (5 if protocol == 3 else 10)
copy("BF", b)
assert call("BF.MEXISTS", b + " copy", "a", "z") == [1, 0]
client.close()
