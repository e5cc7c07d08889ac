package io.stele.engine.manifest;

import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.util.List;

/**
 * The storage of manifest bases: the writer and reader of the objects that hold the file entries of
 * a manifest. Every method that reads or writes blocks on the store. Thread-safe.
 */
public interface ManifestBaseFormat {
    /**
     * Writes files, durable when the call returns; an object at the path is replaced.
     *
     * @param version of the manifest that has the files
     * @param files at least one, in the manifest's order
     */
    ManifestBase write(ObjectStore store, String path, long version, List<FileEntry> files)
            throws IOException;

    /**
     * Reads all files, in the manifest's order.
     *
     * @param grouped whether only merged sketches of similar files are read into memory, as {@link
     *     #shedSketches} leaves them; else those of each file
     * @throws io.stele.protocol.SteleException CORRUPT_DATA if the object is damaged
     */
    List<FileEntry> read(ObjectStore store, ManifestBase base, boolean grouped) throws IOException;

    /**
     * Reads the files that a filter matches, in the manifest's order, and as few other files as
     * possible.
     */
    List<FileEntry> select(ObjectStore store, ManifestBase base, ManifestFilter filter)
            throws IOException;

    /**
     * Replaces the in-memory sketches of a base's files by the merged sketches of similar files;
     * changes the {@link FileSketches} of the entries.
     *
     * @param files all files of the base, in the manifest's order
     */
    void shedSketches(ObjectStore store, ManifestBase base, List<FileEntry> files)
            throws IOException;

    /** A reader of sketches. */
    SketchReads sketches(ObjectStore store);

    /** The paths of all objects that a base at a path may consist of. */
    List<String> paths(String path);
}
