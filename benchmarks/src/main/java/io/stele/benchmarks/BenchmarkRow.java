package io.stele.benchmarks;

import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowRows;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.VarcharType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A JMH benchmark of one row of a bigint key and ten columns of 100 bytes of text in each step of
 * the hot path. Target: encode, validate and read together well below a microsecond, without
 * allocation.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class BenchmarkRow {
    private static final int TEXT_COLUMNS = 10;
    private static final int BATCH_ROWS = 1_000;

    private final TableSchema schema = schema();
    private final RowLayout layout = RowLayout.of(schema.columns());
    private final byte[] text = "0123456789".repeat(10).getBytes(StandardCharsets.US_ASCII);
    private final RowEncoder encoder = new RowEncoder(layout);
    private final RowEncoder decoded = new RowEncoder(layout);
    private final byte[] row = encode(1).clone();
    private final int rowLength = encoder.finish();
    private final BinaryRow view = new BinaryRow(layout).wrap(row, 0, rowLength);
    private final KeyEncoder keyEncoder = KeyEncoder.forPrimaryKey(schema);
    private final GrowingBytes key = GrowingBytes.forKey();
    private final List<ArrowField> fields = ArrowSchemas.fields(schema.columns());
    private final ArrowBatchEncoder arrowEncoder = ArrowBatchEncoder.forRows(fields, layout);
    private final ArrowRows arrowRows = new ArrowRows(fields, layout);
    private final ArrowBatch batch = batch();
    private long next;

    private static TableSchema schema() {
        List<ColumnSchema> columns = new ArrayList<>();
        columns.add(new ColumnSchema(1, "id", ScalarType.BIGINT).notNull());
        for (int i = 0; i < TEXT_COLUMNS; i++) {
            columns.add(new ColumnSchema(i + 2, "c" + i, VarcharType.VARCHAR));
        }
        return TableSchema.builder("bench", "rows")
                .columns(columns)
                .primaryKey(List.of(1))
                .shardCount(8)
                .build();
    }

    private byte[] encode(long id) {
        encoder.reset();
        encoder.setLong(0, id);
        for (int i = 1; i <= TEXT_COLUMNS; i++) {
            encoder.setBytes(i, text, 0, text.length);
        }
        encoder.finish();
        return encoder.array();
    }

    private ArrowBatch batch() {
        for (int i = 0; i < BATCH_ROWS; i++) {
            arrowEncoder.append(view);
        }
        ArrowMessage message = arrowEncoder.finish();
        return new ArrowBatchDecoder(fields).decode(message.header(), message.joinedBody());
    }

    /** Columns to row bytes. */
    @Benchmark
    public byte[] encodeRow() {
        return encode(next++);
    }

    /** The check of rows at a port. */
    @Benchmark
    public void validateRow() {
        layout.validate(row, 0, rowLength);
    }

    /** Every column found and touched. */
    @Benchmark
    public long readRow() {
        view.wrap(row, 0, rowLength);
        long sum = view.longAt(0);
        for (int i = 1; i <= TEXT_COLUMNS; i++) {
            if (!view.isNull(i)) {
                int offset = view.bytesOffset(i);
                sum += view.array()[offset] + view.array()[offset + view.bytesLength(i) - 1];
            }
        }
        return sum;
    }

    /** All three together. */
    @Benchmark
    public long encodeValidateRead() {
        byte[] bytes = encode(next++);
        layout.validate(bytes, 0, rowLength);
        return readRow();
    }

    /** Row to key bytes. */
    @Benchmark
    public int encodeKey() {
        key.clear();
        keyEncoder.encode(view, key);
        return key.length();
    }

    /** Rows to a record batch, a row. */
    @Benchmark
    @OperationsPerInvocation(BATCH_ROWS)
    public ArrowMessage rowsToArrow() {
        for (int i = 0; i < BATCH_ROWS; i++) {
            arrowEncoder.append(view);
        }
        return arrowEncoder.finish();
    }

    /** Record batch to rows, a row. */
    @Benchmark
    @OperationsPerInvocation(BATCH_ROWS)
    public long arrowToRows() {
        long sum = 0;
        for (int i = 0; i < BATCH_ROWS; i++) {
            sum += arrowRows.encode(batch, i, decoded);
        }
        return sum;
    }
}
