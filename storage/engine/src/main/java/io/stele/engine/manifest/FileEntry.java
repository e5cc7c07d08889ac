package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.columnfile.orc.StoredColumnFile;
import io.stele.protocol.Lsn;
import io.stele.protocol.TableId;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * A manifest's entry for one data file of a table in one shard, with the statistics by which
 * readers skip the file unread. Immutable; arrays must not be changed.
 *
 * <p>Invariant: {@code minLsn <= maxLsn} and they bound the LSN of every row. Invariant: a file of
 * a table without primary key written by a worker has {@code ingestLsn} and {@code firstRowId}: all
 * its rows have that LSN, and row {@code n} has row id {@code firstRowId + n}. Invariant: of an SST
 * file with {@code ingestLsn} all rows have that LSN, whatever is stored with them.
 *
 * @param fileId unique for ever, also the start of the file's name
 * @param level 0 for flushed files, higher for compacted files
 * @param sizeBytes exact size in bytes; readers refuse a file of another size
 * @param rowCount the number of rows or entries in the file, including deleted rows
 * @param ingestLsn the LSN of every row of a file written by a worker or a bulk load, which has no
 *     LSNs of its own
 * @param firstRowId the row id of row 0 if the file has no {@code _row_id} column
 * @param schemaVersion the schema version with which the file was written
 * @param minKey smallest encoded key; absent if unknown
 * @param maxKey largest encoded key
 * @param partition encoded values of the partition columns, which all rows share
 * @param columnStats by column id; a column without an entry has no statistics
 * @param indexId the secondary index whose entries an SST file holds; empty: rows of the table
 * @param bitmapIndexBytes size of a column file's bitmap index ({@code BitmapIndexBuilder}), which
 *     is beside it; empty if it has none
 * @param checksumBlockBytes block size of a column file's checksums ({@code FileChecksums}) that
 *     are beside it; empty if they are in its key index or, in files of earlier versions, missing
 * @param endsLsn for an SST file of the table, the LSN up to which range tombstones are applied in
 *     it; empty: none are
 * @param sketches of the columns of a column file ({@code SketchBuilder}); empty for files of
 *     earlier versions
 * @param inserts true of a file in a PREPARE record whose commit refuses keys that have a row, so
 *     that its rows replace none; else empty
 */
