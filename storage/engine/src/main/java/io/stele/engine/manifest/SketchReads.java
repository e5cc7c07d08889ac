package io.stele.engine.manifest;

import io.stele.protocol.predicate.ColumnSketch;
import java.io.IOException;
import java.util.Map;

/**
 * A reader of the column sketches in manifest bases; most efficient in the order of the bases.
 * Confined to one thread.
 */
@FunctionalInterface
public interface SketchReads {
    /**
     * The sketches of a file, by column id, from memory or a base. Empty if the base was deleted,
     * which only another owner of the shard does.
     */
    Map<Integer, ColumnSketch> read(FileSketches sketches) throws IOException;
}
