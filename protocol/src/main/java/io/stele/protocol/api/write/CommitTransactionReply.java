package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/** The LSN at which a transaction became visible. */
public record CommitTransactionReply(Lsn lsn) {
    public CommitTransactionReply {
        requireNonNull(lsn, "lsn is null");
    }
}
