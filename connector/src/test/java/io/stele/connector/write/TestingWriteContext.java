package io.stele.connector.write;

import static io.trino.type.InternalTypeManager.TESTING_TYPE_MANAGER;

import io.stele.connector.config.SteleConfig;
import io.stele.connector.handle.ExistingRows;
import io.stele.connector.handle.SteleWriteHandle;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.schema.TableSchema;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Contexts of writes into a store, with a sidecar that cannot be reached. Stateless. */
final class TestingWriteContext {
    static final int SORT_BUFFER_BYTES = 1 << 20;
    private static final long MAX_OPEN_BYTES = 1 << 20;

    private TestingWriteContext() {}

    static WriteContext of(TableSchema table, ObjectStore store) {
        return of(table, store, cache(store), MAX_OPEN_BYTES);
    }

    static WriteContext of(
            TableSchema table,
            ObjectStore store,
            FileMetadataCache fileMetadata,
            long maxOpenBytes) {
        return new WriteContext(
                new SteleSidecar(
                        new SteleConfig()
                                .setSidecarUri(URI.create("http://127.0.0.1:1"))
                                .setSharedSecret("0123456789abcdef")),
                store,
                fileMetadata,
                new TrinoTypes(TESTING_TYPE_MANAGER),
                new SteleWriteHandle(table, "1", "data/7", List.of(), true, ExistingRows.REPLACE),
                new UUID(0, 1),
                0,
                SORT_BUFFER_BYTES,
                maxOpenBytes);
    }

    private static FileMetadataCache cache(ObjectStore store) {
        return new FileMetadataCache(_ -> store, _ -> Optional.empty(), 8 << 20);
    }
}
