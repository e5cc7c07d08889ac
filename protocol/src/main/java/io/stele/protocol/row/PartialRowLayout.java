package io.stele.protocol.row;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The layout of partial rows for partial updates, which have the primary key and some other columns
 * of a table. It also merges them into whole rows. Immutable.
 *
 * <pre>
 * partial row := given | row
 * given       := ceil(columns / 8) bytes; bit (i % 8) of byte i / 8 is 1 when column i of the table is given; unused bits are 0
 * row         := a row of the given columns, in table order (see {@link RowLayout})
 * </pre>
 */
public final class PartialRowLayout {
    private final TableSchema schema;
    private final byte[] given;

    /**
     * For each column of the table, its position among the given columns; -1 if it is not given.
     */
    private final int[] places;

    private final RowLayout layout;
    private final KeyEncoder keys;

    private PartialRowLayout(TableSchema schema, byte[] given) {
        this.schema = schema;
        this.given = given;
        this.places = new int[schema.columns().size()];
        List<ColumnSchema> columns = new ArrayList<>();
        for (int i = 0; i < places.length; i++) {
            boolean isGiven = (given[i >> 3] & 1 << (i & 7)) != 0;
            places[i] = isGiven ? columns.size() : -1;
            if (isGiven) {
                columns.add(schema.columns().get(i));
            }
        }
        for (ColumnSchema column : schema.primaryKeyColumns()) {
            if (!columns.contains(column)) {
                throw new SteleException(
                        ErrorCode.NULL_KEY,
                        "Expected a partial row of %s with its primary key, found one without column '%s'"
                                .formatted(schema.qualifiedName(), column.name()));
            }
        }
        this.layout = RowLayout.of(columns);
        this.keys = KeyEncoder.forPrimaryKey(schema, columns);
    }

    /**
     * The layout of rows with these columns.
     *
     * @throws SteleException COLUMN_NOT_FOUND, NULL_KEY without the primary key, INVALID_ARGUMENT
     *     for a table without a primary key or for a duplicate column
     */
    public static PartialRowLayout of(TableSchema schema, List<Integer> columnIds) {
        requireNonNull(schema, "schema is null");
        if (!schema.hasPrimaryKey()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table with a primary key to update, found "
                            + schema.qualifiedName()
                            + ", which has none");
        }
        byte[] given = new byte[RowLayout.bitmapBytes(schema.columns().size())];
        Set<Integer> seen = new HashSet<>();
        for (int columnId : columnIds) {
            int index = schema.indexOf(columnId);
            if (!seen.add(columnId)) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected each column once, found '"
                                + schema.columns().get(index).name()
                                + "' again");
            }
            given[index >> 3] |= (byte) (1 << (index & 7));
        }
        return new PartialRowLayout(schema, given);
    }

    /**
     * Reads the layout of a partial row from its first bytes.
     *
     * @throws SteleException CORRUPT_DATA, NULL_KEY without the primary key
     */
    public static PartialRowLayout read(TableSchema schema, byte[] bytes, int offset, int length) {
        int columns = schema.columns().size();
        int headBytes = RowLayout.bitmapBytes(columns);
        if (length < headBytes) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected a partial row of at least " + headBytes + " bytes, found " + length);
        }
        byte[] given = Arrays.copyOfRange(bytes, offset, offset + headBytes);
        int unused = headBytes * 8 - columns;
        if (unused > 0 && (given[headBytes - 1] & 0xFF) >>> (8 - unused) != 0) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected unused bits of the given columns to be 0, found "
                            + Integer.toHexString(given[headBytes - 1] & 0xFF));
        }
        return new PartialRowLayout(schema, given);
    }

    /** Whether a partial row has the columns of this layout. */
    public boolean matches(byte[] bytes, int offset, int length) {
        return length >= given.length
                && Arrays.equals(given, 0, given.length, bytes, offset, offset + given.length);
    }

    /** The layout of the row after the {@link #headBytes}. */
    public RowLayout layout() {
        return layout;
    }

    /** A codec of the primary keys of rows of {@link #layout}. */
    public KeyEncoder keys() {
        return keys;
    }

    /** The number of bytes before the row. */
    public int headBytes() {
        return given.length;
    }

    /** Writes the head; returns the number of bytes written. */
    public int writeHead(byte[] target, int offset) {
        System.arraycopy(given, 0, target, offset, given.length);
        return given.length;
    }

    /** Whether the column at a position of the table is given. */
    public boolean has(int column) {
        return places[column] >= 0;
    }

    /**
     * Checks a partial row with its head.
     *
     * @throws SteleException as {@link RowLayout#validate}
     */
    public void validate(byte[] bytes, int offset, int length) {
        if (!matches(bytes, offset, length)) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA, "Expected a partial row of the columns it was read as");
        }
        layout.validate(bytes, offset + given.length, length - given.length);
    }

    /**
     * Writes the whole row after the update into {@code target}: given columns from the partial
     * row, other columns from the old row, or null.
     *
     * @param old a whole row of the table; null if there is none
     * @param partial a row of {@link #layout}
     * @return the row's length in {@code target.array()}
     * @throws SteleException NULL_KEY if a NOT NULL column is not given and there is no old row
     */
    public int merge(@Nullable BinaryRow old, BinaryRow partial, RowEncoder target) {
        target.reset();
        for (int i = 0; i < places.length; i++) {
            if (places[i] >= 0) {
                target.copy(i, partial, places[i]);
            } else if (old != null) {
                target.copy(i, old, i);
            }
        }
        try {
            return target.finish();
        } catch (SteleException missing) {
            if (missing.code() == ErrorCode.NULL_KEY && old == null) {
                throw new SteleException(
                        ErrorCode.NULL_KEY,
                        "%s of table %s, which the update does not give and no row has"
                                .formatted(missing.getMessage(), schema.qualifiedName()),
                        missing);
            }
            throw missing;
        }
    }
}
