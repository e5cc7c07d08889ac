package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The choice of a writer's rows whose partitions are too small for files of their own, and their
 * staging for the log. While more rows may follow, these rows wait. At the end the rows of
 * partitions that are still small are staged for the log, where the rows of all writers are
 * combined before a flush writes them to files. Confined to one thread.
 *
 * <p>The log of a transaction has a limit, and so has the node's memory of staged rows. Refused
 * rows are written to files; the rows among them that were staged before belong to a part that is
 * not committed.
 *
 * <p>Invariant: of tables with a primary key, later rows of a partition never become files before
 * earlier ones, and none become files behind those that went to the log, because the order of files
 * decides which row of a key stays, and rows in the log replace rows in files.
 */
final class SmallPartitions {
    /** Up to this many files of a sort buffer may have any size. */
    static final int FEW = 64;

    /**
     * The same limit for UPDATE, DELETE and MERGE, whose new rows are in the partitions of the old
     * rows.
     */
    static final int FEW_OF_MERGE = 1_000;

    // 64 KiB: a file of less is mostly footer, and takes as many requests as a large one
    private static final long SMALL_BYTES = 64 << 10;

    private final WriteContext context;
    private final int few;
    private final long smallBytes;
    private final boolean routed;
    private final List<UUID> parts = new ArrayList<>();
    private final Set<SortedRows.Group> waiting = new HashSet<>(); // of tables with a primary key
    private long stagedBytes;
    private boolean full;

    private SmallPartitions(WriteContext context, int few, long smallBytes) {
        this.context = requireNonNull(context, "context is null");
        this.few = few;
        this.smallBytes = smallBytes;
        this.routed = !context.table().distributionColumns().isEmpty();
    }

    /**
     * The choice that stages partitions of few rows for the log.
     *
     * @param few this many files at a time are written at any size
     */
    static SmallPartitions byFile(WriteContext context, int few) {
        return new SmallPartitions(context, few, SMALL_BYTES);
    }

    /** The choice that stages all rows for the log. */
    static SmallPartitions byLog(WriteContext context) {
        return new SmallPartitions(context, 0, Long.MAX_VALUE);
    }

    /** The parts of the transaction under which rows were staged. */
    List<UUID> parts() {
        return List.copyOf(parts);
    }

    long stagedBytes() {
        return stagedBytes;
    }

    /**
     * Divides the rows of a buffer while more rows may follow: small partitions wait for these, and
     * the rest becomes files.
     */
    Division divide(SortedRows sorted, List<SortedRows.Run> runs) {
        Division division = divide(sorted, runs, true);
        if (context.table().hasPrimaryKey()) {
            division.small.forEach(run -> waiting.add(run.group()));
        }
        return division;
    }

    /**
     * Stages the rows of small partitions for the log, and returns the runs that are to become
     * files.
     *
     * @param runs the last rows of all partitions, after the rows that became files
     * @param continues whether the next call continues the last run, so that it must become a file
     */
    List<SortedRows.Run> stage(SortedRows sorted, List<SortedRows.Run> runs, boolean continues) {
        Division division = divide(sorted, runs, false);
        List<SortedRows.Run> small = new ArrayList<>(division.small);
        List<SortedRows.Run> rest = new ArrayList<>(division.rest);
        if (continues && small.remove(runs.getLast())) {
            rest.add(runs.getLast());
        }
        if (small.isEmpty() || full) {
            return runs;
        }
        try {
            send(sorted, small);
        } catch (TrinoException refused) {
            if (!StagedSink.isFull(refused)) {
                throw refused;
            }
            full = true;
            return runs;
        }
        return rest;
    }

    private Division divide(SortedRows sorted, List<SortedRows.Run> runs, boolean moreFollow) {
        long smallRows = smallBytes / sorted.rowBytes();
        boolean many = runs.size() > few;
        List<SortedRows.Run> small = new ArrayList<>();
        List<SortedRows.Run> rest = new ArrayList<>();
        for (SortedRows.Run run : runs) {
            boolean isSmall =
                    many && run.rows().size() < smallRows
                            || moreFollow && waiting.contains(run.group());
            (isSmall ? small : rest).add(run);
        }
        return new Division(small, rest);
    }

    private void send(SortedRows sorted, List<SortedRows.Run> runs) {
        UUID part = UUID.randomUUID();
        Map<Integer, List<SortedRows.Run>> shards = new TreeMap<>();
        boolean spread = !routed && runs.size() > FEW;
        for (SortedRows.Run run : runs) {
            shards.computeIfAbsent(spread ? run.shard() : 0, _ -> new ArrayList<>()).add(run);
        }
        for (Map.Entry<Integer, List<SortedRows.Run>> shard : shards.entrySet()) {
            Optional<Integer> target = spread ? Optional.of(shard.getKey()) : Optional.empty();
            StagedSink sink = new StagedSink(context, target, part);
            try {
                for (SortedRows.Run run : shard.getValue()) {
                    for (Page page : sorted.pages(run)) {
                        sink.append(page);
                    }
                }
                sink.finish();
            } catch (RuntimeException | Error failed) {
                sink.abort();
                throw failed;
            }
            stagedBytes += sink.writtenBytes();
        }
        parts.add(part);
    }

    /** The rows of a buffer: runs of small partitions, and the rest. */
    record Division(List<SortedRows.Run> small, List<SortedRows.Run> rest) {
        Division {
            small = List.copyOf(small);
            rest = List.copyOf(rest);
        }
    }
}
