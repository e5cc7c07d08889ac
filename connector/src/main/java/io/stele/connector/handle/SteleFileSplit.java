package io.stele.connector.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

import io.airlift.slice.SizeOf;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.trino.spi.HostAddress;
import io.trino.spi.SplitWeight;
import io.trino.spi.connector.ConnectorSplit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The stripes of one column file that start within a range of its bytes.
 *
 * @param shard index of the shard that owns the file
 * @param path the file, in the warehouse
 * @param sizeBytes size of the whole file
 * @param start first byte of the range
 * @param length bytes of the range
 * @param filterLsn whether the file holds rows younger than the snapshot, or expired ones, which
 *     then have to be left out
 * @param fromLsn rows with a lower LSN have expired; 0: none
 * @param maxLsn LSN of the youngest row
 * @param ingestLsn the LSN of all rows, for a file that a worker wrote; else each row has its own
 * @param firstRowId the row id of the first row, for such a file of a table without a primary key
 * @param deletedRows rows that are deleted at the snapshot: a serialized Roaring bitmap; empty:
 *     none
 * @param certainColumns columns whose domain in the scan's constraint includes the values of all
 *     rows of the file, for domains that can be evaluated exactly
 * @param bitmapIndexBytes size of the file's bitmap index; empty if it has none
 * @param checksumBlockBytes block size of the checksums beside the file; empty if there are none
 * @param indexedMetadata the place of the file's metadata, which contain its checksums; empty if
 *     the checksums are beside the file, or it has none
 * @param fresh whether the sidecar had the file's metadata when the scan was planned
 * @param preferredWorker the worker that caches the data that it reads; empty: any worker
 * @param address the worker that Trino shall choose: the preferred one, or another one if that is
 *     busy; empty: any worker
 * @param weight relative to a split of full size
 */
public record SteleFileSplit(
        int shard,
        String path,
        long sizeBytes,
        long start,
        long length,
        boolean filterLsn,
        long fromLsn,
        long maxLsn,
        OptionalLong ingestLsn,
        OptionalLong firstRowId,
        byte[] deletedRows,
        List<Integer> certainColumns,
        OptionalLong bitmapIndexBytes,
        OptionalInt checksumBlockBytes,
        Optional<IndexedMetadata> indexedMetadata,
        boolean fresh,
        Optional<String> preferredWorker,
        Optional<HostAddress> address,
        SplitWeight weight)
        implements ConnectorSplit {
    private static final int INSTANCE_SIZE = instanceSize(SteleFileSplit.class);
    private static final int INDEXED_METADATA_SIZE = instanceSize(IndexedMetadata.class);

    public SteleFileSplit {
        requireNonNull(path, "path is null");
        requireNonNull(ingestLsn, "ingestLsn is null");
        requireNonNull(firstRowId, "firstRowId is null");
        requireNonNull(deletedRows, "deletedRows is null");
        certainColumns = List.copyOf(certainColumns);
        requireNonNull(bitmapIndexBytes, "bitmapIndexBytes is null");
        requireNonNull(checksumBlockBytes, "checksumBlockBytes is null");
        requireNonNull(indexedMetadata, "indexedMetadata is null");
        requireNonNull(preferredWorker, "preferredWorker is null");
        requireNonNull(address, "address is null");
        requireNonNull(weight, "weight is null");
    }

    /** The engine chooses another node only if this one is not active. */
    @Override
    public List<HostAddress> getAddresses() {
        return address.stream().toList();
    }

    @Override
    public SplitWeight getSplitWeight() {
        return weight;
    }

    @Override
    public long getRetainedSizeInBytes() {
        return INSTANCE_SIZE
                + estimatedSizeOf(path)
                + sizeOf(deletedRows)
                + estimatedSizeOf(certainColumns, SizeOf::sizeOf)
                + sizeOf(indexedMetadata, _ -> INDEXED_METADATA_SIZE)
                + sizeOf(preferredWorker, SizeOf::estimatedSizeOf)
                + sizeOf(address, HostAddress::getRetainedSizeInBytes);
    }

    @Override
    public String toString() {
        return path + ":" + start + "+" + length;
    }
}
