package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.PreparedPart;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The parts of transactions that are prepared in a shard and not decided, by transaction id.
 * Confined to the shard's context.
 */
final class PreparedTransactions {
    private final Map<String, PreparedPart> parts = new LinkedHashMap<>();

    /** Ids of transactions that ended although replay may find no OUTCOME record. */
    private final Set<String> settled = new HashSet<>();

    /** The prepared part of a transaction, if it is not decided. */
    Optional<PreparedPart> find(String transactionId) {
        return Optional.ofNullable(parts.get(transactionId));
    }

    /** The prepared part of a transaction; throws when there is none. */
    PreparedPart get(String transactionId) {
        return requireNonNull(parts.get(transactionId), "transaction is not prepared");
    }

    void put(String transactionId, PreparedPart part) {
        parts.put(transactionId, part);
    }

    /** Removes a transaction whose outcome is applied. */
    void remove(String transactionId) {
        parts.remove(transactionId);
    }

    /**
     * Notes that a transaction ended before its log records were deleted, though its OUTCOME record
     * may be gone.
     */
    void settled(String transactionId) {
        settled.add(transactionId);
    }

    /** The transactions whose outcome is neither in the log nor settled; at recovery only. */
    Collection<PreparedPart> inDoubt() {
        parts.keySet().removeAll(settled);
        settled.clear();
        return List.copyOf(parts.values());
    }

    /** The lowest log LSN of a prepared part; {@code Long.MAX_VALUE} if there is none. */
    long minLogLsn() {
        long lowest = Long.MAX_VALUE;
        for (PreparedPart part : parts.values()) {
            lowest = Math.min(lowest, part.prepareLsn().value());
        }
        return lowest;
    }
}
