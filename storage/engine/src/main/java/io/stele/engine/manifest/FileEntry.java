package io.stele.engine.manifest;

import static io.stele.engine.manifest.PackedFileEntry.BITMAP_INDEX_BYTES;
import static io.stele.engine.manifest.PackedFileEntry.CHECKSUM_BLOCK_BYTES;
import static io.stele.engine.manifest.PackedFileEntry.ENDS_LSN;
import static io.stele.engine.manifest.PackedFileEntry.FIRST_ROW_ID;
import static io.stele.engine.manifest.PackedFileEntry.INDEX_ID;
import static io.stele.engine.manifest.PackedFileEntry.INGEST_LSN;
import static io.stele.engine.manifest.PackedFileEntry.INSERTS;
import static io.stele.engine.manifest.PackedFileEntry.KEY_INDEX_BYTES;
import static io.stele.engine.manifest.PackedFileEntry.KEY_INDEX_METADATA_BYTES;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonCreator;
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
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A manifest's entry for one data file of a table in one shard, with the statistics by which
 * readers skip the file unread. Immutable; arrays must not be changed.
 *
 * <p>Invariant: {@code minLsn <= maxLsn} and they bound the LSN of every row. Invariant: a file of
 * a table without primary key written by a worker has {@code ingestLsn} and {@code firstRowId}: all
 * its rows have that LSN, and row {@code n} has row id {@code firstRowId + n}. Invariant: of an SST
 * file with {@code ingestLsn} all rows have that LSN, whatever is stored with them.
 *
 * <p>There is one for every file, always in memory. So all but the numbers that every file has are
 * in one byte array ({@link PackedFileEntry}), and are decoded where they are asked for.
 */
public final class FileEntry implements StoredColumnFile {
    private final long tableId;
    private final FileKind kind;
    private final int level;
    private final int schemaVersion;
    private final long sizeBytes;
    private final long rowCount;
    private final long minLsn;
    private final long maxLsn;
    private final int packedFlags;
    private final byte[] packed;
    private final @Nullable DeletionVectorFile deletionVector;
    private final FileSketches sketches;

    /**
     * @param fileId unique for ever, also the start of the file's name
     * @param level 0 for flushed files, higher for compacted files
     * @param sizeBytes exact size in bytes; readers refuse a file of another size
     * @param rowCount the number of rows or entries in the file, including deleted rows
     * @param ingestLsn the LSN of every row of a file written by a worker or a bulk load, which has
     *     no LSNs of its own
     * @param firstRowId the row id of row 0 if the file has no {@code _row_id} column
     * @param schemaVersion the schema version with which the file was written
     * @param minKey smallest encoded key; absent if unknown
     * @param maxKey largest encoded key
     * @param partition encoded values of the partition columns, which all rows share
     * @param columnStats by column id; a column without an entry has no statistics
     * @param indexId the secondary index whose entries an SST file holds; empty: rows of the table
     * @param bitmapIndexBytes size of a column file's bitmap index ({@code BitmapIndexBuilder}),
     *     which is beside it; empty if it has none
     * @param checksumBlockBytes block size of a column file's checksums ({@code FileChecksums})
     *     that are beside it; empty if they are in its key index or, in files of earlier versions,
     *     missing
     * @param endsLsn for an SST file of the table, the LSN up to which range tombstones are applied
     *     in it; empty: none are
     * @param sketches of the columns of a column file ({@code SketchBuilder}); empty for files of
     *     earlier versions
     * @param inserts true of a file in a PREPARE record whose commit refuses keys that have a row,
     *     so that its rows replace none; else empty
     */
    @JsonCreator
    public FileEntry(
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
            @JsonProperty("indexId") OptionalInt indexId,
            @JsonProperty("bitmapIndexBytes") OptionalLong bitmapIndexBytes,
            @JsonProperty("checksumBlockBytes") OptionalInt checksumBlockBytes,
            @JsonProperty("endsLsn") OptionalLong endsLsn,
            @JsonProperty("sketches") @Nullable FileSketches sketches,
            @JsonProperty("isInsertion") Optional<Boolean> inserts) {
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
        this.tableId = tableId.value();
        this.kind = kind;
        this.level = level;
        this.schemaVersion = schemaVersion;
        this.sizeBytes = sizeBytes;
        this.rowCount = rowCount;
        this.minLsn = minLsn.value();
        this.maxLsn = maxLsn.value();
        this.deletionVector = deletionVector.orElse(null);
        this.sketches = sketches == null ? FileSketches.NONE : sketches;
        PackedFileEntry.Writer writer =
                new PackedFileEntry.Writer()
                        .keys(minKey, maxKey)
                        .partition(partition)
                        .number(
                                INGEST_LSN,
                                ingestLsn
                                        .map(it -> OptionalLong.of(it.value()))
                                        .orElse(OptionalLong.empty()))
                        .number(FIRST_ROW_ID, firstRowId)
                        .integer(INDEX_ID, indexId)
                        .number(BITMAP_INDEX_BYTES, bitmapIndexBytes)
                        .integer(CHECKSUM_BLOCK_BYTES, checksumBlockBytes)
                        .number(ENDS_LSN, endsLsn)
                        .number(
                                KEY_INDEX_BYTES,
                                keyIndex.map(it -> OptionalLong.of(it.sizeBytes()))
                                        .orElse(OptionalLong.empty()))
                        .integer(
                                KEY_INDEX_METADATA_BYTES,
                                keyIndex.map(KeyIndexFile::metadataBytes)
                                        .orElse(OptionalInt.empty()))
                        .names(
                                fileId,
                                path,
                                keyIndex.map(KeyIndexFile::path)
                                        .filter(it -> !it.equals(WrittenFile.keyIndexPath(path))))
                        .columnStats(columnStats);
        this.packedFlags = writer.flags() | (inserts.orElse(false) ? INSERTS : 0);
        this.packed = writer.toByteArray();
    }

