package io.stele.sidecar.flight;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * How long a statement that adds indexes waits for them: of a small table they are ready when it
 * returns, of a large one they are built behind it; a unique index is waited for, since it may turn
 * out not to be one.
 */
final class IndexWaiting {
    private static final long PATIENCE_SECONDS = 10; // well below what clients wait for an answer
    private static final long UNIQUE_PATIENCE_SECONDS = 3600;

    private IndexWaiting() {}

    /**
     * Blocks until the indexes are ready or the patience is over.
     *
     * @throws SteleException what is wrong with an index
     */
    static void await(CompletableFuture<@Nullable Void> ready, TableSchema table) {
        boolean unique =
                table.options().indexes().stream()
                        .anyMatch(index -> index.unique() && !index.ready());
        try {
            ready.get(unique ? UNIQUE_PATIENCE_SECONDS : PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            return; // the build goes on
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "The sidecar is stopping; it goes on building indexes "
                            + names(table)
                            + " when it is back",
                    stopped);
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof SteleException known) {
                throw known;
            }
            throw new SteleException(
                    ErrorCode.INTERNAL, "Cannot build indexes " + names(table), failed);
        }
    }

    private static String names(TableSchema table) {
        return table.options().indexes().stream()
                .filter(index -> !index.ready())
                .map(IndexSchema::name)
                .toList()
                .toString();
    }
}
