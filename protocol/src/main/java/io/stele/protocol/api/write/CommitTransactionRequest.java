package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A request to commit a transaction: all its staged rows and files become visible at one LSN. Safe
 * to send again: a committed transaction answers with its LSN.
 *
 * @param files what workers wrote into the warehouse
 * @param publishTable a staged table that becomes public with the commit
 * @param replaceTable a table without primary key all of whose rows end with the commit: what is
 *     written takes their place. With a read LSN, the commit fails where the table changed since
 * @param parts rows that were staged as other {@link PutTarget#part parts} do not count; empty: all
 *     count
 */
public record CommitTransactionRequest(
        String transactionId,
        List<WrittenFile> files,
        Optional<TableId> publishTable,
        Optional<TableId> replaceTable,
        Optional<List<UUID>> parts) {
    public CommitTransactionRequest {
        requireNonNull(transactionId, "transactionId is null");
        files = List.copyOf(files);
        requireNonNull(publishTable, "publishTable is null");
        requireNonNull(replaceTable, "replaceTable is null");
        parts = parts == null ? Optional.empty() : parts.map(List::copyOf); // absent in old clients
    }

    /** A commit of rows and files that are added to the table. */
    public CommitTransactionRequest(
            String transactionId, List<WrittenFile> files, Optional<TableId> publishTable) {
        this(transactionId, files, publishTable, Optional.empty(), Optional.empty());
    }
}
