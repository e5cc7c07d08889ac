package io.stele.connector.read.file;

import static java.util.Objects.requireNonNull;

import io.stele.cache.ReadAccount;
import io.stele.columnfile.metadata.ChecksummedFile;
import io.stele.objectstore.ReadTally;
import io.stele.objectstore.retrieval.RetrievalReport;
import io.stele.protocol.api.status.ReadCounters;
import io.trino.orc.AbstractOrcDataSource;
import io.trino.orc.OrcDataSourceId;
import io.trino.orc.OrcReaderOptions;
import java.io.IOException;

/**
 * The data source through which trino-orc reads one column file of the warehouse, every read of
 * which is checked. Confined to one thread.
 */
public final class WarehouseOrcDataSource extends AbstractOrcDataSource {
    private final ChecksummedFile file;

    WarehouseOrcDataSource(ChecksummedFile file, OrcReaderOptions options) {
        super(new OrcDataSourceId(file.path()), file.sizeBytes(), options);
        this.file = requireNonNull(file, "file is null");
    }

    public ChecksummedFile file() {
        return file;
    }

    /** Counters of the bytes read, and of the bytes that came from the warehouse. */
    public ReadTally tally() {
        return file.unchecked().tally();
    }

    /**
     * The counters of the scan that reads the file through this source. Bytes that a prefetch of
     * the scan fetched came from the store, not from the data cache.
     */
    public ReadCounters counters(ReadAccount account) {
        ReadCounters all = RetrievalReport.counters(account);
        return new ReadCounters(
                all.requests(),
                all.rounds(),
                all.hedges(),
                all.storeBytes(),
                file.unchecked().cachedBytes(),
                all.memoryBytes());
    }

    @Override
    protected void readInternal(long position, byte[] buffer, int bufferOffset, int bufferLength)
            throws IOException {
        file.read(position, buffer, bufferOffset, bufferLength);
    }
}
