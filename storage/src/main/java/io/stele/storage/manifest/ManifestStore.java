package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/**
 * The manifest versions of one shard, under {@code manifest/<tableGroup>-<shard>/}. Thread-safe;
 * every method blocks on the store.
 */
public final class ManifestStore {
    /**
     * Enough to look at what happened lately; readers hold manifests in memory and never read old
     * versions.
     */
    private static final int KEPT_VERSIONS = 5;

    private final ShardId shard;
    private final VersionedObjects<Manifest> versions;

    /**
     * @param ownerId of this process start: tells our version from another owner's after an unknown
     *     outcome
     */
    public ManifestStore(ObjectStore store, ShardId shard, UUID ownerId) {
        this.shard = requireNonNull(shard, "shard is null");
        this.versions =
                new VersionedObjects<>(
                        store,
                        "manifest/" + shard + "/",
                        VersionedFrame.MANIFEST,
                        Manifest.class,
                        ownerId,
                        KEPT_VERSIONS);
    }

    /** The newest manifest; empty if the shard never had one. */
    public Optional<Manifest> loadLatest() throws IOException {
        Optional<VersionedObjects.Versioned<Manifest>> latest = versions.latest();
        if (latest.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(checked(latest.get().version(), latest.get().value()));
    }

    public Manifest load(long version) throws IOException {
        return checked(version, versions.load(version));
    }

    /**
     * Creates {@code manifest.version()}, durable when the call returns.
     *
     * @return false if another owner of the shard created this version before: the caller is no
     *     longer the owner
     * @throws IOException if the store failed and it is not known whether the version was created
     */
    public boolean create(Manifest manifest) throws IOException {
        if (!manifest.shard().equals(shard) || manifest.version() < 1) {
            throw new IllegalArgumentException(
                    "Expected a manifest of shard %s with a version >= 1, found version %d of shard %s"
                            .formatted(shard, manifest.version(), manifest.shard()));
        }
        return versions.create(manifest.version(), manifest);
    }

    /** Deletes all but the newest few versions. */
    public void deleteOld() throws IOException {
        versions.deleteOld();
    }

    private Manifest checked(long version, Manifest manifest) {
        if (!manifest.shard().equals(shard) || manifest.version() != version) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected version %d of shard %s, found version %d of shard %s in %s at offset %d"
                            .formatted(
                                    version,
                                    shard,
                                    manifest.version(),
                                    manifest.shard(),
                                    versions.path(version),
                                    VersionedFrame.HEADER_LENGTH));
        }
        return manifest;
    }
}
