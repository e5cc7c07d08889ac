package io.stele.engine.recovery;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.LazyReader;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.manifest.FileEntry;
import io.stele.engine.shard.Damage;
import io.stele.engine.shard.FailedFile;
import io.stele.engine.shard.StoreWait;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.engine.transaction.Retries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The background opening, some at a time, of data files that a start has not opened, while the
 * engine already serves. So lookups find the files open, and a table with an unusable file is set
 * aside soon, even without a request for it. Of very many files the first are opened; the others
 * are opened when they are read. Files that the store does not return now are requested again, one
 * at a time. Thread-safe.
 */
public final class FileOpenings {
    /**
     * Files at a time. Each waits for one request; the rest of the store's capacity is for readers.
     */
    private static final int AT_ONCE = 32;

    /** Each takes a request or two, and 1 KB of memory: 20,000 take 20 s at 30 ms a request. */
    private static final int MAX_FILES = 20_000;

    /**
     * The listed damages of one table in one shard; further damages are found at the next start.
     */
    static final int MAX_DAMAGES = 100;

    private final LongSupplier nowMillis;
    private final Retries retries;
    private final Executor executor;
    private final Queue<Opening> waiting = new ConcurrentLinkedQueue<>();
    private final Queue<Opening> postponed = new ConcurrentLinkedQueue<>(); // by an outage
    private final AtomicBoolean retrying = new AtomicBoolean();
    private int begun; // files; by the thread that begins
    private volatile boolean closed;

    /**
     * @param executor runs calls that wait for the store
     */
    public FileOpenings(LongSupplier nowMillis, Retries retries, Executor executor) {
        this.nowMillis = requireNonNull(nowMillis, "nowMillis is null");
        this.retries = requireNonNull(retries, "retries is null");
        this.executor = requireNonNull(executor, "executor is null");
    }

    /** Begins to open the files that the tables of shards have now. */
    public void begin(Collection<TableGroupShard> shards) {
        List<OpenedTable> tables = new ArrayList<>();
        for (TableGroupShard shard : shards) {
            if (shard.failure().isPresent()) {
                continue;
            }
            for (TableShard table : shard.tables()) {
                tables.add(new OpenedTable(shard, table));
            }
        }
        // So a large table does not take the place of small ones
        tables.sort(Comparator.comparingInt(opened -> opened.table.view().fileCount()));
        tables.forEach(this::addFiles);
        int runners = Math.min(AT_ONCE, waiting.size()); // they begin at once
        for (int i = 0; i < runners; i++) {
            executor.execute(this::run);
        }
    }

    private void addFiles(OpenedTable table) {
        TableView view = table.table.view();
        Stream<SstFile> sstFiles =
                Stream.concat(
                        view.sstFiles().stream(),
                        view.indexes().stream().flatMap(index -> index.files().stream()));
        Stream<Opening> rows =
                sstFiles.map(file -> new Opening(table, file.entry(), file.lazyReader()));
        Stream<Opening> columns =
                view.columnFiles().stream()
                        .flatMap(
                                file ->
                                        file
                                                .lazyKeyIndex()
                                                .map(
                                                        index ->
                                                                new Opening(
                                                                        table, file.entry(), index))
                                                .stream());
        List<Opening> openings =
                Stream.concat(rows, columns)
                        .filter(opening -> !opening.reader.isOpen())
                        .limit(MAX_FILES - begun)
                        .toList();
        begun += openings.size();
        table.left = openings.size();
        waiting.addAll(openings);
    }

    private void run() {
        for (Opening next = waiting.poll(); next != null && !closed; next = waiting.poll()) {
            try {
                openAndEnd(next);
            } catch (IOException | UncheckedIOException outage) {
                postponed.add(next);
                retryPostponed();
            }
        }
    }

    private void openAndEnd(Opening opening) throws IOException {
        opening.table.ended(open(opening));
    }

    private void retryPostponed() {
        if (closed || postponed.isEmpty() || !retrying.compareAndSet(false, true)) {
            return;
        }
        retries.untilDone("open files", executor, this::openPostponed)
                .whenComplete(
                        (done, closing) -> {
                            retrying.set(false);
                            if (closing == null) {
                                retryPostponed(); // for files postponed meanwhile
                            }
                        });
    }

    /**
     * @throws IOException when the store does not return one of the files yet
     */
    private boolean openPostponed() throws IOException {
        for (Opening next = postponed.peek(); next != null && !closed; next = postponed.peek()) {
            openAndEnd(next);
            postponed.poll(); // nothing, if it was closed meanwhile
        }
        return true;
    }

    /**
     * Opens a file, and returns its damage if there is any.
     *
     * @throws IOException when the store does not return the file now
     */
    private Optional<Failed> open(Opening opening) throws IOException {
        TableShard table = opening.table.table;
        try {
            if (!table.isDropped()) {
                opening.reader.get();
            }
            return Optional.empty();
        } catch (IOException | RuntimeException | Error thrown) {
            Exception broken = StoreWait.damage(thrown);
            return Optional.of(
                    new Failed(
                            opening.entry,
                            Damage.of(
                                    opening.table.shard.id(),
                                    table.schema().id(),
                                    FailedFile.of(opening.entry, broken),
                                    broken,
                                    nowMillis.getAsLong())));
        }
    }

    /** Ends the work: no further file is opened. */
    public void close() {
        closed = true;
        waiting.clear();
        postponed.clear();
    }

    private record Opening(OpenedTable table, FileEntry entry, LazyReader<?> reader) {}

    private record Failed(FileEntry entry, Damage damage) {}

    /** A table whose files are being opened. Guarded by itself. */
    private static final class OpenedTable {
        private final TableGroupShard shard;
        private final TableShard table;
        private final List<Failed> failed = new ArrayList<>();
        private int left; // set by one thread, before the first is opened

        private OpenedTable(TableGroupShard shard, TableShard table) {
            this.shard = shard;
            this.table = table;
        }

        private synchronized void ended(Optional<Failed> one) {
            one.filter(found -> failed.size() < MAX_DAMAGES).ifPresent(failed::add);
            left--;
            if (left == 0 && !failed.isEmpty()) {
                List<Failed> all = List.copyOf(failed);
                shard.context().execute(() -> setAside(all));
            }
        }

        /** Files that a compaction replaced meanwhile may be missing, which is no damage. */
        private void setAside(List<Failed> all) {
            Set<String> present =
                    table.view().files().map(FileEntry::fileId).collect(Collectors.toSet());
            List<Damage> damages =
                    all.stream()
                            .filter(one -> present.contains(one.entry.fileId()))
                            .map(Failed::damage)
                            .toList();
            boolean serves =
                    shard.failure().isEmpty()
                            && shard.findTable(table.schema().id())
                                    .filter(table::equals)
                                    .isPresent();
            if (serves && !damages.isEmpty()) {
                shard.setAside(table, damages, shard.appliedLsn());
            }
        }
    }
}
