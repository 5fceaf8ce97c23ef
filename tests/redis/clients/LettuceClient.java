// The commands through Lettuce, as commands of its own. usage: java LettuceClient.java port protocol
import io.lettuce.core.*;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.*;
import io.lettuce.core.protocol.*;
import java.nio.charset.StandardCharsets;
import java.util.List;

public class LettuceClient {
    static final RedisCodec<String, byte[]> CODEC = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

    record Name(String name) implements ProtocolKeyword {
        public byte[] getBytes() {
            return name.getBytes(StandardCharsets.US_ASCII);
        }
    }

    static void check(String what, Object wanted, Object got) {
        if (!wanted.equals(got)) throw new AssertionError(what + ": " + got);
    }

    static <T> T call(RedisCommands<String, byte[]> c, CommandOutput<String, byte[], T> output, String name, Object... words) {
        var args = new CommandArgs<>(CODEC);
        for (Object word : words) {
            if (word instanceof byte[] bytes) args.add(bytes);
            else args.add(word.toString());
        }
        return c.dispatch(new Name(name), output, args);
    }

    static void copy(RedisCommands<String, byte[]> c, String family, String key) {
        for (Object at = 0;;) {
            List<Object> reply = call(c, new ArrayOutput<>(CODEC), family + ".SCANDUMP", key, at);
            if (reply.get(0).equals(0L)) break;
            at = reply.get(0);
            check("LOADCHUNK", "OK", call(c, new StatusOutput<>(CODEC), family + ".LOADCHUNK", key + " copy", at, reply.get(1)));
        }
    }

    public static void main(String[] a) {
        var client = RedisClient.create("redis://127.0.0.1:" + a[0]);
        var version = a[1].equals("3") ? ProtocolVersion.RESP3 : ProtocolVersion.RESP2;
        client.setOptions(ClientOptions.builder().protocolVersion(version).build());
        var c = client.connect(CODEC).sync();
        String k = "lettuce cf " + a[1], b = "lettuce bf " + a[1];
        check("CLIENT INFO", true, call(c, new StatusOutput<>(CODEC), "CLIENT", "INFO").contains("resp=" + a[1]));
        check("CF.RESERVE", "OK", call(c, new StatusOutput<>(CODEC), "CF.RESERVE", k, 1000));
        check("CF.ADD", true, call(c, new BooleanOutput<>(CODEC), "CF.ADD", k, "a"));
        check("CF.ADDNX", false, call(c, new BooleanOutput<>(CODEC), "CF.ADDNX", k, "a"));
        check("CF.INSERT", List.of(true, true), call(c, new BooleanListOutput<>(CODEC), "CF.INSERT", k, "ITEMS", "b", "c"));
        check("CF.MEXISTS", List.of(true, false), call(c, new BooleanListOutput<>(CODEC), "CF.MEXISTS", k, "a", "z"));
        check("CF.COUNT", 1L, call(c, new IntegerOutput<>(CODEC), "CF.COUNT", k, "a"));
        check("CF.DEL", true, call(c, new BooleanOutput<>(CODEC), "CF.DEL", k, "a"));
        check("CF.INFO", 16, call(c, new ArrayOutput<>(CODEC), "CF.INFO", k).size());
        copy(c, "CF", k);
        check("CF.EXISTS", true, call(c, new BooleanOutput<>(CODEC), "CF.EXISTS", k + " copy", "b"));
        check("BF.RESERVE", "OK", call(c, new StatusOutput<>(CODEC), "BF.RESERVE", b, 0.001, 1000));
        check("BF.MADD", List.of(true, false), call(c, new BooleanListOutput<>(CODEC), "BF.MADD", b, "a", "a"));
        check("BF.CARD", 1L, call(c, new IntegerOutput<>(CODEC), "BF.CARD", b));
        copy(c, "BF", b);
        check("BF.EXISTS", true, call(c, new BooleanOutput<>(CODEC), "BF.EXISTS", b + " copy", "a"));
        client.shutdown(0, 1, java.util.concurrent.TimeUnit.SECONDS);
    }
}
