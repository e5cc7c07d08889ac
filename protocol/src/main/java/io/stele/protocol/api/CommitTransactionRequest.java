package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.List;
import java.util.Optional;

/**
 * Commits a transaction: all its staged rows and files become visible at one LSN. Safe to send
 * again: a committed transaction answers with its LSN.
 *
 * @param files what workers wrote into the warehouse
 * @param publishTable a staged table that becomes public with the commit
 */
public record CommitTransactionRequest(
        String transactionId, List<WrittenFile> files, Optional<TableId> publishTable) {
    public CommitTransactionRequest {
        requireNonNull(transactionId, "transactionId is null");
        files = List.copyOf(files);
        requireNonNull(publishTable, "publishTable is null");
    }
}
