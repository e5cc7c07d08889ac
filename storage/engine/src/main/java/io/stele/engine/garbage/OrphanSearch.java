package io.stele.engine.garbage;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.DataFileName;
import io.stele.engine.manifest.FileEntry;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The search of a start for data files that engines of earlier epochs left and nothing needs. The
 * list of all data files takes minutes if there are a million, so it runs while the engine already
 * serves. The {@link FileCollector} deletes what it finds.
 *
 * <p>Invariant: it does not find a file that a table or a prepared transaction had at the start; an
 * object that was named in this epoch or a later one, by this engine, its workers, or an engine
 * that has taken over; nor a file in a folder whose needed files are not known.
 *
 * <p>Made when the start has recovered its tables; {@link #run} is called by one thread at a time.
 */
public final class OrphanSearch implements AutoCloseable {
    /** More than the clocks of stores differ from ours. */
    private static final long MIN_AGE_MILLIS = TimeUnit.HOURS.toMillis(1);

    private final ObjectStore store;
    private final String folder;
    private final Predicate<String> unknown;
    private final FileCollector collector;
    private final LongSupplier nowMillis;
    private final long epoch;
    private final ReferencedPaths referenced = new ReferencedPaths();

    // Holds views of tables, with what they had in memory, so not for long
    private @Nullable Supplier<Stream<FileEntry>> used;

    private final Set<String> searched = new HashSet<>(); // folders of tables
    private final long beganMillis;
    private volatile boolean closed;

    /**
     * @param folder of all data files; what is in it directly is left alone
     * @param unknown tests for folders whose needed files are unknown, which are skipped
     * @param used the files that are in use at the start; called once, by the first run
     * @param collector deletes what is found
     * @param epoch of this engine
     */
    public OrphanSearch(
            ObjectStore store,
            String folder,
            Predicate<String> unknown,
            Supplier<Stream<FileEntry>> used,
            FileCollector collector,
            LongSupplier nowMillis,
            long epoch) {
        this.store = requireNonNull(store, "store is null");
        this.folder = requireNonNull(folder, "folder is null");
        this.unknown = requireNonNull(unknown, "unknown is null");
        this.used = requireNonNull(used, "used is null");
        this.collector = requireNonNull(collector, "collector is null");
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.epoch = epoch;
        this.beganMillis = nowMillis.getAsLong();
        collector.beginSearch(this::isFindable);
    }

    /**
     * Searches, and gives what is found to the collector; blocks. If the files of a table cannot be
     * listed, the other ones are searched nevertheless, and the next call continues with those
     * left.
     *
     * @return false if it was closed before the end
     * @throws IOException when some files could not be listed
     */
    public boolean run() throws IOException {
        Supplier<Stream<FileEntry>> entries = used;
        if (entries != null) {
            entries.get().forEach(this::refer);
            used = null;
        }
        @Nullable IOException failed = null;
        for (String table : store.folders(folder)) {
            if (searched.contains(table)) {
                continue;
            }
            try {
                if (!search(folder + "/" + table + "/")) {
                    return false;
                }
                searched.add(table);
            } catch (IOException e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
        collector.endSearch();
        return true;
    }

    private boolean search(String tableFolder) throws IOException {
        List<String> found = new ArrayList<>();
        try {
            store.forEach(
                    tableFolder,
                    object -> {
                        if (closed) {
                            throw new CancellationException("The engine was closed");
                        }
                        if (isOrphan(object)) {
                            found.add(object.path());
                        }
                    });
        } catch (CancellationException ended) {
            return false;
        }
        collector.found(found, nowMillis.getAsLong());
        return true;
    }

    private void refer(FileEntry file) {
        for (String path : file.immutablePaths()) {
            referenced.add(path);
            referenced.add(DataFileName.stem(path));
        }
        file.deletionVector().ifPresent(deletes -> referenced.add(deletes.path()));
    }

    private boolean isOrphan(ObjectEntry object) {
        String path = object.path();
        if (!isFindable(path)
                || referenced.contains(path)
                || unknown.test(path.substring(0, path.lastIndexOf('/') + 1))) {
            return false;
        }
        Optional<DataFileName> name = DataFileName.parse(path);
        if (name.isEmpty()) {
            // An object of somebody else, who may be writing it
            return object.modified().isBefore(Instant.ofEpochMilli(beganMillis - MIN_AGE_MILLIS));
        }
        // A deletion vector may have been replaced; of other objects of a file in use none is
        return name.get().deletesEpoch().isPresent()
                || !referenced.contains(DataFileName.stem(path));
    }

    /** Whether an object of this name may be an orphan: it is not named in this epoch or later. */
    private boolean isFindable(String path) {
        return DataFileName.parse(path).map(name -> name.objectEpoch() < epoch).orElse(true);
    }

    /** Ends a search that goes on. */
    @Override
    public void close() {
        closed = true;
    }
}
