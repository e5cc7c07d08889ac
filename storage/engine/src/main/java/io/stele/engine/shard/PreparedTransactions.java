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

    /** Of those that were prepared in replay: they ended, with or without a record of it. */
    private final Set<String> settled = new HashSet<>();

    /** The prepared part of a transaction, if it is not decided. */
    Optional<PreparedPart> find(String transactionId) {
        return Optional.ofNullable(parts.get(transactionId));
    }

    /** The same of one that must be there. */
    PreparedPart get(String transactionId) {
        return requireNonNull(parts.get(transactionId), "transaction is not prepared");
    }

    void put(String transactionId, PreparedPart part) {
        parts.put(transactionId, part);
    }

    /** The transaction is decided, and its outcome applied. */
    void remove(String transactionId) {
        parts.remove(transactionId);
    }

    /**
     * A transaction ended before its log records were deleted, though its OUTCOME record may be
     * gone.
     */
    void settled(String transactionId) {
        settled.add(transactionId);
    }

    /** Transactions whose outcome is not in the log; at recovery only. */
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
