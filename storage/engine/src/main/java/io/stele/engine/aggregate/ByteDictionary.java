package io.stele.engine.aggregate;

import io.stele.protocol.schema.XxHash64;
import java.util.Arrays;

/**
 * A dictionary of byte strings, numbered from 0 in the order of their first appearance, which stand
 * for wide values in group keys. Confined to one thread.
 */
final class ByteDictionary {
    private static final int INITIAL = 16;
    private static final int ENTRY_BYTES = 40; // array header, reference, slots of the table

    private byte[][] values = new byte[INITIAL][];
    private int[] table = new int[2 * INITIAL]; // number + 1; 0 is free; at most half full
    private int size;
    private long sizeBytes;
    private int last = -1; // the number that was found last: groups come in runs

    /** The number of a value; a new value gets the next number. */
    int number(byte[] source, int start, int length) {
        if (last >= 0 && equals(values[last], source, start, length)) {
            return last;
        }
        int mask = table.length - 1;
        int slot = (int) XxHash64.hash(source, start, length) & mask;
        while (table[slot] != 0) {
            int number = table[slot] - 1;
            if (equals(values[number], source, start, length)) {
                last = number;
                return number;
            }
            slot = (slot + 1) & mask;
        }
        return add(slot, Arrays.copyOfRange(source, start, start + length));
    }

    byte[] value(int number) {
        return values[number];
    }

    /** The approximate memory of the dictionary, in bytes. */
    long sizeBytes() {
        return sizeBytes;
    }

    private int add(int slot, byte[] value) {
        int number = size++;
        if (number == values.length) {
            values = Arrays.copyOf(values, 2 * number);
        }
        values[number] = value;
        table[slot] = number + 1;
        sizeBytes += value.length + ENTRY_BYTES;
        last = number;
        if (2 * size > table.length) {
            rehash();
        }
        return number;
    }

    private void rehash() {
        table = new int[2 * table.length];
        int mask = table.length - 1;
        for (int number = 0; number < size; number++) {
            int slot = (int) XxHash64.hash(values[number], 0, values[number].length) & mask;
            while (table[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            table[slot] = number + 1;
        }
    }

    private static boolean equals(byte[] value, byte[] source, int start, int length) {
        return Arrays.equals(value, 0, value.length, source, start, start + length);
    }
}
