package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ShardId;
import java.util.List;

/**
 * What a scan reads of one shard: column files directly, and what is not in them from the sidecar.
 *
 * @param live whether the sidecar has rows that are in no file of the list; {@link #mode} says how
 *     to ask for them
 * @param mode LIVE beside files; SNAPSHOT where the table has no column files (row orientation);
 *     LOOKUP where a secondary index finds all
 * @param liveRowEstimate about how many rows the sidecar returns
 */
public record ShardScan(
        ShardId shard, List<FileScan> files, boolean live, ScanMode mode, long liveRowEstimate) {
    public ShardScan {
        requireNonNull(shard, "shard is null");
        files = List.copyOf(files);
        requireNonNull(mode, "mode is null");
    }
}
