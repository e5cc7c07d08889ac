package io.stele.paimon.image;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Throwables;
import io.airlift.log.Logger;
import io.stele.cache.SingleFlightCache;
import io.stele.paimon.lease.DelayedTasks;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;
import org.jspecify.annotations.Nullable;

/**
 * A cache, bounded in bytes, of metadata images and deletion vector places of tables at snapshots,
 * filled from manifests on demand.
 *
 * <p>An image that is not cached is made, in this order: from a cached image of an earlier
 * snapshot, or from the persisted image, with the deltas since; else from all manifests. Once in a
 * while an advanced image is compared with all manifests in the background, and dropped if it
 * differs.
 *
 * <p>Invariant: an image is made once, also under concurrent requests. Invariant: no image of
 * another commit is given for a snapshot, also after a rollback or a table's drop. Thread-safe;
 * calls block for an image that is not cached.
 */
public final class TableImages {
    private static final Logger log = Logger.get(TableImages.class);
    // Queries in flight hold the snapshots of the last moments. Each version counts in full, though
    // it shares most blocks with the next, so more versions would evict other tables.
    private static final int MAX_VERSIONS = 3;
    // 1 MiB a second: a large image that advances all the time is written less often, so that a
    // disk has time for the data cache.
    private static final long PERSISTED_BYTES_A_SECOND = 1 << 20;

    private sealed interface Key permits ImageKey, VectorsKey {}

    private record ImageKey(TableId table, SnapshotIdentity snapshot) implements Key {
        ImageKey {
            requireNonNull(table, "table is null");
            requireNonNull(snapshot, "snapshot is null");
        }
    }

    private record VectorsKey(TableId table, String indexManifest) implements Key {
        VectorsKey {
            requireNonNull(table, "table is null");
            requireNonNull(indexManifest, "indexManifest is null");
        }
    }

    private enum Origin {
        BUILT,
        ADVANCED,
        REOPENED
    }

    private record Loaded(TableImage image, Origin origin) {
        Loaded {
            requireNonNull(image, "image is null");
            requireNonNull(origin, "origin is null");
        }
    }

    /** The cached images of a table by snapshot id, and the state of its background work. */
    private static final class Versions {
        private final ConcurrentSkipListMap<Long, TableImage> images =
                new ConcurrentSkipListMap<>();
        private final AtomicInteger unverified = new AtomicInteger();
        private final AtomicInteger unpersisted = new AtomicInteger();
        private final AtomicBoolean verifying = new AtomicBoolean();
        private final AtomicBoolean persisting = new AtomicBoolean();
        private final AtomicBoolean hasTimer = new AtomicBoolean();
        private volatile boolean isDropped; // as wrong or damaged, not only evicted
    }

    private final ImageOptions options;
    private final DelayedTasks timer;
    private final Executor executor;
    private final ParallelTasks tasks;
    private final Optional<ImageFolder> folder;
    private final SingleFlightCache<Key, CachedMetadata> cache;
    private final ConcurrentMap<TableId, Versions> versions = new ConcurrentHashMap<>();
    private final LongAdder built = new LongAdder();
    private final LongAdder advanced = new LongAdder();
    private final LongAdder reopened = new LongAdder();
    private final LongAdder notApplicable = new LongAdder();
    private final LongAdder verified = new LongAdder();
    private final LongAdder different = new LongAdder();
    private final LongAdder damaged = new LongAdder();

    /**
     * @param timer starts the persisting of images that have advanced
     * @param executor reads files for callers, and persists and verifies images; its tasks block
     * @param folder where images are persisted; empty: nowhere
     */
    public TableImages(
            ImageOptions options,
            DelayedTasks timer,
            Executor executor,
            Optional<ImageFolder> folder) {
        this.options = requireNonNull(options, "options is null");
        this.timer = requireNonNull(timer, "timer is null");
        this.executor = requireNonNull(executor, "executor is null");
        this.tasks = new ParallelTasks(executor, options.parallelism());
        this.folder = requireNonNull(folder, "folder is null");
        this.cache =
                new SingleFlightCache<>(
                        "paimon-images",
                        options.maxBytes(),
                        CachedMetadata::retainedBytes,
                        this::removed,
                        null);
    }

