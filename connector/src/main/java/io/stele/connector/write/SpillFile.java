package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.retrieval.ByteRange;
import java.util.List;

/**
 * A temporary object of one writer: rows by shard and partition, as Arrow record batches one after
 * the other. Only its writer reads it. So the index of its batches, with their checksums, stays in
 * the writer's memory, and the object has no header. Immutable.
 *
 * @param level how often its rows were rewritten
 */
record SpillFile(String path, long sizeBytes, int level, List<Batch> batches) {
    SpillFile {
        requireNonNull(path, "path is null");
        batches = List.copyOf(batches);
    }

    /**
     * The place of one record batch.
     *
     * @param headerBytes of its flatbuffer, which is before its body
     * @param crc CRC32C of both
     */
    record Batch(long offset, int headerBytes, int bodyBytes, int crc) {
        ByteRange range() {
            return new ByteRange(offset, Math.addExact(headerBytes, bodyBytes));
        }
    }
}
