package io.stele.connector.read;

import static java.util.Objects.requireNonNull;

import io.airlift.slice.Slice;
import io.airlift.slice.Slices;
import io.stele.storage.objectstore.ObjectStore;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReaderOptions;
import java.io.IOException;

/**
 * One ORC file of the warehouse; what lies in the file's tail comes from memory. Confined to one
 * thread.
 */
final class WarehouseOrcDataSource extends AbstractOrcDataSource {
    private final ObjectStore warehouse;
    private final FileTails tails;
    private final String path;

    WarehouseOrcDataSource(
            ObjectStore warehouse,
            FileTails tails,
            String path,
            long sizeBytes,
            OrcReaderOptions options) {
        super(new OrcDataSourceId(path), sizeBytes, options);
        this.warehouse = requireNonNull(warehouse, "warehouse is null");
        this.tails = requireNonNull(tails, "tails is null");
        this.path = requireNonNull(path, "path is null");
    }

    @Override
    protected Slice readTailInternal(int length) throws IOException {
        byte[] tail = tails.load(path, getEstimatedSize(), length);
        int wanted = (int) Math.min(length, getEstimatedSize());
        return Slices.wrappedBuffer(tail, tail.length - wanted, wanted);
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength)
            throws IOException {
        warehouse.read(path, position, buffer, bufferOffset, bufferLength);
    }
}
