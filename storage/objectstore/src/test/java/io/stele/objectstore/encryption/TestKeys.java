package io.stele.objectstore.encryption;

import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Master keys of tests: the one of an id is always the same. */
public final class TestKeys {
    private TestKeys() {}

    /** As a configuration says it. */
    public static String entry(String id) {
        byte[] key = new byte[32];
        new Random(id.hashCode()).nextBytes(key);
        return id + ":" + Base64.getEncoder().encodeToString(key);
    }

    /** The first one encrypts. */
    public static MasterKeys of(String... ids) {
        List<String> entries = Stream.of(ids).map(TestKeys::entry).toList();
        return MasterKeys.parse(entries, "test");
    }

    public static Encryption encryption(String... ids) {
        return Encryption.of(of(ids), new Random(1), false);
    }
}
