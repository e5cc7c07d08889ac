package io.stele.connector.handle;

import io.stele.protocol.api.scan.IndexedMetadata;
import io.trino.spi.HostAddress;
import io.trino.spi.SplitWeight;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.roaringbitmap.RoaringBitmap;

/** A split of a whole file without deleted rows whose rows have LSNs of their own, or with more. */
public final class FileSplitFixture {
    private final String path;
    private final long sizeBytes;
    private long start;
    private long length;
    private boolean filterLsn;
    private long fromLsn;
    private long maxLsn;
    private OptionalLong ingestLsn = OptionalLong.empty();
    private OptionalLong firstRowId = OptionalLong.empty();
    private byte[] deletedRows = {};
    private List<Integer> certainColumns = List.of();
    private boolean fresh;
    private OptionalInt checksumBlockBytes = OptionalInt.empty();
    private Optional<IndexedMetadata> indexedMetadata = Optional.empty();
    private Optional<String> preferredWorker = Optional.empty();
    private Optional<HostAddress> address = Optional.empty();

    public FileSplitFixture(String path, long sizeBytes) {
        this.path = path;
        this.sizeBytes = sizeBytes;
        this.length = sizeBytes;
    }

    public FileSplitFixture part(long newStart, long newLength) {
        start = newStart;
        length = newLength;
        return this;
    }

    /** Some rows may be younger than the snapshot or expired. */
    public FileSplitFixture filterLsn(boolean newFilterLsn, long newFromLsn) {
        filterLsn = newFilterLsn;
        fromLsn = newFromLsn;
        return this;
    }

    public FileSplitFixture maxLsn(long lsn) {
        maxLsn = lsn;
        return this;
    }

    /** A file of a worker: all rows have one LSN, and row ids from one on. */
    public FileSplitFixture ofWorker(long lsn, long newFirstRowId) {
        maxLsn = lsn;
        ingestLsn = OptionalLong.of(lsn);
        firstRowId = OptionalLong.of(newFirstRowId);
        return this;
    }

    public FileSplitFixture deleted(RoaringBitmap rows) throws IOException {
        ByteArrayOutputStream bitmap = new ByteArrayOutputStream();
        if (!rows.isEmpty()) {
            rows.serialize(new DataOutputStream(bitmap));
        }
        deletedRows = bitmap.toByteArray();
        return this;
    }

    public FileSplitFixture certain(List<Integer> columns) {
        certainColumns = columns;
        return this;
    }

    public FileSplitFixture checksums(OptionalInt blockBytes) {
        checksumBlockBytes = blockBytes;
        return this;
    }

    /** Its key index has its metadata, with its checksums. */
    public FileSplitFixture indexed(IndexedMetadata place) {
        indexedMetadata = Optional.of(place);
        return this;
    }

    /** The sidecar has its metadata. */
    public FileSplitFixture fresh() {
        fresh = true;
        return this;
    }

    /** Its preferred worker, and the one that shall read it. */
    public FileSplitFixture readBy(Optional<String> preferred, Optional<HostAddress> chosen) {
        preferredWorker = preferred;
        address = chosen;
        return this;
    }

    public SteleFileSplit build() {
        return new SteleFileSplit(
                0,
                path,
                sizeBytes,
                start,
                length,
                filterLsn,
                fromLsn,
                maxLsn,
                ingestLsn,
                firstRowId,
                deletedRows,
                certainColumns,
                OptionalLong.empty(),
                checksumBlockBytes,
                indexedMetadata,
                fresh,
                preferredWorker,
                address,
                SplitWeight.standard());
    }
}
