package io.stele.protocol.api.write;

import static java.util.Objects.requireNonNull;

/**
 * The reply with a new transaction: its id, and the path for its files.
 *
 * @param transactionId identifies it in descriptors, commit and abort
 * @param dataPrefix warehouse path under which workers write files, {@code data/<table>}; a file of
 *     shard 3 is {@code <dataPrefix>/3/<fresh uuid>.orc}
 */
public record BeginTransactionReply(String transactionId, String dataPrefix) {
    public BeginTransactionReply {
        requireNonNull(transactionId, "transactionId is null");
        requireNonNull(dataPrefix, "dataPrefix is null");
    }
}
