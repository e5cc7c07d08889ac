package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A request to commit a transaction: all its staged rows and files become visible at one LSN. It is
 * safe to send again: for a committed transaction, the reply has its LSN.
 *
 * @param files that workers wrote into the warehouse
 * @param publishTable a staged table that becomes public with the commit
 * @param replaceTable a table without primary key whose present rows the commit deletes: the
 *     transaction's rows replace them. With a read LSN, the commit fails if the table changed since
 * @param parts the {@link PutTarget#part parts} whose staged rows are committed, without the other
 *     staged rows; empty: all rows
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

    /** A commit of rows and files that are added to their tables. */
    public CommitTransactionRequest(
            String transactionId, List<WrittenFile> files, Optional<TableId> publishTable) {
        this(transactionId, files, publishTable, Optional.empty(), Optional.empty());
    }
}
