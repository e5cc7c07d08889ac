package io.stele.engine.manifest;

import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.List;

/**
 * The storage format of manifest bases: the writer and reader of the objects that hold the file
 * entries of a manifest. Thread-safe.
 */
public interface ManifestBases {
    /**
     * Writes files, durable when the call returns; an object at the path is replaced.
     *
     * @param version of the manifest that has them
     * @param files at least one, in the manifest's order
     */
    ManifestBase write(ObjectStore store, String path, long version, List<FileEntry> files)
            throws IOException;

    /**
     * All files, in the manifest's order.
     *
     * @throws io.stele.protocol.SteleException CORRUPT_DATA if the object is not what was written
     */
    List<FileEntry> read(ObjectStore store, ManifestBase base) throws IOException;

    /** The files that a filter matches, in the manifest's order, and as little else as can be. */
    List<FileEntry> select(ObjectStore store, ManifestBase base, ManifestFilter filter)
            throws IOException;

    /**
     * Takes the sketches of files that a base has out of memory, and leaves there what those of
     * similar files are together.
     *
     * @param files all of the base, in the manifest's order
     */
    void shedSketches(ObjectStore store, ManifestBase base, List<FileEntry> files)
            throws IOException;

    /** A reader of sketches. */
    SketchReads sketches(ObjectStore store);

    /** All objects that it consists of. */
    List<String> paths(String path);
}
