package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.RowVersion;
import io.stele.engine.datafile.SortedRuns;
import io.stele.engine.datafile.SstFile;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.row.VisibleVersions;
import io.stele.engine.scan.KeyPrefetch;
import io.stele.engine.scan.Prefetched;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.schema.XxHash64;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A search for duplicates of the keys of SST files that are to be ingested as insertions: among
 * these files, and among the rows of the table in the shard. Rows that were deleted or expired by
 * the time of the search are not there.
 *
 * <p>It walks over the smaller side, and looks its keys up in the other one, whose filters know of
 * nearly all keys that they are not there. Its memory does not depend on the number of keys.
 * Confined to one thread; blocks.
 */
final class NewSortedKeys implements InsertedTableKeys {
    private static final int MIN_PORTION = 1 << 10;

    private final TableFiles files;
    private final List<SstFile> added;
    private final List<List<SstFile>> runs;
    private final Runnable goOn;

    /**
     * @param added files of one table with a primary key, in one shard
     * @param goOn called now and then; throws when the search is useless
     */
    NewSortedKeys(TableFiles files, List<SstFile> added, Runnable goOn) {
        this.files = requireNonNull(files, "files is null");
        this.added = List.copyOf(added);
        this.runs = SortedRuns.of(added);
        this.goOn = requireNonNull(goOn, "goOn is null");
    }