public record FileEntry(
        @JsonProperty("fileId") String fileId,
        @JsonProperty("tableId") TableId tableId,
        @JsonProperty("kind") FileKind kind,
        @JsonProperty("level") int level,
        @JsonProperty("path") String path,
        @JsonProperty("sizeBytes") long sizeBytes,
        @JsonProperty("rowCount") long rowCount,
        @JsonProperty("minLsn") Lsn minLsn,
        @JsonProperty("maxLsn") Lsn maxLsn,
        @JsonProperty("ingestLsn") Optional<Lsn> ingestLsn,
        @JsonProperty("firstRowId") OptionalLong firstRowId,
        @JsonProperty("schemaVersion") int schemaVersion,
        @JsonProperty("minKey") Optional<byte[]> minKey,
        @JsonProperty("maxKey") Optional<byte[]> maxKey,
        @JsonProperty("partition") Optional<byte[]> partition,
        @JsonProperty("columnStats") Map<Integer, ColumnStats> columnStats,
        @JsonProperty("keyIndex") Optional<KeyIndexFile> keyIndex,
        @JsonProperty("deleteVector") Optional<DeletionVectorFile> deletionVector,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("indexId") OptionalInt indexId,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("bitmapIndexBytes")
                OptionalLong bitmapIndexBytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("checksumBlockBytes")
                OptionalInt checksumBlockBytes,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("endsLsn") OptionalLong endsLsn,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("sketches") FileSketches sketches,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("isInsertion")
                Optional<Boolean> inserts)
        implements StoredColumnFile {
    public FileEntry {
        requireNonNull(fileId, "fileId is null");
        requireNonNull(tableId, "tableId is null");
        requireNonNull(kind, "kind is null");
        requireNonNull(path, "path is null");
        requireNonNull(minLsn, "minLsn is null");
        requireNonNull(maxLsn, "maxLsn is null");
        requireNonNull(ingestLsn, "ingestLsn is null");
        requireNonNull(firstRowId, "firstRowId is null");
        requireNonNull(minKey, "minKey is null");
        requireNonNull(maxKey, "maxKey is null");
        requireNonNull(partition, "partition is null");
        requireNonNull(keyIndex, "keyIndex is null");
        requireNonNull(deletionVector, "deletionVector is null");
        requireNonNull(indexId, "indexId is null");
        requireNonNull(bitmapIndexBytes, "bitmapIndexBytes is null");
        requireNonNull(checksumBlockBytes, "checksumBlockBytes is null");
        requireNonNull(endsLsn, "endsLsn is null");
        requireNonNull(inserts, "inserts is null");
        columnStats = PackedColumnStats.copyOf(columnStats);
        sketches = sketches == null ? FileSketches.NONE : sketches;
        check(!fileId.isEmpty(), "a file id", "''", path);
        check(
                indexId.isEmpty() || (kind == FileKind.ROW && indexId.getAsInt() > 0),
                "an index id > 0 on an SST file only",
                indexId + " on " + kind,
                path);
        check(level >= 0, "a level >= 0", level, path);
        check(sizeBytes > 0, "a size > 0", sizeBytes, path);
        check(rowCount > 0, "a row count > 0", rowCount, path);
        check(minLsn.compareTo(maxLsn) <= 0, "minLsn <= maxLsn", minLsn + " and " + maxLsn, path);
        check(
                minKey.isPresent() == maxKey.isPresent(),
                "both of minKey and maxKey or neither",
                "one",
                path);
        if (minKey.isPresent()) {
            check(
                    Arrays.compareUnsigned(minKey.get(), maxKey.orElseThrow()) <= 0,
                    "minKey <= maxKey",
                    "minKey > maxKey",
                    path);
        }
        if (keyIndex.isPresent() && keyIndex.get().metadataBytes().isPresent()) {
            check(
                    keyIndex.get().path().equals(WrittenFile.keyIndexPath(path)),
                    "a key index with metadata at " + WrittenFile.keyIndexPath(path),
                    keyIndex.get().path(),
                    path);
        }
    }

    /** An entry of a file with rows of the table that is not in a PREPARE record. */
    public FileEntry(
            String fileId,
            TableId tableId,
            FileKind kind,
            int level,
            String path,
            long sizeBytes,
            long rowCount,
            Lsn minLsn,
            Lsn maxLsn,
            Optional<Lsn> ingestLsn,
            OptionalLong firstRowId,
            int schemaVersion,
            Optional<byte[]> minKey,
            Optional<byte[]> maxKey,
            Optional<byte[]> partition,
            Map<Integer, ColumnStats> columnStats,
            Optional<KeyIndexFile> keyIndex,
            Optional<DeletionVectorFile> deletionVector) {
        this(
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
                OptionalInt.empty(),
                OptionalLong.empty(),
                OptionalInt.empty(),
                OptionalLong.empty(),
                FileSketches.NONE,
                Optional.empty());
    }

    /**
     * Whether {@code key} is between the smallest and the largest key of the file, inclusive; true
     * if these are unknown.
     */
    public boolean mayContain(byte[] key) {
        return minKey.isEmpty()
                || (Arrays.compareUnsigned(minKey.get(), key) <= 0
                        && Arrays.compareUnsigned(key, maxKey.orElseThrow()) <= 0);
    }

    /** Whether a key may be in both files, which have keys. */
    public boolean overlaps(FileEntry other) {
        return overlaps(other.minKey.orElseThrow(), other.maxKey.orElseThrow());
    }

    /** Whether the file, which has keys, may have one from {@code least} to {@code greatest}. */
    public boolean overlaps(byte[] least, byte[] greatest) {
        return Arrays.compareUnsigned(minKey.orElseThrow(), greatest) <= 0
                && Arrays.compareUnsigned(least, maxKey.orElseThrow()) <= 0;
    }

    /**
     * The number of rows that the stored deletion vector does not mark; later deletions are not
     * subtracted.
     */
    @JsonIgnore
    public long undeletedRowCount() {
        return rowCount - deletionVector.map(DeletionVectorFile::cardinality).orElse(0);
    }

    /** Whether it is an SST file that was ingested: all of its rows have one LSN. */
    @JsonIgnore
    public boolean isIngestedRows() {
        return kind == FileKind.ROW && ingestLsn.isPresent();
    }

    /** The same file at another level. */
    public FileEntry withLevel(int newLevel) {
        return with(draft -> draft.level = newLevel);
    }

    public FileEntry withDeletionVector(Optional<DeletionVectorFile> newDeletionVector) {
        return with(draft -> draft.deletionVector = newDeletionVector);
    }

    /** The entry of a file whose commit refuses keys that have a row. */
    public FileEntry asInsertion() {
        return with(draft -> draft.inserts = Optional.of(true));
    }

    /** Whether the commit of the file refuses keys that have a row. */
    @JsonIgnore
    public boolean isInsertion() {
        return inserts.orElse(false);
    }

    /**
     * The entry of a worker's file once its commit is decided: its rows get their LSN, and row ids
     * where they have no key.
     */
    public FileEntry withIngest(Lsn lsn, OptionalLong newFirstRowId) {
        return with(
                draft -> {
                    draft.minLsn = lsn;
                    draft.maxLsn = lsn;
                    draft.ingestLsn = Optional.of(lsn);
                    draft.firstRowId = newFirstRowId;
                    draft.inserts = Optional.empty();
                });
    }

    /** The entry of an SST file with the entries of a secondary index; empty: of the table. */
    public FileEntry withIndex(OptionalInt newIndexId) {
        return with(draft -> draft.indexId = newIndexId);
    }

    /** The same file, in which range tombstones are applied up to an LSN; empty: none are. */
    public FileEntry withEndsLsn(OptionalLong newEndsLsn) {
        return with(draft -> draft.endsLsn = newEndsLsn);
    }

    /** The same file with a bitmap index of a size in bytes. */
    public FileEntry withBitmapIndex(OptionalLong newBitmapIndexBytes) {
        return with(draft -> draft.bitmapIndexBytes = newBitmapIndexBytes);
    }

    /** The same file with checksums of a block size beside it. */
    public FileEntry withChecksums(OptionalInt newChecksumBlockBytes) {
        return with(draft -> draft.checksumBlockBytes = newChecksumBlockBytes);
    }

    /** The same file with other statistics of its columns. */
    public FileEntry withColumnStats(Map<Integer, ColumnStats> newColumnStats) {
        return with(draft -> draft.columnStats = newColumnStats);
    }

    /** The same file with sketches of its columns. */
    public FileEntry withSketches(Map<Integer, ColumnSketch> newSketches) {
        return withSketches(FileSketches.of(newSketches));
    }

    /** The same file with the sketches of another entry for it. */
    FileEntry withSketches(FileSketches newSketches) {
        return with(draft -> draft.sketches = newSketches);
    }

    @Override
    public Optional<String> keyIndexPath() {
        return keyIndex.map(KeyIndexFile::path);
    }

    @Override
    public Optional<IndexedMetadata> indexedMetadata() {
        return keyIndex.flatMap(KeyIndexFile::indexedMetadata);
    }

    /** All objects that the file consists of, except its deletion vector, which changes. */
    public List<String> immutablePaths() {
        List<String> paths = new ArrayList<>();
        paths.add(path);
        keyIndex.ifPresent(index -> paths.add(index.path()));
        if (bitmapIndexBytes.isPresent()) {
            paths.add(WrittenFile.bitmapIndexPath(path));
        }
        if (checksumBlockBytes.isPresent()) {
            paths.add(WrittenFile.checksumsPath(path));
        }
        return List.copyOf(paths);
    }

    private static void check(boolean condition, String expected, Object found, String path) {
        if (!condition) {
            throw new IllegalArgumentException(
                    "Expected " + expected + ", found " + found + " for " + path);
        }
    }

    private FileEntry with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.build();
    }

    /** A mutable copy of the components, so that each component is copied in one place. */
    private static final class Draft {
        private String fileId;
        private TableId tableId;
        private FileKind kind;
        private int level;
        private String path;
        private long sizeBytes;
        private long rowCount;
        private Lsn minLsn;
        private Lsn maxLsn;
        private Optional<Lsn> ingestLsn;
        private OptionalLong firstRowId;
        private int schemaVersion;
        private Optional<byte[]> minKey;
        private Optional<byte[]> maxKey;
        private Optional<byte[]> partition;
        private Map<Integer, ColumnStats> columnStats;
        private Optional<KeyIndexFile> keyIndex;
        private Optional<DeletionVectorFile> deletionVector;
        private OptionalInt indexId;
        private OptionalLong bitmapIndexBytes;
        private OptionalInt checksumBlockBytes;
        private OptionalLong endsLsn;
        private FileSketches sketches;
        private Optional<Boolean> inserts;

        Draft(FileEntry from) {
            fileId = from.fileId;
            tableId = from.tableId;
            kind = from.kind;
            level = from.level;
            path = from.path;
            sizeBytes = from.sizeBytes;
            rowCount = from.rowCount;
            minLsn = from.minLsn;
            maxLsn = from.maxLsn;
            ingestLsn = from.ingestLsn;
            firstRowId = from.firstRowId;
            schemaVersion = from.schemaVersion;
            minKey = from.minKey;
            maxKey = from.maxKey;
            partition = from.partition;
            columnStats = from.columnStats;
            keyIndex = from.keyIndex;
            deletionVector = from.deletionVector;
            indexId = from.indexId;
            bitmapIndexBytes = from.bitmapIndexBytes;
            checksumBlockBytes = from.checksumBlockBytes;
            endsLsn = from.endsLsn;
            sketches = from.sketches;
            inserts = from.inserts;
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
}
