package io.stele.engine.manifest;

import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnStats;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A mutable copy of the components of a file entry, so that each component is copied in one place.
 * Confined to one thread.
 */
final class FileEntryDraft {
    String fileId;
    TableId tableId;
    FileKind kind;
    int level;
    String path;
    long sizeBytes;
    long rowCount;
    Lsn minLsn;
    Lsn maxLsn;
    Optional<Lsn> ingestLsn;
    OptionalLong firstRowId;
    int schemaVersion;
    Optional<byte[]> minKey;
    Optional<byte[]> maxKey;
    Optional<byte[]> partition;
    Map<Integer, ColumnStats> columnStats;
    Optional<KeyIndexFile> keyIndex;
    Optional<DeletionVectorFile> deletionVector;
    OptionalInt indexId;
    OptionalLong bitmapIndexBytes;
    OptionalInt checksumBlockBytes;
    OptionalLong endsLsn;
    FileSketches sketches;
    Optional<Boolean> inserts;

    FileEntryDraft(FileEntry from) {
        fileId = from.fileId();
        tableId = from.tableId();
        kind = from.kind();
        level = from.level();
        path = from.path();
        sizeBytes = from.sizeBytes();
        rowCount = from.rowCount();
        minLsn = from.minLsn();
        maxLsn = from.maxLsn();
        ingestLsn = from.ingestLsn();
        firstRowId = from.firstRowId();
        schemaVersion = from.schemaVersion();
        minKey = from.minKey();
        maxKey = from.maxKey();
        partition = from.partition();
        columnStats = from.columnStats();
        keyIndex = from.keyIndex();
        deletionVector = from.deletionVector();
        indexId = from.indexId();
        bitmapIndexBytes = from.bitmapIndexBytes();
        checksumBlockBytes = from.checksumBlockBytes();
        endsLsn = from.endsLsn();
        sketches = from.sketches();
        inserts = from.inserts();
    }

    FileEntry build() {
        return new FileEntry(
                fileId,
                tableId,
                kind,
                level,
                path,
                sizeBytes,
                rowCount,
                minLsn,
                maxLsn,
                ingestLsn,
                firstRowId,
                schemaVersion,
                minKey,
                maxKey,
                partition,
                columnStats,
                keyIndex,
                deletionVector,
                indexId,
                bitmapIndexBytes,
                checksumBlockBytes,
                endsLsn,
                sketches,
                inserts);
    }
}
