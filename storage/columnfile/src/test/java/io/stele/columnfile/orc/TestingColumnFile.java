package io.stele.columnfile.orc;

import io.stele.protocol.Lsn;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A column file that a test wrote, with what its writer found out. */
record TestingColumnFile(
        String path,
        long sizeBytes,
        long rowCount,
        Lsn minLsn,
        Lsn maxLsn,
        Optional<Lsn> ingestLsn,
        OptionalLong firstRowId,
        Map<Integer, ColumnStats> columnStats,
        OptionalInt checksumBlockBytes,
        Optional<IndexedMetadata> indexedMetadata)
        implements StoredColumnFile {
    TestingColumnFile withChecksums(OptionalInt blockBytes) {
        return new TestingColumnFile(
                path,
                sizeBytes,
                rowCount,
                minLsn,
                maxLsn,
                ingestLsn,
                firstRowId,
                columnStats,
                blockBytes,
                indexedMetadata);
    }

    /** Its checksums are in its key index. */
    TestingColumnFile withIndexedMetadata(IndexedMetadata place) {
        return new TestingColumnFile(
                path,
                sizeBytes,
                rowCount,
                minLsn,
                maxLsn,
                ingestLsn,
                firstRowId,
                columnStats,
                OptionalInt.empty(),
                Optional.of(place));
    }

    TestingColumnFile withIngest(Lsn lsn, OptionalLong newFirstRowId) {
        return new TestingColumnFile(
                path,
                sizeBytes,
                rowCount,
                lsn,
                lsn,
                Optional.of(lsn),
                newFirstRowId,
                columnStats,
                checksumBlockBytes,
                indexedMetadata);
    }

    @Override
    public Optional<String> keyIndexPath() {
        return indexedMetadata.map(_ -> WrittenFile.keyIndexPath(path));
    }
}
