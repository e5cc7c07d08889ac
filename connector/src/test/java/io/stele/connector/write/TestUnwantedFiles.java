package io.stele.connector.write;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.connector.handle.FileSplitFixture;
import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.FileBitmapIndexes;
import io.stele.connector.read.FilePageSources;
import io.stele.connector.read.FileTails;
import io.stele.connector.read.HotColumns;
import io.stele.connector.read.ScanCaches;
import io.stele.connector.sidecar.CacheUse;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.TableId;
import io.stele.protocol.api.WrittenFile;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.storage.format.FileChecksums;
import io.stele.storage.objectstore.ForwardingObjectStore;
import io.stele.storage.objectstore.InMemoryObjectStore;
import io.stele.storage.objectstore.ObjectStore;
import io.trino.spi.Page;
import io.trino.spi.block.LongArrayBlock;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is read of a file of which a query, or a join's keys, want no row. */
final class TestUnwantedFiles {
    private static final String PATH = "data/7/0/a.orc";
    private static final int ROWS = 5_000;
    private static final int KEY = 1;
    private static final SteleColumnHandle KEY_COLUMN = new SteleColumnHandle(KEY, "k", BIGINT);

    private final TrinoTypes types = new TrinoTypes(TESTING_TYPE_MANAGER);
    private final Paths store = new Paths(new InMemoryObjectStore());
    private final TableSchema table = table();
    private SteleFileSplit split;

    /** Notes which objects are looked at in any way. Confined to one thread. */
    private static final class Paths extends ForwardingObjectStore {
        private final List<String> seen = new ArrayList<>();

        Paths(ObjectStore store) {
            super(store);
        }

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            seen.add(path);
            super.read(path, offset, buffer, bufferOffset, length);
        }

        List<String> take() {
            List<String> taken = List.copyOf(seen);
            seen.clear();
            return taken;
        }
    }

    /** Keys are even, so that no range of values leaves odd ones out. */
    @BeforeEach
    void write() throws IOException {
        long[] keys = new long[ROWS];
        for (int row = 0; row < ROWS; row++) {
            keys[row] = row % 10 * 2L;
        }
        ColumnFile.Summary summary;
        try (ColumnFile file =
                ColumnFile.create(store, PATH, table.columns(), table.options(), types)) {
            LongArrayBlock block = new LongArrayBlock(ROWS, Optional.empty(), keys);
            file.write(new Page(ROWS, block, block));
            summary = file.finish();
        }
        split =
                new FileSplitFixture(PATH, summary.sizeBytes())
                        .ofWorker(5, 100)
                        .checksums(OptionalInt.of(FileChecksums.BLOCK_BYTES))
                        .bitmapIndex(summary.bitmapIndexBytes())
                        .build();
        assertThat(split.bitmapIndexBytes()).isPresent();
        store.take();
    }

    private static TableSchema table() {
        DataType bigint = DataType.parse("bigint");
        return new TableSchema(
                        new TableId(7),
                        "s",
                        "t",
                        1,
                        List.of(
                                new ColumnSchema(KEY, "k", bigint),
                                new ColumnSchema(2, "v", bigint)),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        Orientation.COLUMN,
                        0,
                        4,
                        Optional.empty())
                .withOptions(TableOptions.NONE.withBitmapColumns(List.of(KEY)));
    }

    @Test
    void aWantedValueIsReadFromTheFile() throws Exception {
        assertThat(rows(keys(4L))).isPositive();
        assertThat(store.take()).contains(PATH, WrittenFile.bitmapIndexPath(PATH));
    }

    @Test
    void whereBitmapsLeaveNothingTheyAreAllThatIsRead() throws Exception {
        FilePageSources sources = sources();
        assertThat(rows(sources, keys(5L))).isZero();
        assertThat(store.take()).isNotEmpty().containsOnly(WrittenFile.bitmapIndexPath(PATH));
        // As a dynamic filter has keys of a join
        assertThat(rows(sources, keys(1L, 7L, 13L))).isZero();
        assertThat(store.take()).doesNotContain(PATH, WrittenFile.checksumsPath(PATH));
    }

    @Test
    void whereAJoinHasNoKeyNothingIsRead() throws Exception {
        assertThat(rows(TupleDomain.none())).isZero();
        assertThat(store.take()).isEmpty();
    }

    /** Else the others would be of no worth. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutBitmapsTheFileIsOpened(boolean hasKey) throws Exception {
        split =
                new FileSplitFixture(PATH, split.sizeBytes())
                        .ofWorker(5, 100)
                        .checksums(OptionalInt.of(FileChecksums.BLOCK_BYTES))
                        .build();
        rows(keys(hasKey ? 4L : 5L));
        assertThat(store.take()).contains(PATH);
    }

    private static TupleDomain<SteleColumnHandle> keys(Long... keys) {
        return TupleDomain.withColumnDomains(
                Map.of(KEY_COLUMN, Domain.multipleValues(BIGINT, List.of(keys))));
    }

    private FilePageSources sources() {
        return new FilePageSources(
                new FileTails(_ -> store, _ -> Optional.empty(), 0),
                new HotColumns(0),
                new FileBitmapIndexes(store),
                types,
                Runnable::run);
    }

    private long rows(TupleDomain<SteleColumnHandle> constraint) throws Exception {
        return rows(sources(), constraint);
    }

    private long rows(FilePageSources sources, TupleDomain<SteleColumnHandle> constraint)
            throws Exception {
        long rows = 0;
        try (ConnectorPageSource source =
                sources.open(
                        new SteleTableHandle(table, "r", Long.MAX_VALUE),
                        split,
                        List.of(KEY_COLUMN),
                        constraint,
                        ScanCaches.all(CacheUse.FILL),
                        MemoryContext.NO_LIMIT)) {
            while (!source.isFinished()) {
                source.isBlocked().get();
                SourcePage page = source.getNextSourcePage();
                rows += page == null ? 0 : page.getPositionCount();
            }
        }
        return rows;
    }
}
