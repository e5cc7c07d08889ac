package io.stele.protocol.api.scan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import java.util.List;

/**
 * The part of a scan plan for one shard: column files to read directly, and the rows to request
 * from the sidecar because they are in none of these files.
 *
 * @param live whether the sidecar has rows that are in none of these files; {@link #mode} is the
 *     mode in which to request them
 * @param mode LIVE in addition to files; SNAPSHOT if the table has no column files (row
 *     orientation); LOOKUP if a secondary index finds all rows
 * @param liveRowEstimate approximate number of rows that the sidecar returns
 */
public record ShardScan(
        ShardId shard, List<FileScan> files, boolean live, ScanMode mode, long liveRowEstimate) {
    public ShardScan {
        requireNonNull(shard, "shard is null");
        files = List.copyOf(files);
        requireNonNull(mode, "mode is null");
    }
}
