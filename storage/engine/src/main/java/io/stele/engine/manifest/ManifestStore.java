package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import io.stele.objectstore.NumberedName;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The store of the manifest versions of one shard, under {@code manifest/<tableGroup>-<shard>/},
 * which creates a version only if no other process did. A version has the changes since a base; a
 * new base is written when there are many changes.
 *
 * <p>Invariant: a base is durable before a version refers to it, and is deleted when no retained
 * version can refer to it. Thread-safe; every method blocks on the store.
 */
public final class ManifestStore {
    /**
     * Enough to examine recent changes; readers hold manifests in memory and never read old
     * versions.
     */
    private static final int KEPT_VERSIONS = 5;

    /**
     * The number of changes from which on a base is written: with fewer files, a version with all
     * of its files is a few ten KB.
     */
    public static final int MIN_CHANGES = 64;

    /**
     * The number of attempts to load the newest version with its base: an attempt only fails if
     * another process deletes them during the read.
     */
    private static final int MAX_LOAD_ATTEMPTS = 10;

    /**
     * Sketches are dropped from memory if a base has more files than this many bases of the
     * smallest size. The sketches of some thousand files are some MB, and exact for every selection
     * of files.
     */
    private static final int BASES_IN_MEMORY = 16;

    private final ObjectStore store;
    private final ShardId shard;
    private final UUID ownerId;
    private final ManifestBaseFormat bases;
    private final String prefix;
    private final int minChanges;
    private final VersionedObjects<StoredManifest> versions;
    private volatile @Nullable Known known;
    private volatile long deletedBefore; // bases of lower versions are deleted
    private volatile long writersDeletedBefore; // as deletedBefore, for writers
    private int writersWritten; // as basesWritten
    private int basesWritten; // by one thread at a time, which creates versions

    /**
     * @param ownerId of this process start: after an unknown outcome it distinguishes a version
     *     created here from another owner's version
     */
    public ManifestStore(ObjectStore store, ShardId shard, UUID ownerId, ManifestBaseFormat bases) {
        this(store, shard, ownerId, bases, MIN_CHANGES);
    }

