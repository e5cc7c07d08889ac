package io.stele.engine.shard.write;

import java.util.Arrays;

/** A key inside a larger array, as a key of hash maps. The array must not change. */
public final class KeySlice implements Comparable<KeySlice> {
    private final byte[] array;
    private final int offset;
    private final int length;
    private final int hash;

    KeySlice(byte[] key) {
        this(key, 0, key.length);
    }

    public KeySlice(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
        int sum = 1;
        for (int i = offset; i < offset + length; i++) {
            sum = 31 * sum + array[i];
        }
        this.hash = sum;
    }

    byte[] array() {
        return array;
    }

    int offset() {
        return offset;
    }

    int length() {
        return length;
    }

    byte[] toByteArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    @Override
    public int compareTo(KeySlice other) {
        return Arrays.compareUnsigned(
                array,
                offset,
                offset + length,
                other.array,
                other.offset,
                other.offset + other.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KeySlice key
                && hash == key.hash
                && Arrays.equals(
                        array,
                        offset,
                        offset + length,
                        key.array,
                        key.offset,
                        key.offset + key.length);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
