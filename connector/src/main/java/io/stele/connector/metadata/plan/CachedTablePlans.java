package io.stele.connector.metadata.plan;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.predicate.ScanPredicate;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * An immutable entry of the plan cache: the scan plans of one table, of all rows or of the
 * predicates that were requested. They are valid as long as the table's plan has one token.
 *
 * @param all the plan of all rows; empty: not cached
 * @param parts plans by predicate, the oldest first
 */
record CachedTablePlans(
        TableId tableId,
        int schemaVersion,
        String token,
        Optional<List<ShardScan>> all,
        Map<ByteBuffer, List<ShardScan>> parts) {
    /** As many as statistics of parts: dashboards have some choices of partitions. */
    private static final int MAX_PARTS = 32;

    private static final long ENTRY_BYTES = 500;
    private static final long FILE_BYTES = 400;
    private static final long COLUMN_BYTES = 150; // in one file: two bounds and their objects

    CachedTablePlans {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(token, "token is null");
        all = all.map(List::copyOf);
    }

    /** A plan received from the sidecar; it has a token. */
    static CachedTablePlans of(TablePlan received) {
        return new CachedTablePlans(
                received.tableId(),
                received.schemaVersion(),
                received.token().orElseThrow(),
                received.shards(),
                Map.of());
    }

    /** Whether the sidecar's reply confirms this plan. */
    boolean isOf(TablePlan received) {
        return schemaVersion == received.schemaVersion()
                && received.token().isPresent()
                && token.equals(received.token().get());
    }

    /**
     * The plan of a predicate.
     *
     * @param base a predicate that includes all rows of {@code narrowed}
     */
    Optional<List<ShardScan>> find(Supplier<ScanPredicate> base, ScanPredicate narrowed) {
        if (all.isPresent()) {
            return all;
        }
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        List<ShardScan> same = parts.get(key(narrowed));
        return Optional.ofNullable(same != null ? same : parts.get(key(base.get())));
    }

    /** The same entry with a requested plan. */
    CachedTablePlans with(ScanPredicate predicate, List<ShardScan> plan) {
        if (predicate.isAll()) {
            return new CachedTablePlans(tableId, schemaVersion, token, Optional.of(plan), Map.of());
        }
        Map<ByteBuffer, List<ShardScan>> more = new LinkedHashMap<>(parts);
        more.put(key(predicate), plan);
        if (more.size() > MAX_PARTS) {
            more.remove(more.keySet().iterator().next());
        }
        return new CachedTablePlans(tableId, schemaVersion, token, all, more);
    }

    private static ByteBuffer key(ScanPredicate predicate) {
        return ByteBuffer.wrap(ApiJson.write(predicate));
    }

    /** Its approximate heap size in bytes. */
    long weightBytes() {
        long bytes = ENTRY_BYTES + all.map(CachedTablePlans::bytes).orElse(0L);
        for (List<ShardScan> part : parts.values()) {
            bytes += ENTRY_BYTES + bytes(part);
        }
        return bytes;
    }

    /** The approximate heap size of the files of a plan, in bytes. */
    static long bytes(List<ShardScan> plan) {
        long bytes = 0;
        for (ShardScan shard : plan) {
            for (FileScan file : shard.files()) {
                bytes +=
                        FILE_BYTES
                                + COLUMN_BYTES * file.columns().size()
                                + file.deletedRows().length;
            }
        }
        return bytes;
    }
}
