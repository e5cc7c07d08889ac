package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.handle.DeletionVectorLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.deletionvectors.DeletionVectorsIndexFile;
import org.apache.paimon.index.DeletionVectorMeta;
import org.apache.paimon.index.IndexFileHandler;
import org.apache.paimon.index.IndexFileMeta;
import org.apache.paimon.manifest.FileKind;
import org.apache.paimon.manifest.IndexManifestEntry;
import org.apache.paimon.table.FileStoreTable;

/**
 * An in-memory index, by data file, of the places of all deletion vectors of a table at one
 * snapshot; the vectors themselves are not loaded.
 *
 * <p>Immutable; thread-safe.
 */
public final class DeletionVectors implements CachedMetadata {
    static final DeletionVectors NONE = new DeletionVectors(Map.of());

    // An estimate: a map's entry, a location and the characters of the file's name.
    private static final long VECTOR_BYTES = 220;
    private static final long BUCKET_BYTES = 200;

    private record Bucket(BinaryRow partition, int bucket) {
        Bucket {
            requireNonNull(partition, "partition is null");
        }
    }

    private final Map<Bucket, Map<String, DeletionVectorLocation>> vectors;
    private final long retainedBytes;

    private DeletionVectors(Map<Bucket, Map<String, DeletionVectorLocation>> vectors) {
        this.vectors = Map.copyOf(vectors);
        long bytes = 64;
        for (Map<String, DeletionVectorLocation> ofBucket : vectors.values()) {
            bytes += BUCKET_BYTES + VECTOR_BYTES * ofBucket.size();
        }
        this.retainedBytes = bytes;
    }

    /** Reads the index manifest of a snapshot. */
    static DeletionVectors read(FileStoreTable table, String indexManifest) {
        IndexFileHandler handler = table.store().newIndexFileHandler();
        Map<Bucket, List<IndexFileMeta>> files = new HashMap<>();
        for (IndexManifestEntry entry : handler.readManifest(indexManifest)) {
            if (entry.kind() == FileKind.ADD
                    && entry.indexFile()
                            .indexType()
                            .equals(DeletionVectorsIndexFile.DELETION_VECTORS_INDEX)) {
                files.computeIfAbsent(
                                new Bucket(entry.partition(), entry.bucket()),
                                bucket -> new ArrayList<>())
                        .add(entry.indexFile());
            }
        }
        Map<Bucket, Map<String, DeletionVectorLocation>> vectors = new HashMap<>();
        files.forEach(
                (bucket, metas) ->
                        vectors.put(
                                bucket,
                                locations(
                                        handler.dvIndex(bucket.partition(), bucket.bucket()),
                                        metas)));
        return new DeletionVectors(vectors);
    }

    private static Map<String, DeletionVectorLocation> locations(
            DeletionVectorsIndexFile index, List<IndexFileMeta> files) {
        Map<String, DeletionVectorLocation> locations = new HashMap<>();
        for (IndexFileMeta file : files) {
            Map<String, DeletionVectorMeta> ranges = file.dvRanges();
            if (ranges == null || ranges.isEmpty()) {
                continue;
            }
            String path = index.path(file).toString(); // one string for all vectors of the file
            for (DeletionVectorMeta range : ranges.values()) {
                Long cardinality = range.cardinality();
                locations.put(
                        range.dataFileName(),
                        new DeletionVectorLocation(
                                path,
                                range.offset(),
                                range.length(),
                                cardinality == null ? -1 : cardinality));
            }
        }
        return locations;
    }

    /** The place of the deletion vector of a data file; empty: none of its rows is deleted. */
    public Optional<DeletionVectorLocation> find(BinaryRow partition, int bucket, String fileName) {
        Map<String, DeletionVectorLocation> ofBucket = vectors.get(new Bucket(partition, bucket));
        return ofBucket == null ? Optional.empty() : Optional.ofNullable(ofBucket.get(fileName));
    }

    /** The number of data files with a deletion vector. */
    public int size() {
        return vectors.values().stream().mapToInt(Map::size).sum();
    }

    @Override
    public long retainedBytes() {
        return retainedBytes;
    }
}
