package io.stele.engine.catalog;

import io.stele.engine.manifest.VersionedObjects;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.UUID;

/**
 * The store of catalog versions in the warehouse, under {@code catalog/}, which creates a version
 * only if no other process did. Thread-safe; every method that reads or writes blocks on the store.
 */
public final class CatalogStore {
    /** Enough to inspect the last statements. */
    private static final int KEPT_VERSIONS = 20;

    private final VersionedObjects<CatalogSnapshot> versions;

    /**
     * @param writerId of this process start: after an unknown outcome it distinguishes a version
     *     created here from another process's version
     */
    public CatalogStore(ObjectStore store, UUID writerId) {
        this.versions =
                VersionedObjects.catalog(
                        store,
                        CatalogSnapshot.class,
                        writerId,
                        KEPT_VERSIONS,
                        CatalogSnapshot::formatVersion);
    }

    /** The newest catalog; an empty one of version 0 if there is none. */
    public Catalog loadLatest() throws IOException {
        Optional<VersionedObjects.Versioned<CatalogSnapshot>> latest = versions.latest();
        return latest.isEmpty()
                ? Catalog.empty()
                : decode(latest.get().version(), latest.get().value());
    }

    /** The catalog of a snapshot. Inconsistent content is damage, even if the checksum is right. */
    private Catalog decode(long version, CatalogSnapshot snapshot) {
        try {
            return Catalog.of(version, snapshot);
        } catch (RuntimeException inconsistent) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected a catalog whose parts fit together, found: %s in %s at offset 0"
                            .formatted(inconsistent.getMessage(), versions.path(version)),
                    inconsistent);
        }
    }

    /** The path of the newest version, if there is one; it may be damaged. */
    String newestPath() throws IOException {
        return versions.path(versions.latestVersion().orElse(0));
    }

    /** The path of a version. */
    String path(long version) {
        return versions.path(version);
    }

    /** Whether a version before the newest one can be read. Reads all of them. */
    boolean hasReadableBefore() throws IOException {
        boolean found = false;
        for (long version : versions.versionsBeforeLatest()) {
            try {
                decode(version, versions.load(version));
                found = true;
            } catch (NoSuchFileException | SteleException unreadable) {
                // Another version may be readable
            }
        }
        return found;
    }

    /**
     * Creates the version of {@code catalog}, durable when the call returns.
     *
     * @return false if another process has already created this version or a later one
     * @throws IOException if the store failed and the outcome is unknown
     */
    public boolean create(Catalog catalog) throws IOException {
        return versions.createNewest(catalog.version(), catalog.toSnapshot());
    }

    /** Deletes all but the newest few versions. */
    public void deleteOld() throws IOException {
        versions.deleteOld();
    }
}
