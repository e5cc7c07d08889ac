package io.stele.engine.compaction.policy;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.FileEntry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;

/**
 * The compaction policy of a table's column files, which picks files from a list without reading
 * them. It is pure: equal files give an equal pick.
 *
 * <p>Correct answers need no compaction. But few large files with few obsolete rows scan faster,
 * and files whose ranges of the clustering key do not overlap can be skipped. In this order:
 *
 * <ol>
 *   <li>A file is rewritten by itself when a fifth of its rows are deleted for every reader, or a
 *       third are obsolete for present readers. Rows that readers of the past still need go into a
 *       history file, all rows of which are obsolete: scans of the present skip it unread. A
 *       history file is rewritten when half of it is deleted for every reader, and removed when all
 *       is.
 *   <li>{@value #TIER_FILES} files of one partition and similar size (a factor of four) become one,
 *       so a row is rewritten a number of times that is logarithmic in the table's size.
 *   <li>Where {@value #MAX_DEPTH} full files of a partition and level have the same place of the
 *       clustering key in their range, they become as many that follow each other, one level
 *       higher.
 * </ol>
 *
 * History files and other files are never compacted together.
 */
public final class ColumnCompactionPolicy {
    static final int TIER_FILES = 4;
    static final int MAX_INPUTS = 16;
    static final int MAX_DEPTH = 8;
    static final int MAX_TOGETHER_FILES = 256;
    private static final long MAX_TOGETHER_BYTES = 4 << 20; // a fraction of a second of work

    /**
     * The level of column files that compaction ended because they were large enough. Such files
     * are not compacted with smaller files, even if compression made them small.
     */
    public static final int FULL_LEVEL = 2;

    /** Full files are sorted again at most up to this level. */
    static final int LAST_LEVEL = 6;

    private static final int MERGED_LEVEL = 1;

    private static final byte[] NO_PARTITION = new byte[0];

    private static final double DELETED_SHARE = 0.2;
    private static final double ENDED_SHARE = 1.0 / 3;
    private static final double DELETED_HISTORY_SHARE = 0.5;

    private final long targetBytes;
    private final HistoryFilePolicy history;

    public ColumnCompactionPolicy(long targetBytes, HistoryFilePolicy history) {
        this.targetBytes = targetBytes;
        this.history = requireNonNull(history, "history is null");
    }

    /** The column files to compact, or none, for a table without a segment key. */
    Optional<Pick> pick(List<Candidate> files) {
        return pick(files, OptionalInt.empty());
    }

    /**
     * Column files to compact, within each partition, or none.
     *
     * @param segmentColumn the column by which files are cut. {@link SegmentPicker} picks before
     *     files are picked by size, and files that are large enough for a segment are not compacted
     *     for their size
     */
    public Optional<Pick> pick(List<Candidate> files, OptionalInt segmentColumn) {
        Together together = new Together(segmentColumn.isPresent());
        for (Candidate file : files) {
            if (isWorn(file) && together.add(List.of(file))) {
                break;
            }
        }
        if (together.isEmpty()) {
            for (List<Candidate> group : groups(files)) {
                Optional<Pick> segments = pickSegments(group, segmentColumn);
                if (segments.isPresent()) {
                    return segments;
                }
                List<Candidate> tier = pickTier(mergedForSize(group, segmentColumn));
                if (!tier.isEmpty() && together.add(tier)) {
                    break;
                }
            }
        }
        if (!together.isEmpty()) {
            return Optional.of(together.pick());
        }
        for (List<Candidate> group : groups(files)) {
            for (int level = FULL_LEVEL; level < LAST_LEVEL; level++) {
                List<Candidate> deepest = deepest(group, level);
                if (deepest.size() >= MAX_DEPTH) {
                    return Optional.of(new Pick(smallest(deepest), level + 1));
                }
            }
        }
        return Optional.empty();
    }

    /**
     * Column files to compact on request: any two files of a partition that are not of full size,
     * files with rows that are deleted for every reader, and files with both obsolete and present
     * rows.
     */
    Optional<Pick> pickAll(List<Candidate> files) {
        return pickAll(files, OptionalInt.empty());
    }

