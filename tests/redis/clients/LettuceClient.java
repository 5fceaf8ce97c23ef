// The commands through Lettuce, as commands of its own. usage: java LettuceClient.java port protocol
import io.lettuce.core.*;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.*;
import io.lettuce.core.protocol.*;
import java.nio.charset.StandardCharsets;
import java.util.List;

public class LettuceClient {
    record Name(String name) implements ProtocolKeyword {
        public byte[] getBytes() {
            return name.getBytes(StandardCharsets.US_ASCII);
        }
    }

    static void check(String what, Object wanted, Object got) {
        if (!wanted.equals(got)) throw new AssertionError(what + ": " + got);
    }

    public static void main(String[] a) {
        var client = RedisClient.create("redis://127.0.0.1:" + a[0]);
        var version = a[1].equals("3") ? ProtocolVersion.RESP3 : ProtocolVersion.RESP2;
        client.setOptions(ClientOptions.builder().protocolVersion(version).build());
        var c = client.connect().sync();
        var codec = StringCodec.UTF8;
        String k = "lettuce cf " + a[1], b = "lettuce bf " + a[1];
        check("CF.RESERVE", "OK", c.dispatch(new Name("CF.RESERVE"), new StatusOutput<>(codec), new CommandArgs<>(codec).addKey(k).add(1000)));
        check("CF.ADD", true, c.dispatch(new Name("CF.ADD"), new BooleanOutput<>(codec), new CommandArgs<>(codec).addKey(k).add("a")));
        check("CF.INSERT", List.of(true, true), c.dispatch(new Name("CF.INSERT"), new BooleanListOutput<>(codec), new CommandArgs<>(codec).addKey(k).add("ITEMS").add("b").add("c")));
        check("CF.MEXISTS", List.of(true, false), c.dispatch(new Name("CF.MEXISTS"), new BooleanListOutput<>(codec), new CommandArgs<>(codec).addKey(k).add("a").add("z")));
        check("CF.COUNT", 1L, c.dispatch(new Name("CF.COUNT"), new IntegerOutput<>(codec), new CommandArgs<>(codec).addKey(k).add("a")));
        check("CF.DEL", true, c.dispatch(new Name("CF.DEL"), new BooleanOutput<>(codec), new CommandArgs<>(codec).addKey(k).add("a")));
        check("BF.RESERVE", "OK", c.dispatch(new Name("BF.RESERVE"), new StatusOutput<>(codec), new CommandArgs<>(codec).addKey(b).add("0.001").add(1000)));
        check("BF.MADD", List.of(true, false), c.dispatch(new Name("BF.MADD"), new BooleanListOutput<>(codec), new CommandArgs<>(codec).addKey(b).add("a").add("a")));
        client.shutdown(0, 1, java.util.concurrent.TimeUnit.SECONDS);
    }
}
