package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.config.SteleConfig;
import io.stele.connector.handle.SteleMergeHandle;
import io.stele.connector.handle.SteleWriteHandle;
import io.stele.connector.read.file.FileMetadataCache;
import io.stele.connector.sidecar.SteleSidecar;
import io.stele.connector.type.TrinoTypes;
import io.stele.objectstore.ObjectStore;
import io.trino.spi.connector.ConnectorInsertTableHandle;
import io.trino.spi.connector.ConnectorMergeSink;
import io.trino.spi.connector.ConnectorMergeTableHandle;
import io.trino.spi.connector.ConnectorOutputTableHandle;
import io.trino.spi.connector.ConnectorPageSink;
import io.trino.spi.connector.ConnectorPageSinkId;
import io.trino.spi.connector.ConnectorPageSinkProvider;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.ConnectorTableExecuteHandle;
import io.trino.spi.connector.ConnectorTransactionHandle;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Trino's entrance to writes on a worker: it creates the sink of each writer of rows or changes,
 * and of cache warming. Thread-safe.
 */
public final class StelePageSinks implements ConnectorPageSinkProvider {
    private final SteleSidecar sidecar;
    private final ObjectStore warehouse;
    private final FileMetadataCache fileMetadata;
    private final TrinoTypes types;
    private final long directThresholdBytes;
    private final long sortBufferBytes;
    private final long maxOpenBytes;

    @Inject
    public StelePageSinks(
            SteleSidecar sidecar,
            ObjectStore warehouse,
            FileMetadataCache fileMetadata,
            TrinoTypes types,
            SteleConfig config) {
        this.fileMetadata = requireNonNull(fileMetadata, "fileMetadata is null");
        this.sidecar = requireNonNull(sidecar, "sidecar is null");
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.types = requireNonNull(types, "types is null");
        this.directThresholdBytes = config.getDirectWriteThreshold().toBytes();
        this.sortBufferBytes = config.getSortBufferSize().toBytes();
        this.maxOpenBytes = config.getMaxOpenSize().toBytes();
    }

    @Override
    public ConnectorPageSink createPageSink(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorOutputTableHandle outputTableHandle,
            Optional<ConnectorTableCredentials> tableCredentials,
            ConnectorPageSinkId pageSinkId) {
        return insert((SteleWriteHandle) outputTableHandle);
    }

    @Override
    public ConnectorPageSink createPageSink(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorInsertTableHandle insertTableHandle,
            Optional<ConnectorTableCredentials> tableCredentials,
            ConnectorPageSinkId pageSinkId) {
        return insert((SteleWriteHandle) insertTableHandle);
    }

    /** The sink of rows that are read only to fill caches. */
    @Override
    public ConnectorPageSink createPageSink(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorTableExecuteHandle tableExecuteHandle,
            Optional<ConnectorTableCredentials> tableCredentials,
            ConnectorPageSinkId pageSinkId) {
        return new WarmingSink();
    }

    @Override
    public ConnectorMergeSink createMergeSink(
            ConnectorTransactionHandle transactionHandle,
            ConnectorSession session,
            ConnectorMergeTableHandle mergeHandle,
            Optional<ConnectorTableCredentials> tableCredentials,
            ConnectorPageSinkId pageSinkId) {
        SteleWriteHandle write = ((SteleMergeHandle) mergeHandle).write();
        WriteContext context = context(write);
        RowDeletes deletes =
                write.table().hasPrimaryKey() ? new KeyDeletes(context) : new RowIdDeletes(context);
        return new SteleMergeSink(
                context.part(),
                new InsertSink(context, directThresholdBytes, SmallPartitions.FEW_OF_MERGE),
                deletes,
                write.columns().size());
    }

    private StelePageSink insert(SteleWriteHandle write) {
        return new StelePageSink(
                new InsertSink(context(write), directThresholdBytes, SmallPartitions.FEW));
    }

    private WriteContext context(SteleWriteHandle write) {
        for (int index = 0; index < write.columns().size(); index++) {
            if (write.columns().get(index).id() != write.table().columns().get(index).id()) {
                throw new IllegalArgumentException(
                        "Expected the columns of %s in order, found %s"
                                .formatted(write, write.columns()));
            }
        }
        // The writers of one task have the same id
        int firstShard = ThreadLocalRandom.current().nextInt(write.table().shardCount());
        return new WriteContext(
                sidecar,
                warehouse,
                fileMetadata,
                types,
                write,
                UUID.randomUUID(),
                firstShard,
                sortBufferBytes,
                maxOpenBytes);
    }
}
