package io.stele.connector.write;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rows round partitions that are small in each sort buffer, and large in the end, so that no log is
 * needed.
 */
final class TestSortedFilesSink {
    private static final int PARTITIONS = 80; // more than FEW, each below 64 kB of a buffer
    private static final int PAGE_ROWS = 8_000;
    private static final int COLUMNS = 16;

    private final InMemoryObjectStore store = new InMemoryObjectStore();

    /** Of 8 buffers, which are read at the end, and of 24, of which 16 are merged before. */
    @ParameterizedTest
    @ValueSource(ints = {8, 24})
    void aPartitionIsOneFileThoughNoBufferHasMuchOfIt(int pages) throws IOException {
        RowSink sink = SortedFilesSink.byFile(context(store, false, 4), SmallPartitions.FEW);
        long most = 0;
        for (int page = 0; page < pages; page++) {
            sink.append(page(page * PAGE_ROWS));
            most = Math.max(most, sink.retainedBytes());
        }
        assertThat(most).isLessThan(2 * TestingWriteContext.SORT_BUFFER_BYTES);
        assertThat(spills()).isNotEmpty().hasSizeLessThanOrEqualTo(16);
        List<WrittenFile> files = sink.finish();
        assertThat(sink.parts()).isEmpty();
        assertThat(rowsOfPartitions(files))
                .hasSize(PARTITIONS)
                .allSatisfy(
                        (partition, rows) -> {
                            assertThat(rows).isEqualTo((long) pages * PAGE_ROWS / PARTITIONS);
                        });
        assertThat(files).hasSize(PARTITIONS);
        assertThat(spills()).isEmpty();
        sink.abort();
        assertThat(store.list("")).isEmpty();
    }

    /** The second half of the rows has the keys of the first half. */
    @Test
    void ofAKeyInSeveralBuffersTheLastRowStays() throws IOException {
        RowSink sink = SortedFilesSink.byFile(context(store, true, 1), SmallPartitions.FEW);
        for (int page = 0; page < 20; page++) {
            sink.append(page(page % 10 * PAGE_ROWS, page / 10));
        }
        List<WrittenFile> files = sink.finish();
        assertThat(files).hasSize(PARTITIONS);
        assertThat(files.stream().mapToLong(WrittenFile::rowCount).sum())
                .isEqualTo(10L * PAGE_ROWS);
        ValueCodec bigint = ValueCodec.of(DataType.parse("bigint"));
        assertThat(files)
                .allSatisfy(
                        file -> {
                            ColumnStats last = requireNonNull(file.columns().get(COLUMNS));
                            assertThat(bigint.decodeLong(last.min().orElseThrow())).isEqualTo(1);
                            assertThat(bigint.decodeLong(last.max().orElseThrow())).isEqualTo(1);
                        });
    }

    /** At a first object that waits, the one of 16 of them, the last one, and files. */
    @ParameterizedTest
    @ValueSource(ints = {1, 17, 19, 20, 100})
    void whatIsInterruptedLeavesNothing(int object) throws IOException {
        FailingStore failing = new FailingStore(store, object);
        RowSink sink = SortedFilesSink.byFile(context(failing, false, 1), SmallPartitions.FEW);
        assertThatThrownBy(
                        () -> {
                            for (int page = 0; page < 18; page++) {
                                sink.append(page(page * PAGE_ROWS));
                            }
                            sink.finish();
                        })
                .hasMessage("object " + object);
        sink.abort();
        assertThat(store.list("")).isEmpty();
    }

    @Test
    void anObjectThatIsNotWhatWasWrittenIsFound() throws IOException {
        RowSink sink = SortedFilesSink.byFile(context(store, false, 1), SmallPartitions.FEW);
        for (int page = 0; page < 4; page++) {
            sink.append(page(page * PAGE_ROWS));
        }
        String spill = spills().getLast();
        byte[] bytes = store.readFully(spill);
        bytes[bytes.length / 2] ^= 1;
        store.put(spill, bytes);
        assertThatThrownBy(sink::finish)
                .hasMessageMatching("Expected checksum \\w+, found \\w+ in .*" + spill + ".*");
    }

    private List<String> spills() throws IOException {
        return store.list("").stream()
                .map(ObjectEntry::path)
                .filter(path -> path.endsWith(".spill"))
                .toList();
    }

    private static Map<ByteBuffer, Long> rowsOfPartitions(List<WrittenFile> files) {
        Map<ByteBuffer, Long> rows = new HashMap<>();
        for (WrittenFile file : files) {
            rows.merge(ByteBuffer.wrap(file.partition().orElseThrow()), file.rowCount(), Long::sum);
        }
        return rows;
    }

    private static Page page(int first) {
        return page(first, 0);
    }

    /**
     * @param last what all rows have in the last column
     */
    private static Page page(int first, long last) {
        List<Block> blocks = new ArrayList<>();
        blocks.add(block(LongStream.range(first, first + PAGE_ROWS).map(v -> v % PARTITIONS)));
        for (int column = 1; column < COLUMNS - 1; column++) {
            blocks.add(block(LongStream.range(first, first + PAGE_ROWS)));
        }
        blocks.add(block(LongStream.range(first, first + PAGE_ROWS).map(_ -> last)));
        return new Page(blocks.toArray(Block[]::new));
    }

    private static Block block(LongStream values) {
        return new LongArrayBlock(PAGE_ROWS, Optional.empty(), values.toArray());
    }

    private static WriteContext context(ObjectStore store, boolean keyed, int shards) {
        List<ColumnSchema> columns = new ArrayList<>();
        for (int id = 1; id <= COLUMNS; id++) {
            columns.add(new ColumnSchema(id, "c" + id, DataType.parse("bigint")).notNull());
        }
        TableSchema table =
                TableSchema.builder("s", "t")
                        .id(new TableId(7))
                        .columns(columns)
                        .primaryKey(keyed ? List.of(1, 2) : List.of())
                        .distributionKey(keyed ? List.of(1, 2) : List.of())
                        .partitionedBy(List.of(1))
                        .shardCount(shards)
                        .build();
        return TestingWriteContext.of(table, store);
    }
}
