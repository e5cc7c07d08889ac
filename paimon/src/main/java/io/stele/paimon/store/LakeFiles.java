package io.stele.paimon.store;

import io.stele.objectstore.ObjectReader;
import java.io.IOException;

/**
 * The read access of this plugin's readers to a lake's files by full location, as Paimon's metadata
 * names them. A file never changes once it is written. Thread-safe; calls block.
 */
public interface LakeFiles {
    /** Opens a file whose size is known; sends no request. Reads go through the data page cache. */
    ObjectReader open(String location, long sizeBytes) throws IOException;

    /** Reads a whole small file in one request. */
    byte[] readFully(String location) throws IOException;
}