    public Optional<Pick> pickAll(List<Candidate> files, OptionalInt segmentColumn) {
        Together together = new Together(segmentColumn.isPresent());
        for (Candidate file : files) {
            if ((file.deletedRows() > 0 || hasHistoryToPutApart(file))
                    && together.add(List.of(file))) {
                break;
            }
        }
        if (together.isEmpty()) {
            for (List<Candidate> group : groups(files)) {
                Optional<Pick> segments = pickSegments(group, segmentColumn);
                if (segments.isPresent()) {
                    return segments;
                }
                List<Candidate> small =
                        mergedForSize(group, segmentColumn).stream()
                                .filter(file -> file.entry().sizeBytes() < targetBytes / 2)
                                .filter(file -> file.entry().level() < FULL_LEVEL)
                                .toList();
                if (small.size() > 1 && together.add(smallest(small))) {
                    break;
                }
            }
        }
        return together.isEmpty() ? Optional.empty() : Optional.of(together.pick());
    }

    /**
     * The approximate bytes of the files that {@link #pick} would pick now, one compaction after
     * the other.
     */
    public long pendingBytes(List<Candidate> files) {
        long pending = 0;
        for (Candidate file : files) {
            pending += isWorn(file) ? file.entry().sizeBytes() : 0;
        }
        for (List<Candidate> group : groups(files)) {
            for (List<Candidate> tier : tiers(group)) {
                pending += tier.size() >= TIER_FILES ? bytes(tier) : 0;
            }
        }
        return pending;
    }

    private boolean isWorn(Candidate file) {
        long rows = file.entry().rowCount();
        return file.isHistory()
                ? file.deletedRows() > DELETED_HISTORY_SHARE * rows
                : file.deletedRows() > DELETED_SHARE * rows
                        || (file.endedRows() > ENDED_SHARE * rows && hasHistoryToPutApart(file));
    }

    private boolean hasHistoryToPutApart(Candidate file) {
        return !file.isHistory()
                && history.areWorthIt(
                        file.endedRows() - file.deletedRows(),
                        file.entry().rowCount() - file.deletedRows());
    }

    private Optional<Pick> pickSegments(List<Candidate> group, OptionalInt segmentColumn) {
        if (segmentColumn.isEmpty() || group.getFirst().isHistory()) {
            return Optional.empty();
        }
        List<FileEntry> entries = group.stream().map(Candidate::entry).toList();
        return SegmentPicker.pick(
                        entries, segmentColumn.getAsInt(), SegmentCuts.minSegmentBytes(targetBytes))
                .map(
                        picked ->
                                new Pick(
                                        group.stream()
                                                .filter(file -> picked.contains(file.entry()))
                                                .toList(),
                                        MERGED_LEVEL));
    }

    /**
     * The files that may be compacted for their size. Compacting files that are already segments
     * would only cut them apart again.
     */
    private List<Candidate> mergedForSize(List<Candidate> group, OptionalInt segmentColumn) {
        if (segmentColumn.isEmpty()) {
            return group;
        }
        long segmentBytes = SegmentCuts.minSegmentBytes(targetBytes);
        return group.stream().filter(file -> file.entry().sizeBytes() < segmentBytes).toList();
    }

    private List<Candidate> pickTier(List<Candidate> group) {
        for (List<Candidate> tier : tiers(group)) {
            if (tier.size() >= TIER_FILES) {
                return smallest(tier);
            }
        }
        return List.of();
    }

    private List<List<Candidate>> tiers(List<Candidate> group) {
        Map<Integer, List<Candidate>> tiers = new LinkedHashMap<>();
        for (Candidate file : group) {
            if (!isFull(file)) {
                tiers.computeIfAbsent(tier(file.entry().sizeBytes()), tier -> new ArrayList<>())
                        .add(file);
            }
        }
        return List.copyOf(tiers.values());
    }

    /**
     * The full files of a level that cover the point of the clustering key that most of them cover.
     */
    private List<Candidate> deepest(List<Candidate> group, int level) {
        List<Placed> byStart = new ArrayList<>();
        for (Candidate file : group) {
            if (isFull(file) && fullLevel(file) == level && !file.isHistory()) {
                file.range().ifPresent(range -> byStart.add(new Placed(file, range)));
            }
        }
        byStart.sort(Comparator.comparing(file -> file.range.min(), Arrays::compareUnsigned));
        PriorityQueue<Placed> covering =
                new PriorityQueue<>(
                        Comparator.comparing(file -> file.range.max(), Arrays::compareUnsigned));
        List<Placed> deepest = List.of();
        for (Placed file : byStart) {
            while (!covering.isEmpty()
                    && Arrays.compareUnsigned(covering.element().range.max(), file.range.min())
                            < 0) {
                covering.remove();
            }
            covering.add(file);
            if (covering.size() > deepest.size()) {
                deepest = List.copyOf(covering);
            }
        }
        return deepest.stream().map(Placed::file).toList();
    }