    /** An entry whose components were checked, by {@link FileEntryCodec}. */
    FileEntry(
            long tableId,
            FileKind kind,
            int level,
            int schemaVersion,
            long sizeBytes,
            long rowCount,
            long minLsn,
            long maxLsn,
            int packedFlags,
            byte[] packed,
            Optional<DeletionVectorFile> deletionVector) {
        this.tableId = tableId;
        this.kind = kind;
        this.level = level;
        this.schemaVersion = schemaVersion;
        this.sizeBytes = sizeBytes;
        this.rowCount = rowCount;
        this.minLsn = minLsn;
        this.maxLsn = maxLsn;
        this.packedFlags = packedFlags;
        this.packed = packed;
        this.deletionVector = deletionVector.orElse(null);
        this.sketches = FileSketches.NONE;
    }

    /** A copy with other components that are not packed. */
    private FileEntry(
            FileEntry same,
            int level,
            @Nullable DeletionVectorFile deletionVector,
            FileSketches sketches) {
        this.tableId = same.tableId;
        this.kind = same.kind;
        this.level = level;
        this.schemaVersion = same.schemaVersion;
        this.sizeBytes = same.sizeBytes;
        this.rowCount = same.rowCount;
        this.minLsn = same.minLsn;
        this.maxLsn = same.maxLsn;
        this.packedFlags = same.packedFlags;
        this.packed = same.packed;
        this.deletionVector = deletionVector;
        this.sketches = sketches;
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

    int packedFlags() {
        return packedFlags;
    }

    /** The array of {@link PackedFileEntry}, which must not be changed. */
    byte[] packed() {
        return packed;
    }

    private PackedFileEntry unpack() {
        return new PackedFileEntry(packedFlags, packed);
    }

    @JsonProperty("fileId")
    public String fileId() {
        return unpack().fileId();
    }

    @JsonProperty("tableId")
    public TableId tableId() {
        return new TableId(tableId);
    }

    @JsonProperty("kind")
    public FileKind kind() {
        return kind;
    }

    @JsonProperty("level")
    public int level() {
        return level;
    }

    @Override
    @JsonProperty("path")
    public String path() {
        return unpack().path();
    }

    @Override
    @JsonProperty("sizeBytes")
    public long sizeBytes() {
        return sizeBytes;
    }

    @Override
    @JsonProperty("rowCount")
    public long rowCount() {
        return rowCount;
    }

    @JsonProperty("minLsn")
    public Lsn minLsn() {
        return new Lsn(minLsn);
    }

    @JsonProperty("maxLsn")
    public Lsn maxLsn() {
        return new Lsn(maxLsn);
    }

    @Override
    @JsonProperty("ingestLsn")
    public Optional<Lsn> ingestLsn() {
        OptionalLong lsn = unpack().number(INGEST_LSN);
        return lsn.isPresent() ? Optional.of(new Lsn(lsn.getAsLong())) : Optional.empty();
    }

    @Override
    @JsonProperty("firstRowId")
    public OptionalLong firstRowId() {
        return unpack().number(FIRST_ROW_ID);
    }

    @JsonProperty("schemaVersion")
    public int schemaVersion() {
        return schemaVersion;
    }

    /** A copy of the smallest key; see {@link #mayContain} for comparisons. */
    @JsonProperty("minKey")
    public Optional<byte[]> minKey() {
        return unpack().minKey();
    }

    /** A copy of the greatest key. */
    @JsonProperty("maxKey")
    public Optional<byte[]> maxKey() {
        return unpack().maxKey();
    }

    @JsonProperty("partition")
    public Optional<byte[]> partition() {
        return unpack().partition();
    }

    @JsonProperty("columnStats")
    public Map<Integer, ColumnStats> columnStats() {
        return unpack().columnStats();
    }

    @JsonProperty("keyIndex")
    public Optional<KeyIndexFile> keyIndex() {
        OptionalLong bytes = unpack().number(KEY_INDEX_BYTES);
        return bytes.isPresent()
                ? Optional.of(
                        new KeyIndexFile(
                                keyIndexPath().orElseThrow(),
                                bytes.getAsLong(),
                                unpack().integer(KEY_INDEX_METADATA_BYTES)))
                : Optional.empty();
    }

    @JsonProperty("deleteVector")
    public Optional<DeletionVectorFile> deletionVector() {
        return Optional.ofNullable(deletionVector);
    }

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonProperty("indexId")
    public OptionalInt indexId() {
        return unpack().integer(INDEX_ID);
    }

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonProperty("bitmapIndexBytes")
    public OptionalLong bitmapIndexBytes() {
        return unpack().number(BITMAP_INDEX_BYTES);
    }

    @Override
    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonProperty("checksumBlockBytes")
    public OptionalInt checksumBlockBytes() {
        return unpack().integer(CHECKSUM_BLOCK_BYTES);
    }

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonProperty("endsLsn")
    public OptionalLong endsLsn() {
        return unpack().number(ENDS_LSN);
    }

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonProperty("sketches")
    public FileSketches sketches() {
        return sketches;
    }

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    @JsonProperty("isInsertion")
    Optional<Boolean> inserts() {
        return isInsertion() ? Optional.of(true) : Optional.empty();
    }

    /**
     * Whether {@code key} is between the smallest and the largest key of the file, inclusive; true
     * if these are unknown.
     */
    public boolean mayContain(byte[] key) {
        return unpack().mayContain(key);
    }

    /** Whether a key may be in both files, which have keys. */
    public boolean overlaps(FileEntry other) {
        return overlaps(other.minKey().orElseThrow(), other.maxKey().orElseThrow());
    }

    /** Whether the file, which has keys, may have one from {@code least} to {@code greatest}. */
    public boolean overlaps(byte[] least, byte[] greatest) {
        return unpack().overlaps(least, greatest);
    }

    /**
     * The number of rows that the stored deletion vector does not mark; later deletions are not
     * subtracted.
     */
    @JsonIgnore
    public long undeletedRowCount() {
        return rowCount - (deletionVector == null ? 0 : deletionVector.cardinality());
    }

    /** Whether it is an SST file that was ingested: all of its rows have one LSN. */
    @JsonIgnore
    public boolean isIngestedRows() {
        return kind == FileKind.ROW && ingestLsn().isPresent();
    }

    /** The same file at another level. */
    public FileEntry withLevel(int newLevel) {
        return new FileEntry(this, newLevel, deletionVector, sketches);
    }

    public FileEntry withDeletionVector(Optional<DeletionVectorFile> newDeletionVector) {
        return new FileEntry(this, level, newDeletionVector.orElse(null), sketches);
    }

    /** The entry of a file whose commit refuses keys that have a row. */
    public FileEntry asInsertion() {
        return with(draft -> draft.inserts = Optional.of(true));
    }

    /** Whether the commit of the file refuses keys that have a row. */
    @JsonIgnore
    public boolean isInsertion() {
        return (packedFlags & INSERTS) != 0;
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

    /** The same file with its sketches in a holder. */
    public FileEntry withSketches(FileSketches newSketches) {
        return new FileEntry(this, level, deletionVector, newSketches);
    }

    @Override
    public Optional<String> keyIndexPath() {
        if (unpack().number(KEY_INDEX_BYTES).isEmpty()) {
            return Optional.empty();
        }
        Optional<String> apart = unpack().keyIndexPath();
        return apart.isPresent() ? apart : Optional.of(WrittenFile.keyIndexPath(path()));
    }

    @Override
    public Optional<IndexedMetadata> indexedMetadata() {
        return keyIndex().flatMap(KeyIndexFile::indexedMetadata);
    }

    /** All objects that the file consists of, except its deletion vector, which changes. */
    public List<String> immutablePaths() {
        List<String> paths = new ArrayList<>();
        String path = path();
        paths.add(path);
        keyIndexPath().ifPresent(paths::add);
        if (bitmapIndexBytes().isPresent()) {
            paths.add(WrittenFile.bitmapIndexPath(path));
        }
        if (checksumBlockBytes().isPresent()) {
            paths.add(WrittenFile.checksumsPath(path));
        }
        return List.copyOf(paths);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof FileEntry file
                        && tableId == file.tableId
                        && kind == file.kind
                        && level == file.level
                        && schemaVersion == file.schemaVersion
                        && sizeBytes == file.sizeBytes
                        && rowCount == file.rowCount
                        && minLsn == file.minLsn
                        && maxLsn == file.maxLsn
                        && packedFlags == file.packedFlags
                        && Arrays.equals(packed, file.packed)
                        && Objects.equals(deletionVector, file.deletionVector)
                        && sketches.equals(file.sketches));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(packed);
    }

    @Override
    public String toString() {
        return "FileEntry[%s, %d rows in %d bytes, level %d]"
                .formatted(path(), rowCount, sizeBytes, level);
    }

    private static void check(boolean condition, String expected, Object found, String path) {
        if (!condition) {
            throw new IllegalArgumentException(
                    "Expected " + expected + ", found " + found + " for " + path);
        }
    }

    private FileEntry with(Consumer<FileEntryDraft> change) {
        FileEntryDraft draft = new FileEntryDraft(this);
        change.accept(draft);
        return draft.build();
    }
}
