package io.stele.columnfile.orc.write;

import io.stele.columnfile.orc.ColumnExtractor;
import io.stele.protocol.predicate.StatsCollector;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hive.ql.exec.vector.BytesColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.ColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.DoubleColumnVector;
import org.apache.hadoop.hive.ql.exec.vector.LongColumnVector;

/**
 * A filter in column file writers that passes only the values of a column that may change its
 * bounds to a {@link StatsCollector}, and counts the nulls. After the first values, few change the
 * bounds. Confined to one thread.
 */
final class ColumnRange {
    private final int column;
    private final StatsCollector stats;
    private final ColumnExtractor extractor;
    private final RowEncoder encoder; // of a row of this column alone
    private final BinaryRow row;
    private final boolean isText; // bounds are the bytes themselves
    private long minLong = Long.MAX_VALUE;
    private long maxLong = Long.MIN_VALUE;
    private double minDouble = Double.NaN; // greatest in the order of Double.compare
    private double maxDouble = Double.NEGATIVE_INFINITY;
    private byte[] minBytes = new byte[0];
    private byte[] maxBytes = new byte[0];
    private boolean hasBytes;

    ColumnRange(ColumnSchema schema, int column, StatsCollector stats) {
        RowLayout layout = RowLayout.of(List.of(schema));
        this.column = column;
        this.stats = stats;
        this.extractor = ColumnExtractor.of(layout.value(0));
        this.encoder = RowEncoder.ofStored(layout);
        this.row = new BinaryRow(layout);
        this.isText = layout.type(0).form().isVariable();
    }

    /** Adds rows of a vector that was filled row by row. */
    void add(ColumnVector vector, int from, int count) {
        int nulls = 0;
        for (int i = from; i < from + count; i++) {
            if (!vector.noNulls && vector.isNull[i]) {
                nulls++;
            } else if (moves(vector, i)) {
                encoder.reset();
                extractor.extract(vector, i, encoder, 0);
                row.wrap(encoder.array(), 0, encoder.finish());
                stats.addValue(column, row, 0);
            }
        }
        stats.addNulls(column, nulls);
    }

    private boolean moves(ColumnVector vector, int at) {
        return switch (vector) {
            case LongColumnVector longs -> moves(longs.vector[at]);
            case DoubleColumnVector doubles -> moves(doubles.vector[at]);
            case BytesColumnVector bytes when isText ->
                    moves(bytes.vector[at], bytes.start[at], bytes.length[at]);
            default -> true;
        };
    }

    private boolean moves(long value) {
        boolean moves = value < minLong || value > maxLong;
        minLong = Math.min(minLong, value);
        maxLong = Math.max(maxLong, value);
        return moves;
    }

    private boolean moves(double value) {
        if (Double.isNaN(value)) {
            return true; // NaN is no bound, but it is counted
        }
        boolean lower = Double.compare(value, minDouble) < 0;
        boolean higher = Double.compare(value, maxDouble) > 0;
        minDouble = lower ? value : minDouble;
        maxDouble = higher ? value : maxDouble;
        return lower || higher;
    }

    private boolean moves(byte[] bytes, int start, int length) {
        int end = start + length;
        boolean lower =
                !hasBytes
                        || Arrays.compareUnsigned(bytes, start, end, minBytes, 0, minBytes.length)
                                < 0;
        boolean higher =
                !hasBytes
                        || Arrays.compareUnsigned(bytes, start, end, maxBytes, 0, maxBytes.length)
                                > 0;
        minBytes = lower ? Arrays.copyOfRange(bytes, start, end) : minBytes;
        maxBytes = higher ? Arrays.copyOfRange(bytes, start, end) : maxBytes;
        hasBytes = true;
        return lower || higher;
    }
}
