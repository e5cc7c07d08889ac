package io.stele.connector.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.metadata.FileMetadata;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.LongArrayBlock;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A writer that fails at any of its objects, as one that is interrupted does, leaves none. */
final class TestSinkFiles {
    private static final int SHARDS = 3;
    private static final int ROWS = 1_000;

    private final InMemoryObjectStore store = new InMemoryObjectStore();

    @Test
    void sortedFilesLeaveNothing() throws IOException {
        // Of each of three files: rows, key index
        for (int object = 1; object <= 2 * SHARDS; object++) {
            failAt(object, true);
        }
    }

    @Test
    void streamedFilesLeaveNothing() throws IOException {
        for (int object = 1; object <= 2 * SHARDS; object++) {
            failAt(object, false);
        }
    }

    /** A file costs two PUTs: rows, and the key index or, without a key, the checksums. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoObjectsAFile(boolean keyed) throws IOException {
        FailingStore counting = new FailingStore(store, Integer.MAX_VALUE);
        RowSink sink = sink(counting, keyed);
        sink.append(page());
        List<WrittenFile> files = sink.finish();
        assertThat(files).hasSize(SHARDS);
        assertThat(counting.created()).isEqualTo(2 * SHARDS);
        assertThat(store.list(""))
                .extracting(ObjectEntry::path)
                .containsExactlyInAnyOrderElementsOf(
                        files.stream().flatMap(file -> file.paths().stream()).toList());
        for (WrittenFile file : files) {
            assertThat(file.paths()).hasSize(2);
            assertThat(file.metadataBytes().isPresent()).isEqualTo(keyed);
            assertThat(file.checksumBlockBytes().isPresent()).isEqualTo(!keyed);
            if (keyed) {
                FileMetadata found =
                        KeyIndexReader.readMetadata(
                                store,
                                file.path(),
                                file.sizeBytes(),
                                new IndexedMetadata(
                                        file.keyIndexSizeBytes(), file.metadataBytes().getAsInt()));
                assertThat(found.isChecksumsAlone()).isFalse();
                found.checksums(file.path(), file.sizeBytes(), file.path());
            }
        }
    }

    /** A commit of many files is one message, and sketches are most of it. */
    @Test
    void sketchesOfManyFilesAreLeftOut() throws IOException {
        FailingStore all = new FailingStore(store, Integer.MAX_VALUE);
        RowSink sink = sink(all, true);
        sink.append(page());
        WrittenFile file = sink.finish().getFirst();
        assertThat(file.sketches()).isNotEmpty();
        SinkFiles files = new SinkFiles(context(all, true));
        for (int i = 0; i < 1_500; i++) {
            files.finished(file);
        }
        assertThat(files.finished().subList(0, 1_000)).allMatch(file::equals);
        assertThat(files.finished().subList(1_000, 1_500))
                .allMatch(late -> late.sketches().isEmpty() && late.paths().equals(file.paths()));
    }

    private static RowSink sink(FailingStore store, boolean keyed) {
        WriteContext context = context(store, keyed);
        return keyed
                ? SortedFilesSink.byFile(context, SmallPartitions.FEW)
                : new StreamedFilesSink(context, true);
    }

    private void failAt(int object, boolean keyed) throws IOException {
        FailingStore failing = new FailingStore(store, object);
        RowSink sink = sink(failing, keyed);
        assertThatThrownBy(
                        () -> {
                            sink.append(page());
                            sink.finish();
                        })
                .hasMessage("object " + object);
        assertThat(failing.created()).isEqualTo(object);
        sink.abort();
        assertThat(store.list("")).isEmpty();
    }

    private static Page page() {
        return new Page(
                ROWS,
                new LongArrayBlock(ROWS, Optional.empty(), LongStream.range(0, ROWS).toArray()));
    }

    private static WriteContext context(FailingStore store, boolean keyed) {
        TableSchema table =
                TableSchema.builder("s", "t")
                        .id(new TableId(7))
                        .columns(
                                List.of(
                                        new ColumnSchema(1, "c1", DataType.parse("bigint"))
                                                .notNull()))
                        .primaryKey(keyed ? List.of(1) : List.of())
                        .distributionKey(List.of(1))
                        .shardCount(SHARDS)
                        .build();
        return TestingWriteContext.of(table, store);
    }
}