    /** The image of a table at a snapshot; sends no request if it is cached. */
    public TableImage image(FileStoreTable table, Snapshot snapshot) throws IOException {
        TableId id = TableId.of(table);
        ImageKey key = new ImageKey(id, SnapshotIdentity.of(snapshot));
        @Nullable Origin[] origin = new Origin[1]; // set if this thread made the image
        TableImage image =
                (TableImage)
                        cache.<IOException>get(
                                key,
                                () -> {
                                    Loaded loaded = load(table, id, snapshot);
                                    origin[0] = loaded.origin();
                                    return loaded.image();
                                });
        if (origin[0] != null) {
            publish(table, snapshot, image, origin[0]);
        }
        return image;
    }

    /** The deletion vectors of a table at a snapshot; sends no request if they are cached. */
    public DeletionVectors deletionVectors(FileStoreTable table, Snapshot snapshot)
            throws IOException {
        String manifest = snapshot.indexManifest();
        if (manifest == null) {
            return DeletionVectors.NONE;
        }
        return (DeletionVectors)
                cache.<IOException>get(
                        new VectorsKey(TableId.of(table), manifest),
                        () -> {
                            try {
                                return DeletionVectors.read(table, manifest);
                            } catch (RuntimeException e) {
                                throw readFailure(manifest, e);
                            }
                        });
    }

    public ImageStatistics statistics() {
        return new ImageStatistics(
                built.sum(),
                advanced.sum(),
                reopened.sum(),
                notApplicable.sum(),
                verified.sum(),
                different.sum(),
                damaged.sum(),
                cache.statistics());
    }

    private Loaded load(FileStoreTable table, TableId id, Snapshot snapshot) throws IOException {
        SnapshotIdentity identity = SnapshotIdentity.of(snapshot);
        Optional<TableImage> ancestor = cachedAncestor(id, snapshot.id());
        if (ancestor.isEmpty() && folder.isPresent()) {
            ancestor = folder.get().open(id, snapshot.id());
            if (ancestor.isPresent() && ancestor.get().snapshot().equals(identity)) {
                reopened.increment();
                return new Loaded(ancestor.get().with(repair(table, snapshot)), Origin.REOPENED);
            }
        }
        if (ancestor.isPresent() && isNear(ancestor.get(), snapshot)) {
            Optional<TableImage> image = advance(table, ancestor.get(), snapshot);
            if (image.isPresent()) {
                advanced.increment();
                return new Loaded(image.get(), Origin.ADVANCED);
            }
        }
        return new Loaded(build(table, snapshot), Origin.BUILT);
    }

    private boolean isNear(TableImage ancestor, Snapshot snapshot) {
        long gap = snapshot.id() - ancestor.snapshot().id();
        return gap > 0 && gap <= options.maxDeltas();
    }

    private Optional<TableImage> cachedAncestor(TableId table, long snapshotId) {
        Versions ofTable = versions.get(table);
        return ofTable == null
                ? Optional.empty()
                : Optional.ofNullable(ofTable.images.lowerEntry(snapshotId))
                        .map(Map.Entry::getValue);
    }

    private TableImage build(FileStoreTable table, Snapshot snapshot) throws IOException {
        try {
            TableImage image =
                    builder(table)
                            .build(
                                    SnapshotIdentity.of(snapshot),
                                    new ManifestReader(table, tasks).readAll(snapshot));
            built.increment();
            return image;
        } catch (RuntimeException e) {
            throw readFailure("snapshot " + snapshot.id(), e);
        }
    }

