package io.stele.engine.shard;

import static java.util.Comparator.comparing;
import static java.util.Objects.requireNonNull;

import io.stele.columnfile.index.KeyIndexCursor;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.engine.datafile.ColumnFile;
import io.stele.engine.datafile.DeletionVector;
import io.stele.engine.datafile.KeyIndexSearch;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.ProbeKeys;
import io.stele.engine.tablet.TableView;
import io.stele.objectstore.SequentialReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A search for duplicates of the keys of files that are to be ingested as insertions: among these
 * files, and among the rows of the table in the shard. Rows that became obsolete or expired by the
 * time of the search are not there.
 *
 * <p>It looks the keys of the smaller side up in the files of the other: the new files, or those
 * that overlap them. Where that would be many lookups, since many files overlap, it {@linkplain
 * KeyRangeWalk walks over} the keys of both. Rows in memory are looked for in the new files.
 * Confined to one thread; blocks.
 */
final class NewKeys implements InsertedTableKeys {
    /** Keys that are looked up together. */
    private static final int MAX_KEYS = 1 << 16;

    private static final long MAX_KEY_BYTES = 8 << 20;

    /** A lookup of a key in a file takes as long as this many steps of a cursor, or longer. */
    private static final int STEPS_A_LOOKUP = 4;

    private final TableFiles files;
    private final List<ColumnFile> added;
    private final int maxKeys;
    private final Runnable goOn;
    private final KeyIndexSearch search;

    /**
     * @param added files of one table with a primary key, in one shard
     * @param maxKeys whose hashes are in memory at a time
     * @param goOn called now and then; throws when the search is useless
     */
    NewKeys(TableFiles files, List<ColumnFile> added, int maxKeys, Runnable goOn) {
        this.files = requireNonNull(files, "files is null");
        this.added = List.copyOf(added);
        this.maxKeys = maxKeys;
        this.goOn = requireNonNull(goOn, "goOn is null");
        this.search = new KeyIndexSearch(files.parallelReads());
    }

    @Override
    public Optional<byte[]> findTwice() throws IOException {
        List<ColumnFile> byLeastKey = new ArrayList<>(added);
        byLeastKey.sort(comparing(ColumnFile::minKey, Arrays::compareUnsigned));
        List<ColumnFile> overlapping = new ArrayList<>();
        byte[] greatest = new byte[0];
        for (ColumnFile file : byLeastKey) {
            if (!overlapping.isEmpty() && Arrays.compareUnsigned(file.minKey(), greatest) > 0) {
                Optional<byte[]> found = findTwice(overlapping);
                if (found.isPresent()) {
                    return found;
                }
                overlapping.clear();
            }
            if (overlapping.isEmpty() || Arrays.compareUnsigned(file.maxKey(), greatest) > 0) {
                greatest = file.maxKey();
            }
            overlapping.add(file);
        }
        return findTwice(overlapping);
    }

    private Optional<byte[]> findTwice(List<ColumnFile> overlapping) throws IOException {
        if (overlapping.isEmpty() || overlapping.size() == 1 && isUnique(overlapping.getFirst())) {
            return Optional.empty();
        }
        KeyRangeWalk walk = new KeyRangeWalk(files, overlapping, maxKeys, goOn);
        while (walk.next()) {
            Optional<byte[]> found = walk.findTwice();
            if (found.isPresent()) {
                return found;
            }
        }
        return walk.repeated();
    }

    private static boolean isUnique(ColumnFile file) throws IOException {
        KeyIndexReader index = file.keyIndex();
        return index.keyCount() == index.entryCount();
    }

    @Override
    public Optional<byte[]> findPresent(TableView view, long sinceLsn, long firstVisibleLsn)
            throws IOException {
        Optional<byte[]> inMemory = findInMemory(view, sinceLsn, firstVisibleLsn);
        return inMemory.isPresent() ? inMemory : findInFiles(view, sinceLsn, firstVisibleLsn);
    }

    private Optional<byte[]> findInMemory(TableView view, long sinceLsn, long firstVisibleLsn)
            throws IOException {
        AtomicLong count = new AtomicLong();
        boolean unused = forEachInMemory(view, sinceLsn, _ -> count.incrementAndGet() > 0);
        if (count.get() == 0) {
            return Optional.empty();
        }
        if (count.get() * added.size() > rowCount(added) / STEPS_A_LOOKUP) {
            return walkAdded(view, count.get(), sinceLsn, firstVisibleLsn);
        }
        Lookup lookup = new Lookup(added, (key, _, _, _) -> isPresent(view, key, firstVisibleLsn));
        boolean unusedToo =
                forEachInMemory(
                        view,
                        sinceLsn,
                        version -> {
                            lookup.add(key(version), 0);
                            return lookup.found == null;
                        });
        return lookup.end();
    }

