package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.LookedUpRows;
import io.stele.engine.read.PointLookup;
import io.stele.engine.read.RowRoom;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WireLimits;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.scheduling.QueryScheduler;
import java.util.List;
import java.util.Optional;

/**
 * A client of the engine's lookups by primary key, for PostgreSQL statements. A lookup takes the
 * bytes of its rows from the budget of replies. If there is no room for all rows, it returns the
 * rows of the first keys, and is repeated for the other keys. Thread-safe.
 */
final class Lookups {
    // 1 KiB a key and 64 KiB: what most need, as in lookups of the framed protocol
    private static final int FIRST_BYTES_A_KEY = 1 << 10;
    private static final int MAX_FIRST_BYTES = 64 << 10;
    private static final int LARGE_BYTES = WireLimits.MAX_ROW_BYTES;

    private final EngineService engine;
    private final ReplyBudget replies;
    private final ReadMetrics metrics;

    Lookups(EngineService engine, ReplyBudget replies, ReadMetrics metrics) {
        this.engine = requireNonNull(engine, "engine is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /**
     * The rows of the first keys, of at least one.
     *
     * @param room of the rows; to be closed when they are no longer needed
     */
    record Found(List<Optional<byte[]>> rows, ReplyBudget.Room room) implements AutoCloseable {
        @Override
        public void close() {
            room.close();
        }
    }

    /**
     * Looks keys up.
     *
     * @param readLsn empty: the present rows
     * @throws StalePlanException if the rows have other columns than the table
     */
    Found find(TableSchema table, List<byte[]> keys, Optional<Lsn> readLsn, Client client) {
        int bytes = (int) Math.min((long) FIRST_BYTES_A_KEY * keys.size(), MAX_FIRST_BYTES);
        while (true) {
            ReplyBudget.Room room = replies.take(bytes);
            boolean isDone = false;
            try {
                LookedUpRows found = find(table, keys, readLsn, client, bytes);
                if (!found.rows().isEmpty()) {
                    isDone = true;
                    return new Found(found.rows(), room);
                }
                if (bytes >= LARGE_BYTES && found.neededBytes() > bytes) {
                    throw new SteleException(
                            ErrorCode.ROW_TOO_LARGE,
                            "Expected a row of at most %s bytes, found one of %s"
                                    .formatted(bytes, found.neededBytes()));
                }
            } finally {
                if (!isDone) {
                    room.close();
                }
            }
            bytes = LARGE_BYTES;
        }
    }

    private LookedUpRows find(
            TableSchema table,
            List<byte[]> keys,
            Optional<Lsn> readLsn,
            Client client,
            int maxBytes) {
        long start = System.nanoTime();
        RowRoom room = needed -> maxBytes;
        QueryScheduler queries = engine.queries();
        PointLookup lookup = engine.engine().startLookup(table.id(), readLsn, keys, room);
        LookedUpRows found =
                client.cancellation()
                        .await(queries.lookUp(queries.group(client.identity()), lookup, true));
        if (found.schemaVersion() != table.schemaVersion()) {
            throw new StalePlanException(table.qualifiedName());
        }
        metrics.lookedUp(found.rows().size(), found.foundCount(), System.nanoTime() - start);
        return found;
    }
}
