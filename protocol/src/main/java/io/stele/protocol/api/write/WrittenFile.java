package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ColumnSketch;
import io.stele.protocol.predicate.ColumnStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The description of a column file that a worker wrote into the warehouse, for its ingestion by a
 * commit. Its rows belong to one shard (and one partition), without {@code _lsn} and {@code
 * _row_id} columns, sorted by primary key if the table has one. Bulk loads into row tablets write
 * SST files instead, which have no more than sizes and a range of keys.
 *
 * @param fileId new UUID, the name of the file
 * @param path warehouse path of the ORC file, or SST file
 * @param keyIndexPath warehouse path of its key index; present for tables with a primary key
 * @param minKey smallest encoded primary key, for tables with one
 * @param maxKey greatest encoded primary key, for tables with one
 * @param partition encoded partition columns, for partitioned tables
 * @param columns statistics by column id
 * @param bitmapIndexBytes size of the file's bitmap index, which is at {@link
 *     #bitmapIndexPath(String)}; empty if it has none
 * @param checksumBlockBytes block size of the checksums beside it, at {@link
 *     #checksumsPath(String)}; empty if there are none
 * @param sketches of its columns, by id; missing ones are unknown
 * @param metadataBytes bytes of its key index from the metadata of the file, which include its
 *     checksums, to the end; empty if the checksums are beside the file, or it has none
 */
public record WrittenFile(
        TableId tableId,
        ShardId shard,
        String fileId,
        String path,
        Optional<String> keyIndexPath,
        long sizeBytes,
        long keyIndexSizeBytes,
        long rowCount,
        int schemaVersion,
        Optional<byte[]> minKey,
        Optional<byte[]> maxKey,
        Optional<byte[]> partition,
        Map<Integer, ColumnStats> columns,
        OptionalLong bitmapIndexBytes,
        OptionalInt checksumBlockBytes,
        Map<Integer, ColumnSketch> sketches,
        OptionalInt metadataBytes) {
    private static final String ORC = ".orc";
    private static final String SST = ".row";

    public WrittenFile {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(shard, "shard is null");
        requireNonNull(fileId, "fileId is null");
        requireNonNull(path, "path is null");
        requireNonNull(keyIndexPath, "keyIndexPath is null");
        requireNonNull(minKey, "minKey is null");
        requireNonNull(maxKey, "maxKey is null");
        requireNonNull(partition, "partition is null");
        columns = Map.copyOf(columns);
        requireNonNull(bitmapIndexBytes, "bitmapIndexBytes is null");
        requireNonNull(checksumBlockBytes, "checksumBlockBytes is null");
        sketches = sketches == null ? Map.of() : Map.copyOf(sketches); // absent from older workers
        requireNonNull(metadataBytes, "metadataBytes is null");
    }

    /** This file without sketches of its columns. */
    public WrittenFile withoutSketches() {
        return new WrittenFile(
                tableId,
                shard,
                fileId,
                path,
                keyIndexPath,
                sizeBytes,
                keyIndexSizeBytes,
                rowCount,
                schemaVersion,
                minKey,
                maxKey,
                partition,
                columns,
                bitmapIndexBytes,
                checksumBlockBytes,
                Map.of(),
                metadataBytes);
    }

    /** Whether it is an SST file, for row tablets; only bulk loads in a sidecar write them. */
    @JsonIgnore
    public boolean isSorted() {
        return path.endsWith(SST);
    }

    /** The path of the bitmap index of a column file. */
    public static String bitmapIndexPath(String path) {
        return path + ".bitmaps";
    }

    /** The path of the key index of a column file. */
    public static String keyIndexPath(String path) {
        String stem = path.endsWith(ORC) ? path.substring(0, path.length() - ORC.length()) : path;
        return stem + ".idx";
    }

    /** The path of the checksums beside a column file. */
    public static String checksumsPath(String path) {
        return path + ".sums";
    }

    /** The paths of all objects of the file. */
    public List<String> paths() {
        List<String> paths = new ArrayList<>();
        paths.add(path);
        keyIndexPath.ifPresent(paths::add);
        if (bitmapIndexBytes.isPresent()) {
            paths.add(bitmapIndexPath(path));
        }
        if (checksumBlockBytes.isPresent()) {
            paths.add(checksumsPath(path));
        }
        return List.copyOf(paths);
    }
}
