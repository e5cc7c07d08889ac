package io.stele.connector.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.read.file.FileMetadataCache;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.TableId;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.Block;
import io.trino.spi.block.LongArrayBlock;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class TestStreamedFilesSink {
    private static final int COLUMNS = 4;
    private static final int PAGE_ROWS = 8 * 1024;
    private static final int PAGES = 200; // 50 MiB
    private static final int SHARDS = 8;

    private final ObjectStore store = new InMemoryObjectStore();
    private final FileMetadataCache fileMetadata =
            new FileMetadataCache(_ -> store, _ -> Optional.empty(), 8 << 20);
    private final Random random = new Random(5);
    private long mostRetainedBytes;

    @Test
    void openFilesHaveALimitTogether() throws IOException {
        long maxBytes = 16 << 20;
        List<WrittenFile> files = write(maxBytes);
        assertThat(mostRetainedBytes).isLessThanOrEqualTo(maxBytes);
        assertThat(files.size()).isBetween(SHARDS, 60);
    }

    @Test
    void withRoomEachShardHasOneFile() throws IOException {
        List<WrittenFile> files = write(1 << 30);
        assertThat(mostRetainedBytes).isGreaterThan(16 << 20);
        assertThat(files).hasSize(SHARDS);
    }

    @Test
    void whatReadersWantFirstIsKept() throws IOException {
        assertThat(fileMetadata.statistics().entries()).isZero();
        List<WrittenFile> files = write(1 << 30);
        assertThat(fileMetadata.statistics().entries()).isGreaterThanOrEqualTo(files.size());
    }

    /** Files of less than 1 MiB stay open, whatever they retain. */
    @Test
    void aLimitThatIsTooSmallDoesNotMakeAFileAPage() throws IOException {
        assertThat(write(1 << 20).size()).isBetween(SHARDS, 100); // 50 MiB; 1,600 pages of shards
    }

    private List<WrittenFile> write(long maxOpenBytes) throws IOException {
        StreamedFilesSink sink = new StreamedFilesSink(context(maxOpenBytes), true);
        for (int page = 0; page < PAGES; page++) {
            sink.append(new Page(PAGE_ROWS, blocks()));
            mostRetainedBytes = Math.max(mostRetainedBytes, sink.retainedBytes());
        }
        List<WrittenFile> files = sink.finish();
        assertThat(files.stream().mapToLong(WrittenFile::rowCount).sum())
                .isEqualTo((long) PAGES * PAGE_ROWS);
        assertThat(files.stream().map(WrittenFile::shard).distinct()).hasSize(SHARDS);
        for (WrittenFile file : files) {
            assertThat(store.size(file.path())).isEqualTo(file.sizeBytes());
        }
        return files;
    }

    private Block[] blocks() {
        return IntStream.range(0, COLUMNS)
                .mapToObj(_ -> random.longs(PAGE_ROWS).toArray())
                .map(values -> new LongArrayBlock(PAGE_ROWS, Optional.empty(), values))
                .toArray(Block[]::new);
    }

    private WriteContext context(long maxOpenBytes) {
        TableSchema table =
                TableSchema.builder("s", "t")
                        .id(new TableId(7))
                        .columns(
                                IntStream.rangeClosed(1, COLUMNS)
                                        .mapToObj(
                                                id ->
                                                        new ColumnSchema(
                                                                id,
                                                                "c" + id,
                                                                DataType.parse("bigint")))
                                        .toList())
                        .distributionKey(List.of(1))
                        .shardCount(SHARDS)
                        .build();
        return TestingWriteContext.of(table, store, fileMetadata, maxOpenBytes);
    }
}
