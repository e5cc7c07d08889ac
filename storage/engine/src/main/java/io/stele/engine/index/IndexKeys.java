package io.stele.engine.index;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.XxHash64;
import java.util.Arrays;
import java.util.Optional;

/**
 * The key encoding of secondary index entries: the index columns, each with a marker for null, then
 * the primary key of the row. An entry has no value.
 *
 * <pre>
 * entry := first {@value #MAX_COLUMN_BYTES} bytes of the index columns as {@link KeyEncoder} | primary key
 * </pre>
 *
 * <p>The part of a long value that is cut off is compared in the row itself, which lookups always
 * read: an entry only states that its row may have these values. Immutable.
 */
public final class IndexKeys {
    /** Limited since a block must hold several entries. */
    public static final int MAX_COLUMN_BYTES = 16 << 10;

    private final IndexSchema index;
    private final KeyEncoder columns;
    private final int[] places; // of the index columns in a row

    public IndexKeys(TableSchema table, IndexSchema index) {
        this.index = requireNonNull(index, "index is null");
        this.columns = KeyEncoder.forColumns(table, index.columns());
        this.places = index.columns().stream().mapToInt(table::indexOf).toArray();
    }

    public IndexSchema index() {
        return index;
    }

    /** The index columns. */
    public KeyEncoder columns() {
        return columns;
    }

    /** A buffer for the entries of many rows. */
    public static GrowingBytes arena() {
        return new GrowingBytes(
                1024, Integer.MAX_VALUE - 16, ErrorCode.ROW_TOO_LARGE, "index entries");
    }

    /** A buffer for the index columns of one row, of any length. */
    public static GrowingBytes buffer() {
        return new GrowingBytes(256, Integer.MAX_VALUE - 16, ErrorCode.KEY_TOO_LARGE, "index key");
    }

    /**
     * The untruncated index columns of a row, which no other row may have if the index is unique;
     * empty if one of them is null.
     *
     * @param buffer of {@link #buffer}, cleared here
     */
    public Optional<byte[]> uniqueValues(BinaryRow row, GrowingBytes buffer) {
        for (int place : places) {
            if (row.isNull(place)) {
                return Optional.empty();
            }
        }
        buffer.clear();
        columns.encode(row, buffer);
        return Optional.of(buffer.toByteArray());
    }

    /** Whether a row has exactly these untruncated values in the index columns. */
    public boolean hasValues(BinaryRow row, byte[] values, GrowingBytes buffer) {
        buffer.clear();
        columns.encode(row, buffer);
        return Arrays.equals(buffer.array(), 0, buffer.length(), values, 0, values.length);
    }

    /**
     * Appends the entry of a row with a primary key to a buffer.
     *
     * @return the number of bytes of the entry that are index columns
     */
    public int append(
            BinaryRow row, byte[] key, int keyOffset, int keyLength, GrowingBytes target) {
        int start = target.length();
        columns.encode(row, target);
        if (target.length() - start > MAX_COLUMN_BYTES) {
            target.truncate(start + MAX_COLUMN_BYTES);
        }
        int columnBytes = target.length() - start;
        target.append(key, keyOffset, keyLength);
        return columnBytes;
    }

    /** The hash of the index columns in an entry, or of an {@link #entryPrefix}. */
    static long hash(byte[] array, int offset, int length) {
        return XxHash64.hash(array, offset, length);
    }

    /** The prefix of the entries of rows whose index columns begin with {@code prefix}. */
    public static byte[] entryPrefix(byte[] prefix) {
        return prefix.length <= MAX_COLUMN_BYTES ? prefix : Arrays.copyOf(prefix, MAX_COLUMN_BYTES);
    }

    /** The number of bytes of an entry that are index columns. */
    public int columnBytes(byte[] array, int offset, int length) {
        try {
            return columns.length(array, offset, offset + Math.min(length, MAX_COLUMN_BYTES));
        } catch (SteleException incomplete) {
            if (length > MAX_COLUMN_BYTES) {
                return MAX_COLUMN_BYTES;
            }
            throw incomplete;
        }
    }

    /**
     * Whether one of the index columns of an entry is null; false if the columns are truncated.
     *
     * @param entryColumns the first {@link #columnBytes} bytes of the entry
     */
    public boolean hasNull(byte[] entryColumns) {
        return entryColumns.length < MAX_COLUMN_BYTES
                && columns.split(entryColumns).stream().anyMatch(Optional::isEmpty);
    }

    /** The primary key in an entry. */
    public byte[] primaryKey(KeyedVersion entry) {
        int from = columnBytes(entry.keyArray(), entry.keyOffset(), entry.keyLength());
        return Arrays.copyOfRange(
                entry.keyArray(), entry.keyOffset() + from, entry.keyOffset() + entry.keyLength());
    }

    /**
     * Whether a row has the values of its entry, and they begin with {@code prefix}.
     *
     * @param buffer for the encoded values, cleared here
     */
    public boolean matches(BinaryRow row, KeyedVersion entry, byte[] prefix, GrowingBytes buffer) {
        buffer.clear();
        columns.encode(row, buffer);
        int kept = Math.min(buffer.length(), MAX_COLUMN_BYTES);
        boolean same =
                kept == columnBytes(entry.keyArray(), entry.keyOffset(), entry.keyLength())
                        && Arrays.equals(
                                buffer.array(),
                                0,
                                kept,
                                entry.keyArray(),
                                entry.keyOffset(),
                                entry.keyOffset() + kept);
        return same
                && buffer.length() >= prefix.length
                && Arrays.equals(buffer.array(), 0, prefix.length, prefix, 0, prefix.length);
    }
}
