package io.stele.storage.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.storage.objectstore.ObjectEntry;
import io.stele.storage.objectstore.ObjectStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The manifest versions of one shard, under {@code manifest/<tableGroup>-<shard>/}. A version has
 * what changed since a base, which is written anew where that has become much.
 *
 * <p>Invariant: a base is durable before a version names it, and is deleted when no version that is
 * kept can. Thread-safe; every method blocks on the store.
 */
public final class ManifestStore {
    /**
     * Enough to look at what happened lately; readers hold manifests in memory and never read old
     * versions.
     */
    private static final int KEPT_VERSIONS = 5;

    /**
     * Changes from which on a base is written: below it a version with all of its files is a few
     * ten KB.
     */
    public static final int MIN_CHANGES = 64;

    private final ObjectStore store;
    private final ShardId shard;
    private final ManifestBases bases;
    private final String prefix;
    private final int minChanges;
    private final VersionedObjects<StoredManifest> versions;
    private volatile @Nullable Known known;
    private int basesWritten; // by one thread at a time: versions are created one after the other

    /**
     * @param ownerId of this process start: tells our version from another owner's after an unknown
     *     outcome
     */
    public ManifestStore(ObjectStore store, ShardId shard, UUID ownerId, ManifestBases bases) {
        this(store, shard, ownerId, bases, MIN_CHANGES);
    }

    /**
     * @param minChanges from which on a base is written, at the least
     */
    public ManifestStore(
            ObjectStore store, ShardId shard, UUID ownerId, ManifestBases bases, int minChanges) {
        this.store = requireNonNull(store, "store is null");
        this.shard = requireNonNull(shard, "shard is null");
        this.bases = requireNonNull(bases, "bases is null");
        this.minChanges = minChanges;
        this.prefix = "manifest/" + shard + "/";
        this.versions =
                new VersionedObjects<>(
                        store,
                        prefix,
                        VersionedFrame.MANIFEST,
                        StoredManifest.class,
                        ownerId,
                        KEPT_VERSIONS);
    }

    /** The newest manifest; empty if the shard never had one. */
    public Optional<Manifest> loadLatest() throws IOException {
        Optional<VersionedObjects.Versioned<StoredManifest>> latest = versions.latest();
        if (latest.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(complete(latest.get().version(), latest.get().value()));
    }

    /**
     * The files of the newest version that a filter matches, of which the base is read in part;
     * none if the shard never had a version.
     */
    public List<FileEntry> find(ManifestFilter filter) throws IOException {
        Optional<VersionedObjects.Versioned<StoredManifest>> latest = versions.latest();
        if (latest.isEmpty()) {
            return List.of();
        }
        StoredManifest stored = checked(latest.get().version(), latest.get().value());
        List<FileEntry> ofBase =
                stored.base().isEmpty()
                        ? List.of()
                        : bases.select(store, stored.base().get(), filter);
        return stored.filesOver(ofBase).stream()
                .filter(filter::matches)
                .map(file -> filter.sketches() ? file : file.withSketches(Map.of()))
                .toList();
    }

    public Manifest load(long version) throws IOException {
        return complete(version, versions.load(version));
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
        return versions.create(manifest.version(), stored(manifest));
    }

    private StoredManifest stored(Manifest manifest) throws IOException {
        Known base = known;
        Optional<StoredManifest> difference =
                base == null
                        ? Optional.empty()
                        : StoredManifest.difference(manifest, base.base, base.files);
        if (difference.isEmpty()) {
            known = null; // no later version names a base that is older than this one
        }
        StoredManifest stored = difference.orElseGet(() -> StoredManifest.whole(manifest));
        // A base of n files every sqrt(n) changes: it and the changes cost about as much
        int limit = Math.max(minChanges, (int) Math.sqrt(manifest.files().size()));
        if (stored.changes() <= limit || manifest.files().isEmpty()) {
            return stored;
        }
        Known next = writeBase(manifest);
        known = next;
        return StoredManifest.difference(manifest, next.base, next.files).orElseThrow();
    }

    private Known writeBase(Manifest manifest) throws IOException {
        // A name of its own, whoever else writes one for this version: it is named by one version
        String path =
                "%sbase/%020d-%x-%d"
                        .formatted(prefix, manifest.version(), manifest.epoch(), basesWritten++);
        ManifestBase written = bases.write(store, path, manifest.version(), manifest.files());
        return new Known(written, StoredManifest.byId(manifest.files()));
    }

    /** Deletes all but the newest few versions, and bases that only versions before them name. */
    public void deleteOld() throws IOException {
        versions.deleteOld();
        List<ObjectEntry> found = store.list(prefix + "base/");
        if (found.isEmpty()) {
            return;
        }
        long oldest = versions.oldestVersion().orElseThrow();
        long oldestBase = versions.load(oldest).base().map(ManifestBase::version).orElse(oldest);
        for (ObjectEntry object : found) {
            String name = object.path().substring(prefix.length() + "base/".length());
            // One above may be about to be named, by whoever owns the shard
            if (version(name) < oldestBase) {
                store.delete(object.path());
            }
        }
    }

    private static long version(String baseName) {
        int end = baseName.indexOf('-');
        boolean isOurs =
                end == VersionedObjects.VERSION_DIGITS
                        && baseName.chars().limit(end).allMatch(c -> c >= '0' && c <= '9');
        return isOurs ? Long.parseLong(baseName.substring(0, end)) : Long.MAX_VALUE;
    }

    private StoredManifest checked(long version, StoredManifest stored) {
        if (!stored.shard().equals(shard) || stored.version() != version) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "Expected version %d of shard %s, found version %d of shard %s in %s at offset %d"
                            .formatted(
                                    version,
                                    shard,
                                    stored.version(),
                                    stored.shard(),
                                    versions.path(version),
                                    VersionedFrame.HEADER_LENGTH));
        }
        return stored;
    }

    private Manifest complete(long version, StoredManifest read) throws IOException {
        StoredManifest stored = checked(version, read);
        Map<String, FileEntry> files =
                stored.base().isEmpty() ? Map.of() : load(stored.base().get()).files;
        return stored.toManifest(files, versions.path(version));
    }

    private Known load(ManifestBase base) throws IOException {
        Known present = known;
        if (present != null && present.base.equals(base)) {
            return present;
        }
        Known loaded = new Known(base, StoredManifest.byId(bases.read(store, base)));
        if (present == null || present.base.version() < base.version()) {
            known = loaded;
        }
        return loaded;
    }

    /** The last base that was written or read, with the objects that manifests have of it. */
    private record Known(ManifestBase base, Map<String, FileEntry> files) {}
}
