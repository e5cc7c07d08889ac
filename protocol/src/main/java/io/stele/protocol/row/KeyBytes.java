package io.stele.protocol.row;

import java.util.Arrays;
import java.util.Optional;

/** The neighbours of encoded keys in the order of unsigned bytes, for bounds of ranges. */
public final class KeyBytes {
    private KeyBytes() {}

    /** The least bytes above a key: the same with a zero byte behind it. */
    public static byte[] successor(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** The least bytes above all bytes with a prefix; empty if there are none. */
    public static Optional<byte[]> afterPrefix(byte[] prefix) {
        int length = prefix.length;
        while (length > 0 && prefix[length - 1] == (byte) 0xFF) {
            length--;
        }
        if (length == 0) {
            return Optional.empty();
        }
        byte[] after = Arrays.copyOf(prefix, length);
        after[length - 1]++;
        return Optional.of(after);
    }
}
