package io.stele.paimon.handle;

import static io.airlift.slice.SizeOf.estimatedSizeOf;
import static io.airlift.slice.SizeOf.instanceSize;
import static io.airlift.slice.SizeOf.sizeOf;
import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * The place of the indexes that Paimon's writer made of a data file's columns: bloom filters and
 * bitmaps of rows.
 *
 * @param path the full location of the file with the indexes; empty: they are in the metadata
 * @param bytes the indexes that are in the metadata
 */
public record FileIndex(Optional<String> path, byte[] bytes) {
    private static final int INSTANCE_SIZE = instanceSize(FileIndex.class);

    public FileIndex {
        requireNonNull(path, "path is null");
        requireNonNull(bytes, "bytes is null");
    }

    long retainedBytes() {
        return INSTANCE_SIZE + path.map(text -> estimatedSizeOf(text)).orElse(0L) + sizeOf(bytes);
    }
}
