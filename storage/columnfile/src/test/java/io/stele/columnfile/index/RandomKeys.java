package io.stele.columnfile.index;

import java.util.Arrays;
import java.util.Comparator;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;

/** Sorted sets of random keys that share prefixes, with empty and long ones among them. */
final class RandomKeys {
    static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

    private RandomKeys() {}

    static NavigableSet<byte[]> keys(Random random, int count) {
        NavigableSet<byte[]> keys = new TreeSet<>(ORDER);
        byte[] prefix = new byte[random.nextInt(20)];
        random.nextBytes(prefix);
        while (keys.size() < count) {
            if (random.nextInt(10) == 0) {
                random.nextBytes(prefix);
            }
            keys.add(key(random, prefix));
        }
        return keys;
    }

    private static byte[] key(Random random, byte[] prefix) {
        int length = random.nextInt(200) == 0 ? random.nextInt(3_000) : random.nextInt(12);
        int shared = random.nextInt(prefix.length + 1);
        byte[] key = Arrays.copyOf(prefix, shared + length);
        for (int i = shared; i < key.length; i++) {
            key[i] = (byte) random.nextInt();
        }
        return key;
    }
}
