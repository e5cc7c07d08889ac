package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.connector.config.SteleConfig;
import io.stele.connector.handle.ExistingRows;
import io.stele.connector.handle.SteleWriteHandle;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.Page;
import io.trino.spi.block.LongArrayBlock;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A writer that fails at any of its objects, as one that is interrupted does, leaves none. */
final class TestSinkFiles {
    private static final int SHARDS = 3;
    private static final int ROWS = 1_000;

    private final InMemoryObjectStore store = new InMemoryObjectStore();

    @Test
    void sortedFilesLeaveNothing() throws IOException {
        // Of each of three files: rows, checksums, key index
        for (int object = 1; object <= 3 * SHARDS; object++) {
            failAt(object, true);
        }
    }

    @Test
    void streamedFilesLeaveNothing() throws IOException {
        for (int object = 1; object <= 2 * SHARDS; object++) {
            failAt(object, false);
        }
    }

    private void failAt(int object, boolean keyed) throws IOException {
        FailingStore failing = new FailingStore(object);
        WriteContext context = context(failing, keyed);
        RowSink sink =
                keyed
                        ? SortedFilesSink.byFile(context, SmallPartitions.FEW)
                        : new StreamedFilesSink(context, true);
        assertThatThrownBy(
                        () -> {
                            sink.append(page());
                            sink.finish();
                        })
                .hasMessage("object " + object);
        assertThat(failing.created).isEqualTo(object);
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
                new TableSchema(
                        new TableId(7),
                        "s",
                        "t",
                        1,
                        List.of(new ColumnSchema(1, "c1", DataType.parse("bigint")).notNull()),
                        keyed ? List.of(1) : List.of(),
                        List.of(1),
                        List.of(),
                        List.of(),
                        Orientation.COLUMN,
                        0,
                        SHARDS,
                        Optional.empty());
        return new WriteContext(
                new SteleSidecar(
                        new SteleConfig()
                                .setSidecarUri(URI.create("http://127.0.0.1:1"))
                                .setSharedSecret("0123456789abcdef")),
                store,
                new FileMetadataCache(_ -> store, _ -> Optional.empty(), 8 << 20),
                new TrinoTypes(TESTING_TYPE_MANAGER),
                new SteleWriteHandle(table, "1", "data/7", List.of(), true, ExistingRows.REPLACE),
                new UUID(0, 1),
                0,
                1 << 20,
                1 << 20);
    }

    /** Fails when a certain object is to be written. */
    private final class FailingStore extends ForwardingObjectStore {
        private final int failing;
        private int created;

        private FailingStore(int failing) {
            super(store);
            this.failing = failing;
        }

        private void count() throws IOException {
            if (++created == failing) {
                throw new IOException("object " + failing);
            }
        }

        @Override
        public void put(String path, byte[] content) throws IOException {
            count();
            super.put(path, content);
        }

        @Override
        public ObjectWriter create(String path) throws IOException {
            count();
            return super.create(path);
        }
    }
}
