package io.stele.engine.shard;

import static java.util.Objects.requireNonNull;

import io.stele.engine.shard.record.PreparedPart;
import io.stele.protocol.Lsn;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a transaction that commits in one phase does in one shard. Immutable.
 *
 * @param isRepeatable whether a client may ask for its outcome later
 * @param readLsn rows that were changed after it by others are a conflict; empty: none is
 * @param batches in order
 * @param maxResolvedBytes of what its conditional batches come to
 * @param onDurable takes the commit LSN when the transaction is durable, before its rows can be
 *     read; in each shard that takes part
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

    /** For what looks at parts of transactions; each has readers of its own. */
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