    /**
     * @param minChanges the least number of changes from which on a base is written
     */
    public ManifestStore(
            ObjectStore store,
            ShardId shard,
            UUID ownerId,
            ManifestBaseFormat bases,
            int minChanges) {
        this.store = requireNonNull(store, "store is null");
        this.shard = requireNonNull(shard, "shard is null");
        this.ownerId = requireNonNull(ownerId, "ownerId is null");
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
                        KEPT_VERSIONS,
                        StoredManifest::formatVersion);
    }

    /** The newest manifest; empty if the shard never had one. */
    public Optional<Manifest> loadLatest() throws IOException {
        return latest(this::complete);
    }

    /**
     * The files of the newest version that a filter matches; reads only a part of the base. Empty
     * if the shard never had a version.
     */
    public List<FileEntry> find(ManifestFilter filter) throws IOException {
        return latest(stored -> find(stored, filter)).orElse(List.of());
    }

    private List<FileEntry> find(StoredManifest stored, ManifestFilter filter) throws IOException {
        List<FileEntry> ofBase =
                stored.base().isEmpty()
                        ? List.of()
                        : bases.select(store, stored.base().get(), filter);
        return stored.filesOver(FileEntries.of(ofBase)).stream()
                .filter(filter::matches)
                .map(file -> filter.sketches() ? file : file.withSketches(Map.of()))
                .toList();
    }

    /**
     * The result of reading the newest version; repeated with a newer version if its base is
     * deleted meanwhile.
     */
    private <T> Optional<T> latest(Reading<T> reading) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Optional<VersionedObjects.Versioned<StoredManifest>> latest = versions.latest();
            if (latest.isEmpty()) {
                return Optional.empty();
            }
            long version = latest.get().version();
            try {
                return Optional.of(reading.read(checked(version, latest.get().value())));
            } catch (IOException failed) {
                if (!isMissing(failed)
                        || attempt == MAX_LOAD_ATTEMPTS
                        || versions.latestVersion().orElse(version) == version) {
                    throw failed;
                }
            }
        }
    }

    /**
     * The path of the object that prevents the newest version from being read: the base, if the
     * version is readable, else the version.
     */
    public String unreadablePath() throws IOException {
        long version = versions.latestVersion().orElse(0);
        return basePath(version).orElse(versions.path(version));
    }

    /** The paths of the versions, newest first, that refer to a base. */
    public List<String> versionsOf(String basePath) throws IOException {
        List<String> found = new ArrayList<>();
        long newest = versions.latestVersion().orElse(0);
        for (long version = newest; version > newest - KEPT_VERSIONS; version--) {
            if (basePath(version).filter(basePath::equals).isPresent()) {
                found.add(versions.path(version));
            }
        }
        return found;
    }

    /** Whether there is a version before the version at a path. */
    public boolean hasVersionBefore(String path) throws IOException {
        return store.list(prefix).stream()
                .map(ObjectEntry::path)
                .anyMatch(other -> other.length() == path.length() && other.compareTo(path) < 0);
    }

    private Optional<String> basePath(long version) throws IOException {
        try {
            return checked(version, versions.load(version)).base().map(ManifestBase::path);
        } catch (NoSuchFileException
                | SteleException
                | StackOverflowError
                | LinkageError unreadable) {
            return Optional.empty();
        }
    }

    private static boolean isMissing(IOException failed) {
        Throwable root = failed; // the ORC library wraps the store's exceptions
        while (!(root instanceof NoSuchFileException) && root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof NoSuchFileException;
    }

    public Manifest load(long version) throws IOException {
        return complete(checked(version, versions.load(version)));
    }

    /**
     * Creates {@code manifest.version()}, durable when the call returns.
     *
     * @return false if another owner of the shard has already created this version or a later one;
     *     then the caller is no longer the owner, unless an earlier attempt of its own succeeded
     * @throws IOException if the store failed and the outcome is unknown
     */
    public boolean create(Manifest manifest) throws IOException {
        if (!manifest.shard().equals(shard) || manifest.version() < 1) {
            throw new IllegalArgumentException(
                    "Expected a manifest of shard %s with a version >= 1, found version %d of shard %s"
                            .formatted(shard, manifest.version(), manifest.shard()));
        }
        if (!versions.createNewest(manifest.version(), withoutStoredSketches(stored(manifest)))) {
            return false;
        }
        shedSketches();
        return true;
    }

    /**
     * Removes the sketches of a large base from memory, once a version refers to the base. If the
     * store does not answer, they stay in memory until the next version.
     */
    @SuppressWarnings("EmptyCatch")
    private void shedSketches() {
        Known named = known;
        if (named != null && !named.shed && isLarge(named.files.size())) {
            try {
                bases.shedSketches(store, named.base, List.copyOf(named.files));
                named.shed = true;
            } catch (IOException | RuntimeException failed) {
                // Damaged sketches are ignored here: their readers get the failure
            }
        }
    }

    private boolean isLarge(int files) {
        return files > (long) BASES_IN_MEMORY * minChanges;
    }

    /**
     * The form to be written: sketches that the base has are omitted, other sketches are included.
     */
    private StoredManifest withoutStoredSketches(StoredManifest stored) throws IOException {
        SketchReads reads = bases.sketches(store);
        List<FileEntry> files = new ArrayList<>();
        for (FileEntry file : stored.files()) {
            Optional<FileSketches.Place> place = file.sketches().place();
            if (place.isEmpty()) {
                files.add(file);
            } else if (stored.base().filter(place.get().base()::equals).isPresent()) {
                files.add(file.withSketches(FileSketches.NONE));
            } else {
                files.add(file.withSketches(reads.read(file.sketches())));
            }
        }
        return stored.withFiles(files);
    }

    private StoredManifest stored(Manifest manifest) throws IOException {
        Known base = known;
        Optional<StoredManifest> difference =
                base == null
                        ? Optional.empty()
                        : StoredManifest.difference(manifest, base.base, base.files);
        if (difference.isEmpty()) {
            known = null; // no later version refers to a base that is older than this version
        }
        StoredManifest stored = difference.orElseGet(() -> StoredManifest.whole(manifest));
        // A base of n files every sqrt(n) changes, so that bases and changes cost about the same
        int limit = Math.max(minChanges, (int) Math.sqrt(manifest.files().size()));
        if (base != null && !base.files.sharesWith(manifest.files())) {
            limit = minChanges; // until the next base, versions are compared file by file
        }
        if (stored.changes() <= limit || manifest.files().isEmpty()) {
            return stored;
        }
        Known next = writeBase(manifest);
        known = next;
        return StoredManifest.difference(manifest, next.base, next.files).orElseThrow();
    }

    private Known writeBase(Manifest manifest) throws IOException {
        // A unique name, since another process may also write a base for this version, of which
        // only one is used
        String path =
                "%sbase/%s-%x-%d"
                        .formatted(
                                prefix,
                                NumberedName.of(manifest.version()),
                                manifest.epoch(),
                                basesWritten++);
        ManifestBase written =
                bases.write(store, path, manifest.version(), List.copyOf(manifest.files()));
        return new Known(written, manifest.files());
    }

    /**
     * Writes the progress of all writers of a shard into an object, for the version that will refer
     * to it; one caller at a time.
     */
    public WritersObject writeWriters(long version, long epoch, Collection<WriterProgress> writers)
            throws IOException {
        String path =
                "%swriters/%s-%x-%d"
                        .formatted(prefix, NumberedName.of(version), epoch, writersWritten++);
        store.put(
                path,
                VersionedFrame.WRITERS.encode(
                        version, ownerId, WriterProgressCodec.encode(writers)));
        return new WritersObject(version, path);
    }

    /** Reads the writers of an object to which the newest version refers. */
    public List<WriterProgress> loadWriters(WritersObject object) throws IOException {
        String where = store.describe(object.path());
        return WriterProgressCodec.decode(
                VersionedFrame.WRITERS.decode(
                        where, object.version(), store.readFully(object.path())),
                where);
    }

    /**
     * Deletes all but the newest few versions, and the bases and writers objects to which only
     * deleted versions refer. It is safe at any time, for any owner of the shard: a reader of a
     * deleted object finds a newer version.
     */
    public void deleteOld() throws IOException {
        OptionalLong oldest = versions.deleteAllButKept();
        if (oldest.isEmpty()) {
            return;
        }
        StoredManifest oldestKept;
        try {
            oldestKept = versions.load(oldest.getAsLong());
        } catch (NoSuchFileException gone) {
            return; // other owners have newer versions, and delete too
        } catch (SteleException damaged) {
            return; // its base is unknown; older bases are deleted after later versions
        }
        // Without a base: the following versions refer to newer bases
        long oldestBase = oldestKept.base().map(ManifestBase::version).orElse(oldest.getAsLong());
        if (oldestBase > deletedBefore) {
            deleteBefore("base/", oldestBase);
            deletedBefore = oldestBase;
        }
        long oldestWriters =
                oldestKept.writersObject().map(WritersObject::version).orElse(oldest.getAsLong());
        if (oldestWriters > writersDeletedBefore) {
            deleteBefore("writers/", oldestWriters);
            writersDeletedBefore = oldestWriters;
        }
    }

    private void deleteBefore(String folder, long oldestKept) throws IOException {
        for (ObjectEntry object : store.list(prefix + folder)) {
            String name = object.path().substring(prefix.length() + folder.length());
            // A version of any owner of the shard may be about to refer to a newer object
            if (version(name) < oldestKept) {
                store.delete(object.path());
            }
        }
    }

    /**
     * The version in the name of a base or writers object; the highest number if the name has
     * another form.
     */
    private static long version(String name) {
        int end = Math.max(0, name.indexOf('-'));
        return NumberedName.parse(name.substring(0, end)).orElse(Long.MAX_VALUE);
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

    /** A reader of the sketches of files of this shard. */
    public SketchReads sketches() {
        return bases.sketches(store);
    }

    private Manifest complete(StoredManifest stored) throws IOException {
        FileEntries files =
                stored.base().isEmpty() ? FileEntries.of() : load(stored.base().get()).files;
        return stored.toManifest(files, versions.path(stored.version()));
    }

    private Known load(ManifestBase base) throws IOException {
        Known present = known;
        if (present != null && present.base.equals(base)) {
            return present;
        }
        boolean grouped = isLarge(base.entryCount());
        Known loaded = new Known(base, entries(base, bases.read(store, base, grouped)));
        loaded.shed = grouped;
        if (present == null || present.base.version() < base.version()) {
            known = loaded;
        }
        return loaded;
    }

    private FileEntries entries(ManifestBase base, List<FileEntry> files) {
        try {
            return FileEntries.of(files);
        } catch (IllegalArgumentException damaged) {
            throw new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "%s in %s".formatted(damaged.getMessage(), store.describe(base.path())),
                    damaged);
        }
    }

    /** A function of a stored version, which may read its base. */
    @FunctionalInterface
    private interface Reading<T> {
        T read(StoredManifest stored) throws IOException;
    }

    /** The last base that was written or read, with the entry objects that manifests share. */
    private static final class Known {
        private final ManifestBase base;
        private final FileEntries files;
        private volatile boolean shed; // whether its sketches were removed from memory

        Known(ManifestBase base, FileEntries files) {
            this.base = base;
            this.files = files;
        }
    }
}
