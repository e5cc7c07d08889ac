package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;

/** The reply with the LSN at which a transaction became visible. */
public record CommitTransactionReply(Lsn lsn) {
    public CommitTransactionReply {
        requireNonNull(lsn, "lsn is null");
    }
}
