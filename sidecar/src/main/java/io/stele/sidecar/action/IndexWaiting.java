package io.stele.sidecar.action;

import io.stele.engine.StorageEngine;
import io.stele.engine.job.Job;
import io.stele.engine.job.JobKey;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.maintenance.JobKind;
import io.stele.protocol.api.maintenance.JobStatus;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.TableSchema;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The bounded wait of a request that adds indexes until they are built. The indexes of a small
 * table are ready when the request returns. Those of a large table are built afterwards, by jobs on
 * which clients can wait.
 */
final class IndexWaiting {
    private static final long PATIENCE_SECONDS = 10; // well below what clients wait for an answer

    private IndexWaiting() {}

    /**
     * Blocks until the indexes are ready or the patience is over.
     *
     * @throws SteleException the failure of an index's build
     */
    static void await(StorageEngine engine, TableSchema table, Optional<String> user) {
        List<CompletableFuture<JobStatus>> builds =
                table.options().indexes().stream()
                        .filter(index -> !index.ready())
                        .map(index -> engine.runJob(work(table, index), user))
                        .map(Job::ended)
                        .toList();
        try {
            CompletableFuture.allOf(builds.toArray(CompletableFuture<?>[]::new))
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            // the other builds continue
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "The sidecar is stopping; it goes on building indexes "
                            + names(table)
                            + " when it is back",
                    stopped);
        } catch (ExecutionException failed) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Cannot build indexes " + names(table), failed);
        }
        for (CompletableFuture<JobStatus> build : builds) {
            if (build.isDone() && build.join().failure().isPresent()) {
                throw build.join().failure().get();
            }
        }
    }

    private static JobKey work(TableSchema table, IndexSchema index) {
        return new JobKey(JobKind.BUILD_INDEX, table.id(), Optional.of((long) index.id()));
    }

    private static String names(TableSchema table) {
        return table.options().indexes().stream()
                .filter(index -> !index.ready())
                .map(IndexSchema::name)
                .toList()
                .toString();
    }
}