    /**
     * The earlier image advanced by the deltas since; empty where an image must be built from
     * nothing.
     */
    private Optional<TableImage> advance(
            FileStoreTable table, TableImage ancestor, Snapshot snapshot) {
        try {
            ManifestReader.Deltas deltas =
                    new ManifestReader(table, tasks).readDeltas(ancestor.snapshot().id(), snapshot);
            if (!SnapshotIdentity.of(deltas.from()).equals(ancestor.snapshot())) {
                throw new DeltaNotApplicableException(
                        "Expected snapshot %s, found %s"
                                .formatted(
                                        ancestor.snapshot(), SnapshotIdentity.of(deltas.from())));
            }
            TableImage image =
                    builder(table)
                            .advance(
                                    ancestor,
                                    SnapshotIdentity.of(snapshot),
                                    deltas.entries(),
                                    repair(table, snapshot));
            long rows = image.total().rowCount() - ancestor.total().rowCount();
            long expected = snapshot.totalRecordCount() - deltas.from().totalRecordCount();
            if (rows != expected) {
                throw new DeltaNotApplicableException(
                        "Expected %s more rows by the snapshots, found %s"
                                .formatted(expected, rows));
            }
            return Optional.of(image);
        } catch (DeltaNotApplicableException | DamagedImageException e) {
            notApplicable.increment();
            log.warn(e, "An image of %s is built from nothing", table.location());
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            // A snapshot between has expired; any other failure will occur again in the build.
            log.debug(e, "The deltas of %s cannot be read", table.location());
            return Optional.empty();
        }
    }

    private ImageBuilder builder(FileStoreTable table) {
        return new ImageBuilder(
                TableId.of(table), KeyColumns.of(table), table.partitionKeys().size(), tasks);
    }

    /** The replacement of an image of which persisted blocks turn out to be damaged. */
    private TableImage.Repair repair(FileStoreTable table, Snapshot snapshot) {
        return image -> {
            Key key = new ImageKey(image.table(), image.snapshot());
            if (cache.peek(key).orElse(null) == image) { // else another thread has replaced it
                damaged.increment();
                log.warn(
                        "Persisted blocks of %s are damaged; its image is built from nothing",
                        table.location());
                drop(image.table());
            }
            return image(table, snapshot);
        };
    }

    private void publish(FileStoreTable table, Snapshot snapshot, TableImage image, Origin origin) {
        Versions ofTable =
                versions.compute(
                        image.table(),
                        (id, present) -> {
                            Versions result = present == null ? new Versions() : present;
                            result.images.put(snapshot.id(), image);
                            return result;
                        });
        if (!cache.has(new ImageKey(image.table(), image.snapshot()))) {
            removed(image); // the image was evicted before it was published
            return;
        }
        while (ofTable.images.size() > MAX_VERSIONS) {
            Map.Entry<Long, TableImage> oldest = ofTable.images.pollFirstEntry();
            if (oldest != null) {
                cache.remove(new ImageKey(oldest.getValue().table(), oldest.getValue().snapshot()));
            }
        }
        scheduleWork(table, snapshot, image, origin, ofTable);
    }

    private void scheduleWork(
            FileStoreTable table,
            Snapshot snapshot,
            TableImage image,
            Origin origin,
            Versions ofTable) {
        if (folder.isPresent() && origin != Origin.REOPENED) {
            int waiting = ofTable.unpersisted.incrementAndGet();
            if (origin == Origin.BUILT || waiting >= options.deltasToPersist()) {
                persist(image, ofTable, folder.get());
            } else {
                persistLater(image, ofTable, folder.get());
            }
        }
        if (origin == Origin.ADVANCED
                && ofTable.unverified.incrementAndGet() >= options.deltasToVerify()) {
            ofTable.unverified.set(0);
            background(ofTable.verifying, () -> verify(table, snapshot, image));
        }
    }

    /** Sets a timer, unless one is set, to persist the newest image of the table. */
    private void persistLater(TableImage image, Versions ofTable, ImageFolder persisted) {
        if (!ofTable.hasTimer.compareAndSet(false, true)) {
            return;
        }
        long seconds =
                Math.max(
                        options.persistAfter().toSeconds(),
                        image.persistedBytes() / PERSISTED_BYTES_A_SECOND);
        try {
            timer.schedule(
                    () -> {
                        ofTable.hasTimer.set(false);
                        persistNewest(ofTable, persisted);
                    },
                    TimeUnit.SECONDS.toNanos(seconds));
        } catch (RejectedExecutionException e) {
            ofTable.hasTimer.set(false);
            log.debug(e, "No timer for images in the background");
        }
    }

