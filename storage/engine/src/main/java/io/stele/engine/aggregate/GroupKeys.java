package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.schema.DataType;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of the group keys of an aggregation state, which numbers the groups from 0 in the
 * order of their first appearance. Every value of a key is a long, its own or its number in a
 * dictionary; one more long has a bit for each null. Confined to one thread.
 */
final class GroupKeys {
    private static final int INITIAL = 16;
    private static final int INT128_BYTES = 16;

    /**
     * The maximal number of combinations of dictionary entries that are looked up once each: a
     * batch has no more rows.
     */
    private static final int MAX_COMBINATIONS = VectorSource.BATCH_ROWS;

    private static final int UNKNOWN = -1;

    private final List<DataType> types;
    private final int width; // longs of a key: its null bits, then its columns
    private final @Nullable ByteDictionary[] dictionaries; // null where the value is its own number
    private final long[] key; // of the present row
    private final byte[] wide = new byte[INT128_BYTES];
    private final EntryNumbers[] entryNumbers; // by column
    private int[] known = {}; // the group of each combination of entries
    private long[] keys;
    private int[] table = new int[4 * INITIAL]; // number + 1; 0 is free; at most half full
    private int size;

    /** The numbers of a batch's dictionary entries in keys. */
    private static final class EntryNumbers {
        private boolean[] known = {};
        private long[] values = {};

        void start(int entries) {
            if (known.length < entries) {
                known = new boolean[entries];
                values = new long[entries];
            }
            Arrays.fill(known, 0, entries, false);
        }
    }

    GroupKeys(List<DataType> types) {
        this.types = List.copyOf(types);
        this.width = 1 + types.size();
        this.key = new long[width];
        this.keys = new long[INITIAL * width];
        this.dictionaries = new ByteDictionary[types.size()];
        for (int column = 0; column < dictionaries.length; column++) {
            VectorKind kind = VectorKind.of(types.get(column));
            dictionaries[column] = kind == VectorKind.LONG ? null : new ByteDictionary();
        }
        this.entryNumbers =
                types.stream().map(type -> new EntryNumbers()).toArray(EntryNumbers[]::new);
        if (types.isEmpty()) {
            size = 1; // the global group, which exists also without rows
        }
    }

    int size() {
        return size;
    }

    /** The approximate memory of the groups, in bytes. */
    long sizeBytes() {
        long bytes = (long) Long.BYTES * keys.length + (long) Integer.BYTES * table.length;
        for (ByteDictionary dictionary : dictionaries) {
            bytes += dictionary == null ? 0 : dictionary.sizeBytes();
        }
        return bytes;
    }

    /** The group of each of the selected rows, at the same positions of {@code groups}. */
    void assign(ValueVector[] columns, Selection selection, int[] groups) {
        if (types.isEmpty()) {
            Arrays.fill(groups, 0, selection.count, 0);
            return;
        }
        int combinations = combinations(columns);
        if (combinations <= Math.min(MAX_COMBINATIONS, selection.count)) {
            assignCombinations(columns, combinations, selection, groups);
            return;
        }
        for (int column = 0; column < columns.length; column++) {
            if (columns[column].hasDictionary()) {
                entryNumbers[column].start(columns[column].entryCount());
            } else {
                columns[column].flatten(selection);
            }
        }
        for (int i = 0; i < selection.count; i++) {
            setKey(columns, selection.rows[i]);
            groups[i] = find();
        }
    }

    /**
     * The number of combinations of dictionary entries; {@link Integer#MAX_VALUE} if there are too
     * many or a column has no dictionary.
     */
    private static int combinations(ValueVector[] columns) {
        int product = 1;
        for (ValueVector vector : columns) {
            if (!vector.hasDictionary()) {
                return Integer.MAX_VALUE;
            }
            product = Math.multiplyExact(product, vector.entryCount());
            if (product > MAX_COMBINATIONS) {
                return Integer.MAX_VALUE;
            }
        }
        return product;
    }

    /**
     * Looks a group up once for each combination of entries that occurs in a selected row. Other
     * combinations create no group.
     */
    private void assignCombinations(
            ValueVector[] columns, int combinations, Selection selection, int[] groups) {
        int[] rows = selection.rows;
        int count = selection.count;
        ValueVector first = columns[0];
        for (int i = 0; i < count; i++) {
            groups[i] = first.id(rows[i]);
        }
        for (int column = 1; column < columns.length; column++) {
            ValueVector vector = columns[column];
            int entries = vector.entryCount();
            for (int i = 0; i < count; i++) {
                groups[i] = groups[i] * entries + vector.id(rows[i]);
            }
        }
        if (known.length < combinations) {
            known = new int[combinations];
        }
        Arrays.fill(known, 0, combinations, UNKNOWN);
        for (int i = 0; i < count; i++) {
            int combination = groups[i];
            int group = known[combination];
            if (group == UNKNOWN) {
                group = findEntries(columns, combination);
                known[combination] = group;
            }
            groups[i] = group;
        }
    }

    private int findEntries(ValueVector[] columns, int combination) {
        int rest = combination;
        key[0] = 0;
        for (int column = columns.length - 1; column >= 0; column--) {
            int entries = columns[column].entryCount();
            setKey(column, columns[column].entries(), rest % entries);
            rest /= entries;
        }
        return find();
    }

    private void setKey(ValueVector[] columns, int row) {
        key[0] = 0;
        for (int column = 0; column < columns.length; column++) {
            ValueVector vector = columns[column];
            if (vector.hasDictionary()) {
                setEntryKey(column, vector.entries(), vector.id(row));
            } else {
                setKey(column, vector, row);
            }
        }
    }

