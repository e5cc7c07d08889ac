package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.PreparedPart;
import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The changes of a transaction that commits in one phase in one shard, as the shard receives them
 * to check and vote on. Immutable.
 *
 * @param isRepeatable whether a client may ask for its outcome later
 * @param readLsn the snapshot LSN: rows that other writers changed after it are a conflict; empty:
 *     conflicts are not checked
 * @param batches in order
 * @param maxResolvedBytes the limit on the plain batches that its conditional batches resolve to
 * @param onDurable receives the commit LSN when the transaction is durable, before its rows can be
 *     read; called in each shard that takes part
 */
public record CommitPart(
        String transactionId,
        boolean isRepeatable,
        Optional<Lsn> readLsn,
        List<byte[]> batches,
        long maxResolvedBytes,
        Consumer<Lsn> onDurable) {
    public CommitPart {
        requireNonNull(transactionId, "transactionId is null");
        requireNonNull(readLsn, "readLsn is null");
        batches = List.copyOf(batches);
        requireNonNull(onDurable, "onDurable is null");
    }

    /**
     * The changes in the form of a prepared transaction's part; each call creates new batch
     * readers.
     */
    PreparedPart prepared() {
        return new PreparedPart(
                transactionId,
                Lsn.MIN,
                readLsn,
                List.of(),
                batches.stream().map(WriteBatchReader::new).toList(),
                List.of());
    }
}