    private void persistNewest(Versions ofTable, ImageFolder persisted) {
        Map.Entry<Long, TableImage> newest = ofTable.images.lastEntry();
        if (newest != null && ofTable.unpersisted.get() > 0) {
            persist(newest.getValue(), ofTable, persisted);
        }
    }

    /** Persists an image in the background: later, if another one is being persisted. */
    private void persist(TableImage image, Versions ofTable, ImageFolder persisted) {
        int waiting = ofTable.unpersisted.getAndSet(0);
        if (!background(ofTable.persisting, () -> persistNow(image, ofTable, persisted))) {
            ofTable.unpersisted.addAndGet(waiting);
            persistLater(image, ofTable, persisted);
        }
    }

    /** Returns false if the task is already running; does nothing if the executor has ended. */
    private boolean background(AtomicBoolean running, Runnable task) {
        if (!running.compareAndSet(false, true)) {
            return false;
        }
        try {
            executor.execute(
                    () -> {
                        try {
                            task.run();
                        } finally {
                            running.set(false);
                        }
                    });
        } catch (RejectedExecutionException e) {
            running.set(false);
            log.debug(e, "No thread for images in the background");
        }
        return true;
    }

    private static void persistNow(TableImage image, Versions ofTable, ImageFolder persisted) {
        if (ofTable.isDropped) {
            return;
        }
        try {
            persisted.write(image);
            if (ofTable.isDropped) {
                persisted.remove(image.table()); // it was dropped during the write
            }
        } catch (IOException | RuntimeException e) {
            log.warn(e, "An image of %s cannot be persisted", image.table());
        }
    }

    private void verify(FileStoreTable table, Snapshot snapshot, TableImage image) {
        Map<SliceKey, SliceSums> expected;
        try {
            expected = new ManifestReader(table, tasks).readSums(snapshot);
        } catch (IOException | RuntimeException e) {
            log.debug(e, "Snapshot %s of %s has no manifests", snapshot.id(), table.location());
            return;
        }
        verified.increment();
        Map<SliceKey, SliceSums> found = new HashMap<>();
        for (int slice = 0; slice < image.slices().sliceCount(); slice++) {
            found.put(image.slices().key(slice), image.slices().sums(slice));
        }
        if (!found.equals(expected)) {
            different.increment();
            log.error(
                    "The image of snapshot %s of %s differs from its manifests and is dropped",
                    snapshot.id(), table.location());
            drop(image.table());
        }
    }

    private void drop(TableId table) {
        Versions ofTable = versions.remove(table);
        if (ofTable != null) {
            ofTable.isDropped = true; // before the folder is cleared
            for (TableImage image : List.copyOf(ofTable.images.values())) {
                cache.remove(new ImageKey(table, image.snapshot()));
            }
        }
        folder.ifPresent(persisted -> persisted.remove(table));
    }

    private void removed(@Nullable CachedMetadata value) {
        if (value instanceof TableImage image) {
            versions.computeIfPresent(
                    image.table(),
                    (id, present) -> {
                        present.images.remove(image.snapshot().id(), image);
                        return present.images.isEmpty() ? null : present;
                    });
        }
    }

    /**
     * The exception for a failed read: Paimon's readers wrap failures of files in unchecked
     * exceptions; throws any other failure.
     */
    private static IOException readFailure(String what, RuntimeException failure) {
        for (Throwable cause : Throwables.getCausalChain(failure)) {
            if (cause instanceof IOException) {
                return new IOException(
                        "Cannot read the metadata of %s: %s".formatted(what, cause.getMessage()),
                        failure);
            }
        }
        throw failure;
    }
}
