package io.stele.columnfile.index;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.bytes.Corruption;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.predicate.ValueRange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.TableSchema;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * A reader of the bitmap index of a column file, for scans: it finds the rows that may satisfy a
 * predicate, by the bitmaps that {@link BitmapIndexBuilder} wrote. Immutable and thread-safe.
 */
public final class BitmapIndexReader {
    /** The scan evaluates a range over more values than this. */
    static final int MAX_VALUES_OF_PREDICATE = 4_096;

    private final SstFileReader file;

    private BitmapIndexReader(SstFileReader file) {
        this.file = requireNonNull(file, "file is null");
    }

    public static BitmapIndexReader open(
            ObjectStore store, String path, long sizeBytes, BlockCache cache) throws IOException {
        return new BitmapIndexReader(SstFileReader.open(store, path, sizeBytes, cache));
    }

    /**
     * The ordinals of all rows that satisfy the predicate, and perhaps of other rows; empty if none
     * of the predicate's columns is indexed.
     *
     * @param table the schema in which the predicate's values are encoded; the index ignores a
     *     column that had another type when the file was written
     * @throws io.stele.protocol.SteleException CORRUPT_DATA naming file, expected and found
     */
    public Optional<RoaringBitmap> select(ScanPredicate predicate, TableSchema table)
            throws IOException {
        RoaringBitmap selected = null;
        for (Map.Entry<Integer, ColumnDomain> column : predicate.domains().entrySet()) {
            RoaringBitmap rows = select(table.column(column.getKey()), column.getValue());
            if (rows == null) {
                continue;
            }
            if (selected == null) {
                selected = rows;
            } else {
                selected.and(rows);
            }
            if (selected.isEmpty()) {
                break;
            }
        }
        return Optional.ofNullable(selected);
    }

    private @Nullable RoaringBitmap select(ColumnSchema column, ColumnDomain domain)
            throws IOException {
        int columnId = column.id();
        boolean all = domain.ranges().stream().anyMatch(ValueRange::isAll);
        if (all || domain.ranges().size() > MAX_VALUES_OF_PREDICATE || !isIndexed(column)) {
            return null;
        }
        RoaringBitmap rows = new RoaringBitmap();
        int budget = MAX_VALUES_OF_PREDICATE;
        for (ValueRange range : domain.ranges()) {
            budget =
                    range.isSingle()
                            ? addValue(columnId, range, rows, budget)
                            : addRange(columnId, range, rows, budget);
            if (budget < 0) {
                return null;
            }
        }
        if (domain.nullAllowed()) {
            Optional<RowVersion> nulls = get(columnId, BitmapIndexBuilder.NULL, new byte[0]);
            if (nulls.isPresent()) {
                RowVersion version = nulls.get();
                rows.or(bitmap(version.array(), version.offset(), version.length()));
            }
        }
        return rows;
    }

    private boolean isIndexed(ColumnSchema column) throws IOException {
        Optional<RowVersion> type = get(column.id(), BitmapIndexBuilder.INDEXED, new byte[0]);
        return type.isPresent()
                && Arrays.equals(
                        type.get().toByteArray(), BitmapIndexBuilder.typeText(column.type()));
    }

    private int addValue(int columnId, ValueRange range, RoaringBitmap rows, int budget)
            throws IOException {
        Optional<RowVersion> found =
                get(columnId, BitmapIndexBuilder.VALUE, range.low().orElseThrow());
        if (found.isPresent()) {
            RowVersion version = found.get();
            rows.or(bitmap(version.array(), version.offset(), version.length()));
        }
        return budget - 1;
    }

    /**
     * Adds the rows of values in a range; it includes the bounds even if the range excludes them.
     */
    private int addRange(int columnId, ValueRange range, RoaringBitmap rows, int budget)
            throws IOException {
        byte[] low =
                BitmapIndexBuilder.key(
                        columnId, BitmapIndexBuilder.VALUE, range.low().orElse(new byte[0]));
        byte[] high =
                range.high().isPresent()
                        ? BitmapIndexBuilder.key(
                                columnId, BitmapIndexBuilder.VALUE, range.high().get())
                        : BitmapIndexBuilder.key(columnId, BitmapIndexBuilder.NULL, new byte[0]);
        int left = budget;
        SstFileCursor cursor = file.cachedCursor();
        boolean found = cursor.seek(low);
        while (found
                && Arrays.compareUnsigned(
                                cursor.keyArray(), 0, cursor.keyLength(), high, 0, high.length)
                        <= 0
                && cursor.keyArray()[Integer.BYTES] == BitmapIndexBuilder.VALUE) {
            if (left == 0) {
                return -1;
            }
            left--;
            rows.or(bitmap(cursor.rowArray(), cursor.rowOffset(), cursor.rowLength()));
            found = cursor.advance();
        }
        return left;
    }

    private Optional<RowVersion> get(int columnId, byte kind, byte[] value) throws IOException {
        return file.get(BitmapIndexBuilder.key(columnId, kind, value), Long.MAX_VALUE);
    }

    private RoaringBitmap bitmap(byte[] bytes, int offset, int length) {
        RoaringBitmap rows = new RoaringBitmap();
        try {
            rows.deserialize(new DataInputStream(new ByteArrayInputStream(bytes, offset, length)));
        } catch (IOException | RuntimeException e) {
            throw Corruption.mismatch(file.path(), 0, "a bitmap of rows", "Roaring", e.toString());
        }
        return rows;
    }
}
