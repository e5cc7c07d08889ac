package io.stele.engine;

import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.predicate.ColumnSketch;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A copy of a written file with parts that a test changes. Confined to one thread. */
final class ChangedFile {
    private final WrittenFile original;
    private String fileId;
    private Optional<String> keyIndexPath;
    private long keyIndexSizeBytes;
    private Map<Integer, ColumnSketch> sketches;
    private OptionalInt metadataBytes;

    private ChangedFile(WrittenFile original) {
        this.original = original;
        fileId = original.fileId();
        keyIndexPath = original.keyIndexPath();
        keyIndexSizeBytes = original.keyIndexSizeBytes();
        sketches = original.sketches();
        metadataBytes = original.metadataBytes();
    }

    static ChangedFile of(WrittenFile original) {
        return new ChangedFile(original);
    }

    ChangedFile fileId(String changed) {
        fileId = changed;
        return this;
    }

    ChangedFile keyIndexPath(Optional<String> changed) {
        keyIndexPath = changed;
        return this;
    }

    ChangedFile keyIndexSizeBytes(long changed) {
        keyIndexSizeBytes = changed;
        return this;
    }

    ChangedFile sketches(Map<Integer, ColumnSketch> changed) {
        sketches = changed;
        return this;
    }

    ChangedFile metadataBytes(int changed) {
        metadataBytes = OptionalInt.of(changed);
        return this;
    }

    WrittenFile build() {
        return new WrittenFile(
                original.tableId(),
                original.shard(),
                fileId,
                original.path(),
                keyIndexPath,
                original.sizeBytes(),
                keyIndexSizeBytes,
                original.rowCount(),
                original.schemaVersion(),
                original.minKey(),
                original.maxKey(),
                original.partition(),
                original.columns(),
                original.bitmapIndexBytes(),
                original.checksumBlockBytes(),
                sketches,
                metadataBytes);
    }
}