    /** A step over rows in memory; returns whether it goes on. */
    @FunctionalInterface
    private interface RowStep {
        boolean at(KeyedVersion row) throws IOException;
    }

    private static boolean forEachInMemory(TableView view, long sinceLsn, RowStep step)
            throws IOException {
        for (MemTable table : view.memTables()) {
            if (table.maxLsn() <= sinceLsn) {
                continue;
            }
            Iterator<KeyedVersion> versions = table.versionsBetween(sinceLsn, Long.MAX_VALUE);
            while (versions.hasNext()) {
                KeyedVersion version = versions.next();
                if (!version.isDeleted() && version.lsn() > sinceLsn && !step.at(version)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Walks over the added files for each portion of rows in memory whose hashes fit. */
    private Optional<byte[]> walkAdded(
            TableView view, long count, long sinceLsn, long firstVisibleLsn) throws IOException {
        KeyHashes hashes = new KeyHashes((int) Math.min(maxKeys, count));
        List<byte[]> found = new ArrayList<>(1);
        boolean isOver =
                !forEachInMemory(
                        view,
                        sinceLsn,
                        row -> {
                            boolean unused = hashes.add(row);
                            if (hashes.count() >= maxKeys) {
                                walkAdded(view, hashes, firstVisibleLsn).ifPresent(found::add);
                                hashes.clear();
                            }
                            return found.isEmpty();
                        });
        return isOver ? found.stream().findFirst() : walkAdded(view, hashes, firstVisibleLsn);
    }

    private Optional<byte[]> walkAdded(TableView view, KeyHashes hashes, long firstVisibleLsn)
            throws IOException {
        if (hashes.count() == 0) {
            return Optional.empty();
        }
        hashes.sort();
        List<byte[]> found = new ArrayList<>(1);
        boolean unused =
                new KeyRangeWalk(files, List.of(), maxKeys, goOn)
                        .forEach(
                                added,
                                (_, cursor) -> {
                                    if (hashes.contain(cursor)
                                            && isPresent(view, cursor.key(), firstVisibleLsn)) {
                                        found.add(cursor.key());
                                    }
                                    return found.isEmpty();
                                });
        return found.stream().findFirst();
    }

    private static byte[] key(KeyedVersion version) {
        return Arrays.copyOfRange(
                version.keyArray(), version.keyOffset(), version.keyOffset() + version.keyLength());
    }

    /** Whether the newest version of a key in memory is a row. */
    private static boolean isPresent(TableView view, byte[] key, long firstVisibleLsn) {
        for (MemTable table : view.memTables()) {
            KeyedVersion version = table.find(key, 0, key.length, Long.MAX_VALUE);
            if (version != null) {
                return !version.isDeleted() && version.lsn() >= firstVisibleLsn;
            }
        }
        return false;
    }

    private Optional<byte[]> findInFiles(TableView view, long sinceLsn, long firstVisibleLsn)
            throws IOException {
        List<ColumnFile> present = new ArrayList<>();
        for (ColumnFile file : view.columnFiles()) {
            if (file.entry().maxLsn().value() > sinceLsn
                    && !file.isObsoleteAt(Long.MAX_VALUE)
                    && !overlapping(file, added).isEmpty()) {
                present.add(file);
            }
        }
        boolean fewAreAdded = rowCount(added) <= rowCount(present);
        long lookups = lookups(fewAreAdded ? added : present, fewAreAdded ? present : added);
        if (lookups > (rowCount(added) + rowCount(present)) / STEPS_A_LOOKUP) {
            return walkBoth(present, firstVisibleLsn);
        }
        for (ColumnFile walked : fewAreAdded ? added : present) {
            List<ColumnFile> searched = overlapping(walked, fewAreAdded ? present : added);
            if (searched.isEmpty()) {
                continue;
            }
            Optional<byte[]> found =
                    fewAreAdded
                            ? walk(
                                    walked,
                                    searched,
                                    (_, _, file, ordinal) ->
                                            isPresent(searched.get(file), ordinal, firstVisibleLsn))
                            : walk(
                                    walked,
                                    searched,
                                    (_, place, _, _) -> isPresent(walked, place, firstVisibleLsn));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static long lookups(List<ColumnFile> walked, List<ColumnFile> searched) {
        long count = 0;
        for (ColumnFile file : walked) {
            count += file.entry().rowCount() * overlapping(file, searched).size();
        }
        return count;
    }

    private Optional<byte[]> walkBoth(List<ColumnFile> present, long firstVisibleLsn)
            throws IOException {
        List<ColumnFile> overlapped =
                added.stream().filter(file -> !overlapping(file, present).isEmpty()).toList();
        Lookup lookup = new Lookup(overlapped, (_, _, _, _) -> true);
        KeyRangeWalk walk = new KeyRangeWalk(files, overlapped, maxKeys, goOn);
        while (lookup.found == null && walk.next()) {
            boolean unused =
                    walk.forEach(
                            present,
                            (file, cursor) -> {
                                if (walk.mayContain(cursor)
                                        && isPresent(file, cursor.ordinal(), firstVisibleLsn)) {
                                    lookup.add(cursor.key(), 0);
                                }
                                return lookup.found == null;
                            });
        }
        return lookup.end();
    }

    private Optional<byte[]> walk(ColumnFile walked, List<ColumnFile> searched, Match match)
            throws IOException {
        Lookup lookup = new Lookup(searched, match);
        try (SequentialReads reads = files.sequentialReads()) {
            KeyIndexCursor cursor = walked.keyIndex().cursor(reads);
            while (lookup.found == null && cursor.advance()) {
                if (isLive(walked, cursor.ordinal())) {
                    lookup.add(cursor.key(), cursor.ordinal());
                }
            }
        }
        return lookup.end();
    }

    private boolean isPresent(ColumnFile file, int ordinal, long firstVisibleLsn)
            throws IOException {
        if (!isLive(file, ordinal) || file.entry().maxLsn().value() < firstVisibleLsn) {
            return false;
        }
        return file.entry().minLsn().value() >= firstVisibleLsn
                || files.readRow(file, ordinal).lsn() >= firstVisibleLsn;
    }

    private static boolean isLive(ColumnFile file, int ordinal) {
        return file.deletes().deletedAt(ordinal) == DeletionVector.NOT_DELETED;
    }

    private static List<ColumnFile> overlapping(ColumnFile file, List<ColumnFile> others) {
        return others.stream().filter(other -> file.entry().overlaps(other.entry())).toList();
    }

    private static long rowCount(List<ColumnFile> some) {
        return some.stream().mapToLong(file -> file.entry().rowCount()).sum();
    }

    /** The decision whether a row that was found for a key counts. */
    @FunctionalInterface
    private interface Match {
        /**
         * @param place that was given with the key
         * @param file position among the files that are searched
         */
        boolean counts(byte[] key, int place, int file, int ordinal) throws IOException;
    }

    /** Keys on their way into files, many looked up together. */
    private final class Lookup {
        private final List<ColumnFile> searched;
        private final Match match;
        private final List<byte[]> keys = new ArrayList<>();
        private final List<Integer> places = new ArrayList<>();
        private long keyBytes;
        private byte @Nullable [] found;

        private Lookup(List<ColumnFile> searched, Match match) {
            this.searched = searched;
            this.match = match;
        }

        private void add(byte[] key, int place) throws IOException {
            if (searched.stream().noneMatch(file -> file.entry().mayContain(key))) {
                return;
            }
            keys.add(key);
            places.add(place);
            keyBytes += key.length;
            if (keys.size() == MAX_KEYS || keyBytes >= MAX_KEY_BYTES) {
                run();
            }
        }

        private Optional<byte[]> end() throws IOException {
            run();
            return Optional.ofNullable(found);
        }

        private void run() throws IOException {
            if (keys.isEmpty() || found != null) {
                return;
            }
            goOn.run();
            ProbeKeys probes = ProbeKeys.ofEach(keys);
            List<Candidate> candidates = new ArrayList<>();
            search.find(
                    searched,
                    probes,
                    Long.MAX_VALUE,
                    (file, key, ordinal) -> candidates.add(new Candidate(file, key, ordinal)));
            for (Candidate one : candidates) {
                int place = places.get(probes.batch(one.key));
                if (match.counts(probes.key(one.key), place, one.file, one.ordinal)) {
                    found = probes.key(one.key);
                    break;
                }
            }
            keys.clear();
            places.clear();
            keyBytes = 0;
        }

        /**
         * @param key position among the keys
         */
        private record Candidate(int file, int key, int ordinal) {}
    }
}
