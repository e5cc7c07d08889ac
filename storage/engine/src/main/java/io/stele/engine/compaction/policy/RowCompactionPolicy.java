package io.stele.engine.compaction.policy;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.manifest.FileEntry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The leveled compaction policy of a table's SST files, which picks files from a list without
 * reading them (as RocksDB's {@code compaction_picker_level}). It is pure: equal files give an
 * equal pick.
 *
 * <p>Level 0 holds flushes, which overlap, so a read may have to check each. Every level below is
 * one sorted run of files that do not overlap, and may hold ten times the bytes of the level above;
 * the last level has no limit. The level furthest beyond its limit is compacted: of level 0 all
 * files, of another level the one file that costs least for what it frees, each with the files it
 * overlaps one level down. So a compaction reads only a part of the table, and a byte is rewritten
 * about six times per level. A file that overlaps nothing only changes its level (a trivial move).
 *
 * <p>When no level is beyond its limit, a file is rewritten by itself if more than a quarter of its
 * versions are obsolete or tombstones that no reader can see. So a table that was updated much and
 * then left alone gets its space back.
 *
 * <p>Invariant of the levels: of one key, the versions in a level are newer than those in every
 * level below. So all of level 0 is compacted together, and a file of another level is compacted
 * with all versions of its keys in the next level.
 */
public final class RowCompactionPolicy {
    /** Flushes that make level 0 full. */
    static final int LEVEL0_FILES = 4;

    /** The ratio of a level's limit to the limit of the level above. */
    static final int RATIO = 10;

    /** Level 6 holds 100,000 times level 1: more than a shard ever has. */
    static final int LAST_LEVEL = 6;

    private static final int STALE_PART = 4; // a quarter

    private final long level1Bytes;
    private final long fileBytes;

    /**
     * @param level1Bytes limit of level 1; best about four flushes
     * @param fileBytes size of compacted files; small compared with {@code level1Bytes}, so that
     *     compactions are small
     */
    public RowCompactionPolicy(long level1Bytes, long fileBytes) {
        if (level1Bytes < 1 || fileBytes < 1) {
            throw new IllegalArgumentException(
                    "Expected sizes >= 1, found " + level1Bytes + " and " + fileBytes);
        }
        this.level1Bytes = level1Bytes;
        this.fileBytes = fileBytes;
    }

    /** Size at which a compaction begins its next file. */
    public long fileBytes() {
        return fileBytes;
    }

    /**
     * The files to compact now, if any.
     *
     * @param retentionLsn no reader reads below
     */
    public Optional<Pick> pick(List<Candidate> files, long retentionLsn) {
        Levels levels = new Levels(files);
        int fullest = -1;
        double highest = 1;
        for (int level = 0; level < LAST_LEVEL; level++) {
            double score = score(levels, level);
            if (score >= highest) {
                fullest = score > highest || fullest < 0 ? level : fullest;
                highest = score;
            }
        }
        if (fullest == 0) {
            return Optional.of(down(levels, levels.level(0), 1));
        }
        if (fullest > 0) {
            return Optional.of(down(levels, List.of(cheapest(levels, fullest)), fullest + 1));
        }
        return pickStale(levels, STALE_PART, retentionLsn);
    }

    /**
     * The files to compact on request: until one level has all files, and then files with versions
     * that no reader can see any more.
     */
    public Optional<Pick> pickAll(List<Candidate> files, long retentionLsn) {
        Levels levels = new Levels(files);
        int top = levels.next(0);
        if (top > LAST_LEVEL) {
            return Optional.empty();
        }
        int below = levels.next(top + 1);
        if (top == 0) {
            return Optional.of(down(levels, levels.level(0), 1));
        }
        if (below <= LAST_LEVEL) {
            return Optional.of(down(levels, levels.level(top), below));
        }
        return pickStale(levels, Integer.MAX_VALUE, retentionLsn);
    }

    /**
     * The approximate bytes that compactions would have to read until every level is within its
     * limit.
     */
    public long pendingBytes(List<Candidate> files) {
        Levels levels = new Levels(files);
        long pending = 0;
        long arriving = 0;
        if (levels.runsOfLevel0() >= LEVEL0_FILES) {
            arriving = levels.bytes(0);
            pending = arriving + levels.bytes(1);
        }
        for (int level = 1; level < LAST_LEVEL; level++) {
            long bytes = levels.bytes(level) + arriving;
            arriving = Math.max(0, bytes - limit(level));
            double overlap = (double) levels.bytes(level + 1) / Math.max(1, bytes);
            pending += (long) (arriving * (1 + overlap));
        }
        return pending;
    }

    private double score(Levels levels, int level) {
        return level == 0
                ? (double) levels.runsOfLevel0() / LEVEL0_FILES
                : (double) levels.bytes(level) / limit(level);
    }

    private long limit(int level) {
        long limit = level1Bytes;
        for (int i = 1; i < level; i++) {
            limit = limit > Long.MAX_VALUE / RATIO ? Long.MAX_VALUE : limit * RATIO;
        }
        return limit;
    }

    /** The file with the smallest ratio of the overlapping bytes one level down to its own size. */
    private static Candidate cheapest(Levels levels, int level) {
        return levels.level(level).stream()
                .min(
                        Comparator.comparingDouble(
                                file ->
                                        (double) bytes(levels.overlaps(List.of(file), level + 1))
                                                / file.entry().sizeBytes()))
                .orElseThrow();
    }

    private Pick down(Levels levels, List<Candidate> upper, int outputLevel) {
        List<Candidate> lower = levels.overlaps(upper, outputLevel);
        if (lower.isEmpty() && canMove(upper)) {
            return pick(levels, upper, outputLevel, true);
        }
        List<Candidate> inputs = new ArrayList<>(upper);
        inputs.addAll(lower);
        inputs.addAll(smallNeighbours(levels, inputs, outputLevel));
        return pick(levels, inputs, outputLevel, false);
    }

    private Pick pick(Levels levels, List<Candidate> inputs, int outputLevel, boolean isMove) {
        List<FileEntry> deeper = new ArrayList<>();
        for (int level = outputLevel + 1; level <= LAST_LEVEL; level++) {
            levels.overlaps(inputs, level).forEach(file -> deeper.add(file.entry()));
        }
        return new Pick(
                inputs.stream().map(Candidate::entry).toList(), outputLevel, isMove, deeper);
    }

    // Small files are compacted instead of moved: otherwise flushes of ascending keys would stay
    // small for ever.
    private boolean canMove(List<Candidate> files) {
        for (Candidate file : files) {
            boolean overlapsOther =
                    files.stream()
                            .anyMatch(
                                    other -> other != file && file.entry().overlaps(other.entry()));
            if (overlapsOther || file.entry().sizeBytes() < fileBytes / 2) {
                return false;
            }
        }
        return true;
    }

    /**
     * The files next to the key range of a compaction, if they are small and not large compared
     * with the compaction. So small files grow geometrically, and no file is rewritten often.
     */
    private List<Candidate> smallNeighbours(
            Levels levels, List<Candidate> inputs, int outputLevel) {
        byte[] min = min(inputs);
        byte[] max = max(inputs);
        Candidate before = null;
        Candidate after = null;
        for (Candidate file : levels.level(outputLevel)) {
            if (Arrays.compareUnsigned(maxKey(file), min) < 0
                    && (before == null
                            || Arrays.compareUnsigned(maxKey(file), maxKey(before)) > 0)) {
                before = file;
            }
            if (Arrays.compareUnsigned(minKey(file), max) > 0
                    && (after == null || Arrays.compareUnsigned(minKey(file), minKey(after)) < 0)) {
                after = file;
            }
        }
        List<Candidate> neighbours = new ArrayList<>();
        long limit = Math.min(fileBytes / 2, LEVEL0_FILES * bytes(inputs));
        if (before != null && before.entry().sizeBytes() < limit) {
            neighbours.add(before);
        }
        if (after != null && after.entry().sizeBytes() < limit) {
            neighbours.add(after);
        }
        return neighbours;
    }

    private Optional<Pick> pickStale(Levels levels, int part, long retentionLsn) {
        for (int level = 1; level <= LAST_LEVEL; level++) {
            for (Candidate file : levels.level(level)) {
                boolean many =
                        file.staleCount() > 0
                                && (double) file.staleCount() * part > file.entry().rowCount();
                if (many && file.entry().maxLsn().value() <= retentionLsn) {
                    Pick pick = pick(levels, List.of(file), level, false);
                    if (pick.deeper().isEmpty()) {
                        return Optional.of(pick);
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static long bytes(List<Candidate> files) {
        return files.stream().mapToLong(file -> file.entry().sizeBytes()).sum();
    }

    private static byte[] min(List<Candidate> files) {
        return files.stream()
                .map(RowCompactionPolicy::minKey)
                .min(Arrays::compareUnsigned)
                .orElseThrow();
    }

    private static byte[] max(List<Candidate> files) {
        return files.stream()
                .map(RowCompactionPolicy::maxKey)
                .max(Arrays::compareUnsigned)
                .orElseThrow();
    }

    private static byte[] minKey(Candidate file) {
        return file.entry().minKey().orElseThrow();
    }

    private static byte[] maxKey(Candidate file) {
        return file.entry().maxKey().orElseThrow();
    }

    /**
     * An SST file that may be compacted.
     *
     * @param staleCount the approximate number of tombstones and of versions with a newer version
     *     in the file
     */
    public record Candidate(FileEntry entry, long staleCount) {
        public Candidate {
            requireNonNull(entry, "entry is null");
        }

        /**
         * @param retentionLsn no reader reads below
         * @param expiredLsn versions with a lower LSN have expired for every reader
         */
        public static Candidate of(SstFile file, long retentionLsn, long expiredLsn) {
            if (file.hasTombstonesBy(retentionLsn)) {
                // All rows count as stale: only the compaction's read of the file shows how many
                // are deleted.
                return new Candidate(file.entry(), file.entry().rowCount());
            }
            OptionalLong known = file.staleCount();
            if (known.isEmpty()) {
                // The file was never open: 1 is too few for a compaction of the file alone, unless
                // it is requested
                return new Candidate(file.entry(), 1);
            }
            long stale = known.getAsLong() + (file.entry().minLsn().value() < expiredLsn ? 1 : 0);
            return new Candidate(file.entry(), Math.min(stale, file.entry().rowCount()));
        }
    }

    /**
     * Files to compact.
     *
     * @param isMove whether the files only change their level (a trivial move)
     * @param deeper the files below the output level that overlap the inputs; tombstones of keys
     *     that they may contain must stay
     */
    public record Pick(
            List<FileEntry> inputs, int outputLevel, boolean isMove, List<FileEntry> deeper) {
        public Pick {
            inputs = List.copyOf(inputs);
            deeper = List.copyOf(deeper);
        }
    }

    /** The files by level. */
    private static final class Levels {
        private final List<List<Candidate>> levels = new ArrayList<>();

        private Levels(List<Candidate> files) {
            for (int level = 0; level <= LAST_LEVEL; level++) {
                levels.add(new ArrayList<>());
            }
            for (Candidate file : files) {
                levels.get(file.entry().level()).add(file);
            }
        }

        private List<Candidate> level(int level) {
            return levels.get(level);
        }

        /** Files of which a reader of a key reads one: flushes, and bulk loads. */
        private long runsOfLevel0() {
            return level(0).stream()
                            .map(file -> file.entry().ingestLsn())
                            .filter(lsn -> lsn.isEmpty())
                            .count()
                    + level(0).stream()
                            .flatMap(file -> file.entry().ingestLsn().stream())
                            .distinct()
                            .count();
        }

        private long bytes(int level) {
            return RowCompactionPolicy.bytes(level(level));
        }

        /**
         * The first level from {@code from} on that has files; a level beyond the last if there is
         * none.
         */
        private int next(int from) {
            int level = from;
            while (level <= LAST_LEVEL && level(level).isEmpty()) {
                level++;
            }
            return level;
        }

        /** The files of a level that overlap the key range of other files. */
        private List<Candidate> overlaps(List<Candidate> others, int level) {
            byte[] min = min(others);
            byte[] max = max(others);
            return level(level).stream()
                    .filter(
                            file ->
                                    Arrays.compareUnsigned(minKey(file), max) <= 0
                                            && Arrays.compareUnsigned(min, maxKey(file)) <= 0)
                    .toList();
        }
    }
}
