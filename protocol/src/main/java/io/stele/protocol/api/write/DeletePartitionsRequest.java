package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;
import static java.util.Objects.requireNonNullElse;

import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import java.util.Optional;

/**
 * A request to delete all rows of some partitions at once.
 *
 * @param partitions domains of the table's partition columns; {@link ScanPredicate#ALL}: every row
 * @param transactionId a begun transaction without rows, which the request commits. A repetition
 *     has the first reply, and {@link WriteActions#TRANSACTION_OUTCOME} returns it, too. Empty: a
 *     repetition is another deletion
 */
public record DeletePartitionsRequest(
        TableId tableId, ScanPredicate partitions, Optional<String> transactionId) {
    public DeletePartitionsRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(partitions, "partitions is null");
        // Absent from older clients
        transactionId = requireNonNullElse(transactionId, Optional.<String>empty());
    }
}