    @Override
    public Optional<byte[]> findTwice() throws IOException {
        if (runs.size() == 1) {
            return Optional.empty(); // each file has each of its keys once
        }
        try (SequentialReads reads = files.sequentialReads()) {
            Iterator<KeyedVersion> rows = merged(runs, List.of(), reads);
            KeyedVersion last = null;
            for (int count = 0; rows.hasNext(); count++) {
                if (count % MIN_PORTION == 0) {
                    goOn.run();
                }
                KeyedVersion next = rows.next();
                if (last != null && last.compareKey(next) == 0) {
                    return Optional.of(next.key());
                }
                last = next;
            }
            return Optional.empty();
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private static Iterator<KeyedVersion> merged(
            List<List<SstFile>> runs, List<Iterator<KeyedVersion>> others, SequentialReads reads) {
        List<Iterator<KeyedVersion>> sources = new ArrayList<>(others);
        for (List<SstFile> run : runs) {
            sources.add(SortedRuns.versions(run, reads, SstFile::versions));
        }
        return new MergingVersions(sources);
    }

    @Override
    public Optional<byte[]> findPresent(TableView view, long sinceLsn, long firstVisibleLsn)
            throws IOException {
        List<MemTable> memTables =
                view.memTables().stream().filter(table -> table.maxLsn() > sinceLsn).toList();
        List<SstFile> present =
                view.sstFiles().stream()
                        .filter(file -> file.newestLsn() > sinceLsn)
                        .filter(file -> added.stream().anyMatch(own -> overlap(own, file)))
                        .toList();
        if (memTables.isEmpty() && present.isEmpty()) {
            return Optional.empty();
        }
        Rows rows = new Rows(view, memTables, SortedRuns.of(present), sinceLsn, firstVisibleLsn);
        try (SequentialReads reads = files.sequentialReads()) {
            return rows.count() < rowCount(runs) ? rows.findInAdded(reads) : rows.findAdded(reads);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private static boolean overlap(SstFile one, SstFile other) {
        return one.entry().overlaps(other.entry());
    }

    private static long rowCount(List<List<SstFile>> of) {
        return of.stream().flatMap(List::stream).mapToLong(file -> file.entry().rowCount()).sum();
    }

    private byte[] leastKey() {
        return runs.stream()
                .map(run -> run.getFirst().entry().minKey().orElseThrow())
                .min(Arrays::compareUnsigned)
                .orElseThrow();
    }

    /** The rows of the table that may have changed since the last search. */
    private final class Rows {
        private final TableView view;
        private final List<MemTable> memTables;
        private final List<List<SstFile>> present;
        private final long sinceLsn;
        private final long firstVisibleLsn;

        private Rows(
                TableView view,
                List<MemTable> memTables,
                List<List<SstFile>> present,
                long sinceLsn,
                long firstVisibleLsn) {
            this.view = view;
            this.memTables = memTables;
            this.present = present;
            this.sinceLsn = sinceLsn;
            this.firstVisibleLsn = firstVisibleLsn;
        }

        private long count() {
            return rowCount(present) + memTables.stream().mapToLong(MemTable::versionCount).sum();
        }

        /** Walks over these rows, and looks their keys up in the added files. */
        private Optional<byte[]> findInAdded(SequentialReads reads) throws IOException {
            byte[] least = leastKey();
            List<Iterator<KeyedVersion>> inMemory = new ArrayList<>();
            memTables.forEach(table -> inMemory.add(table.versionsFrom(least)));
            VisibleVersions rows =
                    new VisibleVersions(
                            merged(present, inMemory, reads), Long.MAX_VALUE, firstVisibleLsn);
            Portion portion = new Portion(view, runs, (candidates, key) -> !candidates.isEmpty());
            while (portion.found == null && rows.advance()) {
                if (rows.version().lsn() > sinceLsn) {
                    portion.add(rows.version().key());
                }
            }
            return portion.end();
        }

        /** Walks over the added files, and looks their keys up in these rows. */
        private Optional<byte[]> findAdded(SequentialReads reads) throws IOException {
            Iterator<KeyedVersion> keys = merged(runs, List.of(), reads);
            Portion portion = new Portion(view, present, this::isPresent);
            while (portion.found == null && keys.hasNext()) {
                portion.add(keys.next().key());
            }
            return portion.end();
        }

        private boolean isPresent(List<RowVersion> inFiles, byte[] key) {
            long newest = -1;
            boolean isDeleted = true;
            for (RowVersion version : inFiles) {
                if (version.lsn() > newest) {
                    newest = version.lsn();
                    isDeleted = version.deleted();
                }
            }
            for (MemTable table : memTables) {
                KeyedVersion version = table.find(key, 0, key.length, Long.MAX_VALUE);
                if (version != null && version.lsn() > newest) {
                    newest = version.lsn();
                    isDeleted = version.isDeleted();
                }
            }
            return !isDeleted && newest > sinceLsn && newest >= firstVisibleLsn;
        }
    }

    /** The decision whether a key counts as a duplicate. */
    @FunctionalInterface
    private interface Match {
        /**
         * @param found the newest version of each file that has the key
         */
        boolean counts(List<RowVersion> found, byte[] key);
    }

    /** Keys on their way into files, many looked up together. */
    private final class Portion {
        private final List<NavigableMap<byte[], SstFile>> searched = new ArrayList<>();
        private final Match match;
        private final int size;
        private final List<byte[]> keys = new ArrayList<>();
        private byte @Nullable [] found;

        private Portion(TableView view, List<List<SstFile>> runs, Match match) {
            this.match = match;
            this.size =
                    files.parallelReads().isParallel() ? KeyPrefetch.keysAFetch(view) : MIN_PORTION;
            for (List<SstFile> run : runs) {
                NavigableMap<byte[], SstFile> byLeastKey = new TreeMap<>(Arrays::compareUnsigned);
                run.forEach(file -> byLeastKey.put(file.entry().minKey().orElseThrow(), file));
                searched.add(byLeastKey);
            }
        }

        private void add(byte[] key) throws IOException {
            keys.add(key);
            if (keys.size() == size) {
                look();
            }
        }

        private Optional<byte[]> end() throws IOException {
            look();
            return Optional.ofNullable(found);
        }

        private void look() throws IOException {
            if (keys.isEmpty() || found != null) {
                return;
            }
            goOn.run();
            Prefetched fetched = fetch();
            List<RowVersion> versions = new ArrayList<>();
            for (byte[] key : keys) {
                long hash = XxHash64.hash(key, 0, key.length);
                versions.clear();
                for (SstFile file : candidates(key)) {
                    RowVersion version = fetched.over(file).find(key, hash, Long.MAX_VALUE);
                    if (version != null) {
                        versions.add(version);
                    }
                }
                if (match.counts(versions, key)) {
                    found = key;
                    break;
                }
            }
            keys.clear();
        }

        private Prefetched fetch() throws IOException {
            if (!files.parallelReads().isParallel()) {
                return Prefetched.NONE;
            }
            KeyPrefetch prefetch = new KeyPrefetch(files);
            for (byte[] key : keys) {
                prefetch.add(candidates(key), key, XxHash64.hash(key, 0, key.length));
            }
            return prefetch.fetch();
        }

        private List<SstFile> candidates(byte[] key) {
            List<SstFile> candidates = new ArrayList<>(searched.size());
            for (NavigableMap<byte[], SstFile> run : searched) {
                Map.Entry<byte[], SstFile> floor = run.floorEntry(key);
                if (floor != null && floor.getValue().entry().mayContain(key)) {
                    candidates.add(floor.getValue());
                }
            }
            return candidates;
        }
    }
}