    /** Looks the value of a dictionary entry up once per batch. */
    private void setEntryKey(int column, ValueVector entries, int entry) {
        EntryNumbers numbers = entryNumbers[column];
        if (entries.isNull(entry)) {
            setKey(column, entries, entry);
        } else if (numbers.known[entry]) {
            key[column + 1] = numbers.values[entry];
        } else {
            setKey(column, entries, entry);
            numbers.known[entry] = true;
            numbers.values[entry] = key[column + 1];
        }
    }

    private void setKey(int column, ValueVector vector, int row) {
        if (vector.isNull(row)) {
            key[0] |= 1L << column;
            key[column + 1] = 0;
        } else {
            key[column + 1] = number(column, vector, row);
        }
    }

    private long number(int column, ValueVector vector, int row) {
        ByteDictionary dictionary = dictionaries[column];
        if (dictionary == null) {
            return vector.longs[row];
        }
        if (vector.kind == VectorKind.INT128) {
            LongBytes.put(wide, 0, vector.highs[row]);
            LongBytes.put(wide, Long.BYTES, vector.longs[row]);
            return dictionary.number(wide, 0, INT128_BYTES);
        }
        return dictionary.number(
                requireNonNull(vector.bytes[row], "no value"),
                vector.starts[row],
                vector.lengths[row]);
    }

    /** Adds the groups of another table; returns the number that each of them has here. */
    int[] merge(GroupKeys other) {
        int[] numbers = new int[other.size];
        if (types.isEmpty()) {
            return numbers;
        }
        for (int group = 0; group < other.size; group++) {
            System.arraycopy(other.keys, group * width, key, 0, width);
            for (int column = 0; column < dictionaries.length; column++) {
                ByteDictionary dictionary = dictionaries[column];
                if (dictionary != null && (key[0] & (1L << column)) == 0) {
                    byte[] value = other.value(column, key[column + 1]);
                    key[column + 1] = dictionary.number(value, 0, value.length);
                }
            }
            numbers[group] = find();
        }
        return numbers;
    }

    private byte[] value(int column, long number) {
        return requireNonNull(dictionaries[column], "no dictionary").value((int) number);
    }

    private int find() {
        int mask = table.length - 1;
        int slot = hash(key, 0) & mask;
        while (table[slot] != 0) {
            int group = table[slot] - 1;
            int at = group * width;
            if (Arrays.equals(keys, at, at + width, key, 0, width)) {
                return group;
            }
            slot = (slot + 1) & mask;
        }
        int group = size++;
        if ((group + 1) * width > keys.length) {
            keys = Arrays.copyOf(keys, 2 * keys.length);
        }
        System.arraycopy(key, 0, keys, group * width, width);
        table[slot] = group + 1;
        if (2 * size > table.length) {
            rehash();
        }
        return group;
    }

    private void rehash() {
        table = new int[2 * table.length];
        int mask = table.length - 1;
        for (int group = 0; group < size; group++) {
            int slot = hash(keys, group * width) & mask;
            while (table[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            table[slot] = group + 1;
        }
    }

    private int hash(long[] values, int at) {
        long hash = 0;
        for (int i = at; i < at + width; i++) {
            hash =
                    (hash ^ values[i])
                            * 0x9E3779B97F4A7C15L; // the golden ratio, as Fibonacci hashing
            hash ^= hash >>> 32;
        }
        return (int) hash;
    }

    /** Writes a group's values to the first columns of a row. */
    void set(int group, RowEncoder row) {
        int at = group * width;
        for (int column = 0; column < types.size(); column++) {
            if ((keys[at] & (1L << column)) != 0) {
                continue; // columns are null until they are set
            }
            long number = keys[at + 1 + column];
            switch (types.get(column).form()) {
                case BOOLEAN -> row.setBoolean(column, number != 0);
                case BYTES -> row.setBytes(column, value(column, number));
                case INT128 -> {
                    byte[] bytes = value(column, number);
                    row.setInt128(
                            column, LongBytes.get(bytes, 0), LongBytes.get(bytes, Long.BYTES));
                }
                default -> row.setLong(column, number);
            }
        }
    }

    /** Writes the groups in their order. */
    void write(DataOutput target) throws IOException {
        target.writeInt(size);
        for (int group = 0; group < size && !types.isEmpty(); group++) {
            int at = group * width;
            target.writeLong(keys[at]);
            for (int column = 0; column < dictionaries.length; column++) {
                if ((keys[at] & (1L << column)) != 0) {
                    continue;
                }
                if (dictionaries[column] == null) {
                    target.writeLong(keys[at + 1 + column]);
                } else {
                    byte[] value = value(column, keys[at + 1 + column]);
                    target.writeInt(value.length);
                    target.write(value);
                }
            }
        }
    }

    /** Reads the groups that {@link #write} wrote; to be called on a new table. */
    void read(DataInput source) throws IOException {
        int groups = source.readInt();
        for (int group = 0; group < groups && !types.isEmpty(); group++) {
            key[0] = source.readLong();
            for (int column = 0; column < dictionaries.length; column++) {
                ByteDictionary dictionary = dictionaries[column];
                if ((key[0] & (1L << column)) != 0) {
                    key[column + 1] = 0;
                } else if (dictionary == null) {
                    key[column + 1] = source.readLong();
                } else {
                    byte[] value = new byte[source.readInt()];
                    source.readFully(value);
                    key[column + 1] = dictionary.number(value, 0, value.length);
                }
            }
            find();
        }
    }
}
