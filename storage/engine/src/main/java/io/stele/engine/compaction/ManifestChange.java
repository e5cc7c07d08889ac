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
 * Finished work of a table that a manifest must name before it counts: a flush, a compaction.
 *
 * <p>Order of calls: {@link #catchUp} (on the shard's context), {@link #edit} (on a background
 * thread), and when the manifest is durable {@link #install} (on the context). A failed attempt
 * starts again at the first.
 */
public interface ManifestChange {
    TableShard table();

    /** Column files this change adds, whose deletion vectors are stored with the manifest. */
    List<ColumnFile> newColumnFiles();

    /** Files that are replaced; no new reader uses them once this is installed. */
    Set<String> removedFileIds();

    /** Whether what this was about is gone meanwhile, so that it must not be published. */
    default boolean isObsolete() {
        return false;
    }

    /** Brings the deletion vectors of the new files up to the changes applied now. */
    void catchUp() throws IOException;

    /**
     * Puts the change into the next manifest.
     *
     * @param base the present manifest
     * @param entryOf the entry of a new file, with its stored deletion vector
     */
    void edit(Manifest base, ManifestEdit edit, Function<ColumnFile, FileEntry> entryOf);

    /** Makes the change visible to readers. */
    void install() throws IOException;

    /**
     * Whether the version has the present deletions and history of the table; if not, those of the
     * previous version stay.
     */
    default boolean savesDeletions() {
        return true;
    }
}
