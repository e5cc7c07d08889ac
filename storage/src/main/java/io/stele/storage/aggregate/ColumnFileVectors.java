package io.stele.storage.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DecimalType;
import io.stele.storage.orc.ColumnBatches;
import io.stele.storage.tablet.ColumnFile;
import io.stele.storage.tablet.TableFiles;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DecimalColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * The rows of a column file that a reader sees, in the file's own vectors: nothing is copied but
 * long decimals. A file of an earlier schema version needs no mapping, since whatever a column of
 * these types was widened from has the same values in ORC. Confined to one thread at a time.
 */
final class ColumnFileVectors implements VectorSource {
    private final TableFiles files;
    private final ColumnFile file;
    private final List<ColumnSchema> columns;
    private final long readLsn;
    private final long fromLsn;
    private final boolean checksLsn;
    private final RoaringBitmap deleted;
    private final @Nullable ValueVector[] vectors;
    private @Nullable ColumnBatches batches;

    /**
     * @param columns as readers know them
     * @param deleted rows that are gone
     * @param readLsn rows above came later
     * @param fromLsn rows below have expired
     */
    ColumnFileVectors(
            TableFiles files,
            ColumnFile file,
            List<ColumnSchema> columns,
            RoaringBitmap deleted,
            long readLsn,
            long fromLsn) {
        this.files = requireNonNull(files, "files is null");
        this.file = requireNonNull(file, "file is null");
        this.columns = List.copyOf(columns);
        this.deleted = requireNonNull(deleted, "deleted is null");
        this.readLsn = readLsn;
        this.fromLsn = fromLsn;
        this.checksLsn =
                file.entry().maxLsn().value() > readLsn || file.entry().minLsn().value() < fromLsn;
        this.vectors = new ValueVector[columns.size()];
    }

    @Override
    public boolean load() throws IOException {
        Arrays.fill(vectors, null);
        ColumnBatches open = batches;
        if (open == null) {
            open =
                    files.openBatches(
                            file,
                            columns.stream().map(ColumnSchema::id).collect(Collectors.toSet()),
                            checksLsn,
                            BATCH_ROWS);
            batches = open;
        }
        return open.advance();
    }

    @Override
    public int size() {
        return open().size();
    }

    @Override
    public ValueVector column(int slot) {
        ValueVector vector = vectors[slot];
        if (vector == null) {
            vector = read(columns.get(slot));
            vectors[slot] = vector;
        }
        return vector;
    }

    @Override
    public int select(int[] rows) {
        ColumnBatches batch = open();
        int first = batch.firstOrdinal();
        int size = batch.size();
        boolean checksDeleted = deleted.intersects(first, (long) first + size);
        int count = 0;
        for (int row = 0; row < size; row++) {
            rows[count] = row;
            boolean visible =
                    (!checksLsn || (batch.lsn(row) <= readLsn && batch.lsn(row) >= fromLsn))
                            && !(checksDeleted && deleted.contains(first + row));
            count += visible ? 1 : 0;
        }
        return count;
    }

    private ValueVector read(ColumnSchema column) {
        VectorKind kind = VectorKind.of(column.type());
        int size = size();
        Optional<ColumnVector> found = open().values(column.id());
        if (found.isEmpty()) {
            return InitialVector.of(column, size);
        }
        ColumnVector source = found.get();
        ValueVector vector = new ValueVector(kind);
        vector.nulls = source.isNull;
        vector.hasNulls = !source.noNulls;
        switch (source) {
            case LongColumnVector longs when kind == VectorKind.LONG -> vector.longs = longs.vector;
            case LongColumnVector longs when kind == VectorKind.INT128 -> {
                vector.longs = longs.vector; // a decimal that was of 18 digits or less
                vector.highs = new long[size];
                for (int row = 0; row < size; row++) {
                    vector.highs[row] = longs.vector[row] >> (Long.SIZE - 1);
                }
            }
            case DecimalColumnVector decimals when kind == VectorKind.INT128 ->
                    copy(decimals, ((DecimalType) column.type()).scale(), size, vector);
            case DoubleColumnVector doubles when kind == VectorKind.DOUBLE ->
                    vector.doubles = doubles.vector;
            case BytesColumnVector texts when kind == VectorKind.BYTES -> {
                vector.bytes = texts.vector;
                vector.starts = texts.start;
                vector.lengths = texts.length;
            }
            default ->
                    throw new IllegalStateException(
                            "Expected values of %s for column %s in %s, found a %s"
                                    .formatted(
                                            column.type(),
                                            column.name(),
                                            file.entry().path(),
                                            source.getClass().getSimpleName()));
        }
        return vector;
    }

    private static void copy(DecimalColumnVector source, int scale, int size, ValueVector target) {
        target.longs = new long[size];
        target.highs = new long[size];
        for (int row = 0; row < size; row++) {
            if (target.isNull(row)) {
                continue;
            }
            // ORC drops trailing zeros of the fraction, so the stored scale may be smaller.
            BigInteger unscaled =
                    source.vector[row]
                            .getHiveDecimal()
                            .bigDecimalValue()
                            .setScale(scale)
                            .unscaledValue();
            target.longs[row] = unscaled.longValue();
            target.highs[row] = unscaled.shiftRight(Long.SIZE).longValueExact();
        }
    }

    private ColumnBatches open() {
        return requireNonNull(batches, "no batch");
    }

    @Override
    public void close() throws IOException {
        ColumnBatches open = batches;
        batches = null;
        if (open != null) {
            open.close();
        }
    }
}
