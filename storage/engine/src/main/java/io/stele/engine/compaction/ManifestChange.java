package io.stele.engine.compaction;

import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.manifest.Manifest;
import io.stele.engine.manifest.ManifestEdit;
import io.stele.engine.tablet.TableShard;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The result of a flush, compaction or other work on a table's files, which takes effect when a
 * manifest with it is durable.
 *
 * <p>Order of calls: {@link #catchUp} (on the shard's context), {@link #edit} (on a background
 * thread), and when the manifest is durable {@link #install} (on the context). A failed attempt
 * starts again with {@link #catchUp}.
 */
public interface ManifestChange {
    TableShard table();

    /** Column files this change adds, whose deletion vectors are stored with the manifest. */
    List<ColumnFile> newColumnFiles();

    /** Ids of files that are replaced; no new reader uses them once this change is installed. */
    Set<String> removedFileIds();

    /**
     * Whether the object of this change was dropped meanwhile, so that the change must not be
     * published.
     */
    default boolean isObsolete() {
        return false;
    }

    /** Updates the deletion vectors of the new files to the changes that are applied now. */
    void catchUp() throws IOException;

    /**
     * Adds the change to the next manifest.
     *
     * @param base the present manifest
     * @param entryOf the entry of a new file, with its stored deletion vector
     */
    void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf);

    /** Makes the change visible to readers. */
    void install() throws IOException;

    /**
     * Whether the manifest version stores the present deletions and history of the table. If not,
     * it keeps the deletions and history of the previous version.
     */
    default boolean savesDeletions() {
        return true;
    }
}
