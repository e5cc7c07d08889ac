package io.stele.connector.read.prune;

import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.handle.SteleTopN;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ShardScan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The row limits of splits, and a pruner of the files of a scan plan to those that a LIMIT needs.
 * Stateless.
 */
public final class SplitLimits {
    private SplitLimits() {}

    /** The limit of a file, whose rows come in the order of its sort key. */
    public static OptionalLong ofFile(SteleTableHandle table) {
        return of(table, SteleTopN.sortKey(table.table()));
    }

    /**
     * The limit of a stream: the iterator that merges SST files returns rows in the order of the
     * primary key.
     */
    public static OptionalLong ofStream(SteleTableHandle table, ScanMode mode) {
        if (table.selection().sample().isPresent()) {
            return OptionalLong.empty(); // the rows of the stream are sampled
        }
        return of(table, isInKeyOrder(table, mode) ? table.table().primaryKey() : List.of());
    }

    static boolean isInKeyOrder(SteleTableHandle table, ScanMode mode) {
        return mode == ScanMode.SNAPSHOT
                && table.table().orientation().hasRows()
                && !table.table().orientation().hasColumns();
    }

    private static OptionalLong of(SteleTableHandle table, List<Integer> sortKey) {
        Optional<SteleTopN> topN =
                table.selection().topN().filter(first -> first.isOrderOf(sortKey));
        return topN.isPresent() ? OptionalLong.of(topN.get().count()) : table.selection().limit();
    }

    /**
     * The plan with as few files as have enough rows for a limit; the plan itself where there is no
     * limit, or too few rows are certain.
     */
    public static ScanPlan fewest(SteleTableHandle table, ScanPlan plan) {
        OptionalLong limit = table.selection().limit();
        if (limit.isEmpty() || table.selection().sample().isPresent()) {
            return plan;
        }
        record Candidate(ShardScan shard, FileScan file, long rows) {}
        List<Candidate> candidates = new ArrayList<>();
        for (ShardScan shard : plan.shards()) {
            for (FileScan file : shard.files()) {
                candidates.add(new Candidate(shard, file, VisibleCount.of(file, plan)));
            }
        }
        candidates.sort(Comparator.comparingLong(Candidate::rows).reversed());
        List<ShardScan> chosen = new ArrayList<>();
        long rows = 0;
        for (Candidate candidate : candidates) {
            chosen.add(
                    new ShardScan(
                            candidate.shard.shard(),
                            List.of(candidate.file),
                            false,
                            candidate.shard.mode(),
                            0));
            rows += candidate.rows;
            if (rows >= limit.getAsLong()) {
                return new ScanPlan(plan.readLsn(), plan.fromLsn(), chosen);
            }
        }
        return plan;
    }
}
