package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.trino.spi.Page;
import io.trino.spi.TrinoException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The rows of a writer whose partitions are too small for a file of their own. They go to the log,
 * where those of all writers are combined before a flush writes them to files. Confined to one
 * thread.
 *
 * <p>The log of a transaction has a limit, and so has the node's memory of staged rows. Refused
 * rows are written to files; rows of theirs that were staged before belong to a part that is not
 * committed.
 *
 * <p>Invariant: of tables with a primary key, if rows of a partition once went to the log, later
 * ones do so too, because rows in the log replace rows in files.
 */
final class SmallPartitions {
    /** Up to this many files of a sort buffer may have any size. */
    static final int FEW = 64;

    // 64 KiB: a file of less is mostly footer, and takes as many requests as a large one
    private static final long SMALL_BYTES = 64 << 10;

    private final WriteContext context;
    private final int few;
    private final long smallBytes;
    private final boolean routed;
    private final List<UUID> parts = new ArrayList<>();
    private final Set<ByteBuffer> inLog = new HashSet<>(); // of tables with a primary key
    private long stagedBytes;
    private boolean full;

    private SmallPartitions(WriteContext context, int few, long smallBytes) {
        this.context = requireNonNull(context, "context is null");
        this.few = few;
        this.smallBytes = smallBytes;
        this.routed = !context.table().distributionColumns().isEmpty();
    }

    /**
     * Partitions of few rows go to the log.
     *
     * @param few this many files at a time are written at any size
     */
    static SmallPartitions byFile(WriteContext context, int few) {
        return new SmallPartitions(context, few, SMALL_BYTES);
    }

    /** All go by the log. */
    static SmallPartitions byLog(WriteContext context) {
        return new SmallPartitions(context, 0, Long.MAX_VALUE);
    }

    /** The parts of the transaction that rows were staged as. */
    List<UUID> parts() {
        return List.copyOf(parts);
    }

    long stagedBytes() {
        return stagedBytes;
    }

    /** Sends what is small to the log, and returns what is to become files. */
    List<SortedRows.Run> stage(SortedRows sorted, List<SortedRows.Run> runs) {
        long rowBytes = sorted.rowBytes();
        List<SortedRows.Run> small = new ArrayList<>();
        List<SortedRows.Run> rest = new ArrayList<>();
        boolean many = runs.size() > few;
        for (SortedRows.Run run : runs) {
            boolean isSmall = many && !full && run.rows().size() < smallBytes / rowBytes;
            (isSmall || isInLog(run) ? small : rest).add(run);
        }
        if (small.isEmpty()) {
            return rest;
        }
        try {
            send(sorted, small);
        } catch (TrinoException refused) {
            if (!StagedSink.isFull(refused) || small.stream().anyMatch(this::isInLog)) {
                throw refused;
            }
            full = true;
            return runs;
        }
        if (context.table().hasPrimaryKey()) {
            small.forEach(run -> inLog.add(ByteBuffer.wrap(run.partition())));
        }
        return rest;
    }

    private boolean isInLog(SortedRows.Run run) {
        return !inLog.isEmpty() && inLog.contains(ByteBuffer.wrap(run.partition()));
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
}
