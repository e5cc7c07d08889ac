package io.stele.paimon.image;

import java.util.List;
import org.apache.paimon.manifest.ManifestEntry;

/**
 * The choice of a scan's data files by their statistics in an image, by Paimon's own rules.
 * Confined to one thread.
 */
interface FileFilter {
    /** Whether a file of the block can match, by the range of its keys. */
    boolean mayContain(EntryBlock block);

    /** Whether a file can have rows that match. */
    boolean matches(ManifestEntry entry);

    /**
     * The files among those that matched that are still needed once all of them are seen together.
     */
    List<ManifestEntry> matchTogether(List<ManifestEntry> entries);
}
