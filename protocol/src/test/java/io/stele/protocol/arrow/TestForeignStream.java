package io.stele.protocol.arrow;

import static java.util.Arrays.asList;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.row.RandomValues;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.Message;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Reads a stream that pyarrow wrote (see write-foreign-stream.py beside it), with types that Stele
 * does not write.
 */
final class TestForeignStream {
    private static final List<ColumnSchema> COLUMNS =
            columns(
                    "id bigint",
                    "name varchar(6)",
                    "data varbinary",
                    "price decimal(20,2)",
                    "millis timestamp(6)",
                    "berlin timestamp(3) with time zone",
                    "clock time(3)",
                    "day date",
                    "flags array(boolean)",
                    "tags map(varchar, double)",
                    "point row(\"x\" bigint, \"y\" varchar)",
                    "missing bigint");

    private static List<ColumnSchema> columns(String... definitions) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (String definition : definitions) {
            String[] parts = definition.split(" ", 2);
            columns.add(new ColumnSchema(columns.size() + 1, parts[0], DataType.parse(parts[1])));
        }
        return columns;
    }

    @Test
    void valuesAreConverted() throws Exception {
        Map<String, @Nullable Double> tags = new LinkedHashMap<>();
        tags.put("b", null);
        tags.put("c", 2.0);
        LocalDateTime local = LocalDateTime.of(2026, 1, 2, 3, 4, 5, 678_000_000);
        Instant instant = Instant.parse("2026-01-02T03:04:05Z");
        List<List<@Nullable Object>> expected =
                List.of(
                        asList(
                                1L,
                                "one",
                                new byte[] {0, -1},
                                new BigDecimal("1.50"),
                                local,
                                instant,
                                LocalTime.of(23, 59, 59, 1_000_000),
                                LocalDate.of(1969, 12, 31),
                                asList(true, null),
                                Map.of("a", 1.5),
                                asList(1L, "p"),
                                null),
                        asList(
                                2L,
                                null,
                                new byte[0],
                                null,
                                null,
                                instant,
                                null,
                                null,
                                List.of(),
                                null,
                                null,
                                null),
                        asList(
                                3L,
                                "drei ü",
                                null,
                                new BigDecimal("-99.99"),
                                local,
                                null,
                                LocalTime.MIDNIGHT,
                                LocalDate.of(2026, 1, 2),
                                null,
                                tags,
                                asList(null, "q"),
                                null));
        assertThat(RandomValues.comparable(read())).isEqualTo(RandomValues.comparable(expected));
    }

    private static List<List<@Nullable Object>> read() throws Exception {
        ByteBuffer stream = stream();
        RowLayout layout = RowLayout.of(COLUMNS);
        ArrowBatchDecoder decoder = ArrowBatchDecoder.forSchema(header(stream));
        List<List<@Nullable Object>> rows = new ArrayList<>();
        for (ByteBuffer header = header(stream); header.hasRemaining(); header = header(stream)) {
            long bodyLength =
                    Message.getRootAsMessage(header.slice().order(ByteOrder.LITTLE_ENDIAN))
                            .bodyLength();
            ArrowBatch batch = decoder.decode(header, take(stream, (int) bodyLength));
            for (int i = 0; i < batch.rowCount(); i++) {
                rows.add(TestArrowBatch.objects(batch, layout, i));
            }
        }
        return rows;
    }

    private static ByteBuffer stream() throws Exception {
        try (InputStream input =
                TestForeignStream.class.getResourceAsStream("/arrow/foreign-stream.arrows")) {
            return ByteBuffer.wrap(requireNonNull(input).readAllBytes())
                    .order(ByteOrder.LITTLE_ENDIAN);
        }
    }

    /** The next encapsulated message's flatbuffer; empty at the end of the stream. */
    private static ByteBuffer header(ByteBuffer stream) {
        assertThat(stream.getInt()).isEqualTo(-1);
        return take(stream, stream.getInt());
    }

    private static ByteBuffer take(ByteBuffer stream, int length) {
        ByteBuffer taken = stream.slice(stream.position(), length);
        stream.position(stream.position() + length);
        return taken;
    }
}
