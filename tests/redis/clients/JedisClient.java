// The commands through Jedis. usage: java JedisClient.java port protocol
import java.util.List;
import java.util.Map;
import redis.clients.jedis.*;
import redis.clients.jedis.bloom.*;

public class JedisClient {
    static void check(String what, boolean good) {
        if (!good) throw new AssertionError(what);
    }

    public static void main(String[] a) {
        var config = DefaultJedisClientConfig.builder().protocol(a[1].equals("3") ? RedisProtocol.RESP3 : RedisProtocol.RESP2).build();
        try (var c = RedisClient.builder().hostAndPort("127.0.0.1", Integer.parseInt(a[0])).clientConfig(config).build()) {
            String connection = new String((byte[]) c.sendCommand(Protocol.Command.CLIENT, "INFO"));
            check("CLIENT INFO", connection.contains("resp=" + a[1]));
            String k = "jedis cf " + a[1], b = "jedis bf " + a[1];
            check("CF.RESERVE", c.cfReserve(k, 1000, CFReserveParams.reserveParams().bucketSize(4).expansion(2)).equals("OK"));
            check("CF.ADD", c.cfAdd(k, "a") && !c.cfAddNx(k, "a"));
            check("CF.INSERT", c.cfInsert(k, "b", "c").equals(List.of(true, true)));
            check("CF.INSERTNX", c.cfInsertNx(k, "b", "d").equals(List.of(false, true)));
            check("CF.MEXISTS", c.cfMExists(k, "a", "z").equals(List.of(true, false)));
            check("CF.COUNT", c.cfCount(k, "a") == 1 && c.cfDel(k, "a"));
            Map<String, Object> info = c.cfInfo(k);
            check("CF.INFO", info.size() == 8 && info.get("Number of items inserted").equals(3L));
            for (long at = 0;;) {
                Map.Entry<Long, byte[]> chunk = c.cfScanDump(k, at);
                if (chunk.getKey() == 0) break;
                check("CF.LOADCHUNK", c.cfLoadChunk(k + " copy", chunk.getKey(), chunk.getValue()).equals("OK"));
                at = chunk.getKey();
            }
            check("CF.EXISTS", c.cfExists(k + " copy", "b") && !c.cfExists(k + " copy", "z"));
            check("BF.RESERVE", c.bfReserve(b, 0.001, 1000).equals("OK") && c.bfAdd(b, "a"));
            check("BF.MADD", c.bfMAdd(b, "a", "b").equals(List.of(false, true)));
            check("BF.MEXISTS", c.bfMExists(b, "a", "z").equals(List.of(true, false)));
            check("BF.CARD", c.bfCard(b) == 2 && c.bfInfo(b).size() == 5);
            for (long at = 0;;) {
                Map.Entry<Long, byte[]> chunk = c.bfScanDump(b, at);
                if (chunk.getKey() == 0) break;
                check("BF.LOADCHUNK", c.bfLoadChunk(b + " copy", chunk.getKey(), chunk.getValue()).equals("OK"));
                at = chunk.getKey();
            }
            check("BF.EXISTS", c.bfExists(b + " copy", "b"));
        }
    }
}