    private record Placed(Candidate file, Range range) {}

    private static int fullLevel(Candidate file) {
        return Math.max(FULL_LEVEL, file.entry().level());
    }

    private boolean isFull(Candidate file) {
        return file.entry().sizeBytes() >= targetBytes || file.entry().level() >= FULL_LEVEL;
    }

    private static List<Candidate> smallest(List<Candidate> files) {
        return files.stream()
                .sorted(Comparator.comparingLong(file -> file.entry().sizeBytes()))
                .limit(MAX_INPUTS)
                .toList();
    }

    private static long bytes(List<Candidate> files) {
        return files.stream().mapToLong(file -> file.entry().sizeBytes()).sum();
    }

    private static ByteBuffer partition(Candidate file) {
        return ByteBuffer.wrap(file.entry().partition().orElse(NO_PARTITION));
    }

    private static List<List<Candidate>> groups(List<Candidate> files) {
        Map<Group, List<Candidate>> groups = new LinkedHashMap<>();
        for (Candidate file : files) {
            groups.computeIfAbsent(
                            new Group(partition(file), file.isHistory()),
                            group -> new ArrayList<>())
                    .add(file);
        }
        return List.copyOf(groups.values());
    }

    static int tier(long sizeBytes) {
        return (Long.SIZE - Long.numberOfLeadingZeros(sizeBytes)) / 2; // powers of 4
    }

    private record Group(ByteBuffer partition, boolean isHistory) {}

    /**
     * A column file that may be compacted.
     *
     * @param deletedRows rows that no reader can see any more
     * @param endedRows rows that readers of the present do not see
     * @param ranges gives the range of the first column by which a file's rows are clustered;
     *     empty: unknown. It is asked when it is needed, since there may be very many candidates
     */
    public record Candidate(
            FileEntry entry,
            long deletedRows,
            long endedRows,
            Function<FileEntry, Optional<Range>> ranges) {
        public Candidate {
            requireNonNull(entry, "entry is null");
            requireNonNull(ranges, "ranges is null");
        }

        Optional<Range> range() {
            return ranges.apply(entry);
        }

        boolean isHistory() {
            return endedRows == entry.rowCount();
        }
    }

    /** An interval of encoded values, both ends inclusive, which compare as unsigned bytes. */
    @SuppressWarnings("ArrayRecordComponent")
    public // never compared as a whole
    record Range(byte[] min, byte[] max) {}

    /** Compactions of several partitions that are combined in one pick. */
    private static final class Together {
        private final boolean isAlone;
        private final List<Candidate> files = new ArrayList<>();
        private final Set<ByteBuffer> partitions = new HashSet<>();
        private long bytes;

        /**
         * @param isAlone whether only one compaction is picked, since the cuts of files depend on
         *     their partition
         */
        Together(boolean isAlone) {
            this.isAlone = isAlone;
        }

        /** Adds files of one partition, if they fit; returns whether the pick is full. */
        boolean add(List<Candidate> merged) {
            boolean fits =
                    files.isEmpty()
                            || bytes + bytes(merged) <= MAX_TOGETHER_BYTES
                                    && files.getFirst().isHistory()
                                            == merged.getFirst().isHistory();
            if (fits && partitions.add(partition(merged.getFirst()))) {
                files.addAll(merged);
                bytes += bytes(merged);
            }
            return isAlone
                    || bytes >= MAX_TOGETHER_BYTES
                    || files.size() > MAX_TOGETHER_FILES - MAX_INPUTS;
        }

        boolean isEmpty() {
            return files.isEmpty();
        }

        Pick pick() {
            return new Pick(files, MERGED_LEVEL);
        }
    }

    /** Files to compact within each partition, and the level of the output. */
    public record Pick(List<Candidate> files, int level) {
        public Pick {
            files = List.copyOf(files);
        }
    }
}
