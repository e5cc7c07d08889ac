package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.engine.read.KeyDirection;
import io.stele.engine.read.KeyRange;
import io.stele.engine.read.KeyRangeLimits;
import io.stele.engine.read.KeyRangePage;
import io.stele.engine.read.KeyRangeScan;
import io.stele.engine.read.RowRoom;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.scheduling.QueryScheduler;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous reader of pages of key range scans for PostgreSQL statements, scheduled like
 * lookups. Thread-safe.
 */
final class KeyPages {
    private final EngineService engine;
    private final ReplyBudget replies;
    private final ReadMetrics metrics;

    KeyPages(EngineService engine, ReplyBudget replies, ReadMetrics metrics) {
        this.engine = requireNonNull(engine, "engine is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.metrics = requireNonNull(metrics, "metrics is null");
    }

    /** The budget from which pages take their bytes. */
    ReplyBudget replies() {
        return replies;
    }

    /**
     * Begins to read a page of the rows of a shard.
     *
     * @param maxRows at least 1
     * @param maxBytes of rows; of a first row that has more, the page has only the size
     * @throws io.stele.protocol.SteleException BUSY; the page may also fail with it
     */
    CompletableFuture<KeyRangePage> start(
            TableSchema table,
            int shard,
            Lsn readLsn,
            KeyRange range,
            KeyDirection direction,
            int maxRows,
            long maxBytes,
            Client client) {
        long start = System.nanoTime();
        RowRoom room = needed -> maxBytes;
        QueryScheduler queries = engine.queries();
        KeyRangeScan scan =
                engine.engine()
                        .startKeyScan(
                                table.id(),
                                shard,
                                Optional.of(readLsn),
                                range,
                                direction,
                                new KeyRangeLimits(maxRows, maxBytes),
                                room);
        return queries.lookUp(queries.group(client.identity()), scan, true)
                .whenComplete((page, failure) -> count(page, start));
    }

    private void count(@Nullable KeyRangePage page, long start) {
        if (page != null) {
            metrics.scannedByKey(
                    page.rows().size(), page.versionsRead(), System.nanoTime() - start);
        }
    }
}
