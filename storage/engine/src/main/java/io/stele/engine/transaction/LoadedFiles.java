package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.node.BackgroundTasks;
import io.stele.engine.node.Shards;
import io.stele.engine.node.WriteBudget;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The files of one bulk load, written by tasks of a pool: one for each shard of a buffer. Their
 * names begin with the id of the transaction, so that they are deleted if it does not commit.
 * Called by one thread at a time; its tasks run beside that.
 */
final class LoadedFiles {
    /** 10,000: with buffers of 64 MiB and four shards, 160 GiB of rows. */
    private static final int MAX_FILES = 10_000;

    /** Sketches are most of what a commit says of a file: up to 0.6 kB a column. */
    private static final int MAX_SKETCHED_FILES = 1_000;

    private final String transactionId;
    private final TableSchema table;
    private final Shards shards;
    private final TableFiles files;
    private final WriteBudget budget;
    private final Executor loading;
    private final AtomicInteger begunFiles = new AtomicInteger();

    @GuardedBy("this")
    private final List<WrittenFile> finished = new ArrayList<>();

    private boolean isBegun;
    private CompletableFuture<@Nullable Void> writing = CompletableFuture.completedFuture(null);
    private volatile boolean isGivenUp;

    LoadedFiles(
            String transactionId,
            TableSchema table,
            Shards shards,
            TableFiles files,
            WriteBudget budget,
            Executor loading) {
        this.transactionId = requireNonNull(transactionId, "transactionId is null");
        this.table = requireNonNull(table, "table is null");
        this.shards = requireNonNull(shards, "shards is null");
        this.files = requireNonNull(files, "files is null");
        this.budget = requireNonNull(budget, "budget is null");
        this.loading = requireNonNull(loading, "loading is null");
    }

    /** Whether rows came here. */
    boolean isBegun() {
        return isBegun;
    }

    boolean areBeingWritten() {
        return !writing.isDone();
    }

    /**
     * Begins to write a buffer, when the one before is written.
     *
     * @param batches by shard; their memory, which is taken, is given back as they are in files
     * @throws SteleException that of the buffer before: then nothing is begun
     */
    void write(Map<Integer, ? extends Collection<byte[]>> batches) {
        await();
        isBegun = true;
        List<CompletableFuture<@Nullable Void>> tasks = new ArrayList<>();
        batches.forEach((shard, ofShard) -> tasks.add(write(shard, List.copyOf(ofShard))));
        writing = Coordinator.all(tasks);
    }

    private CompletableFuture<@Nullable Void> write(int shard, List<byte[]> batches) {
        long bytes = batches.stream().mapToLong(batch -> batch.length).sum();
        return BackgroundTasks.<@Nullable Void>submit(
                        loading,
                        () -> {
                            writeShard(shard, batches);
                            return null;
                        })
                .whenComplete((_, _) -> budget.giveBackStaged(bytes));
    }

    private void writeShard(int shard, List<byte[]> batches) {
        ShardRowsWriter writer =
                new ShardRowsWriter(
                        files,
                        table,
                        shards.shard(table.shard(shard)),
                        this::nextFileId,
                        () -> isGivenUp);
        try {
            writer.write(batches, this::finished);
        } catch (IOException failed) {
            throw new SteleException(
                    ErrorCode.STORE_FAILED,
                    "Cannot write files of table %s: %s".formatted(table.qualifiedName(), failed),
                    failed);
        }
    }

    private String nextFileId() {
        int number = begunFiles.incrementAndGet();
        if (number > MAX_FILES) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_TOO_LARGE,
                    "Expected rows for at most %d files in one statement of table %s, found more; write them in several statements, or in the order of their partitions"
                            .formatted(MAX_FILES, table.qualifiedName()));
        }
        return transactionId + "_" + Integer.toHexString(number);
    }

    private synchronized void finished(WrittenFile file) {
        // Without sketches the optimizer knows less until a compaction
        finished.add(finished.size() < MAX_SKETCHED_FILES ? file : file.withoutSketches());
    }

    /** Waits until all that came is in files; fails if one could not be written. */
    void await() {
        try {
            writing.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SteleException(ErrorCode.UNAVAILABLE, "The sidecar is shutting down", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof SteleException known
                    ? known
                    : new SteleException(
                            ErrorCode.INTERNAL, "The engine failed: " + e.getCause(), e.getCause());
        }
    }

    /** All files, when they are written. */
    List<WrittenFile> finish() {
        await();
        synchronized (this) {
            return List.copyOf(finished);
        }
    }

    /** No more rows are written, and none are when it returns. */
    void giveUp() {
        isGivenUp = true;
        try {
            await();
        } catch (SteleException failed) {
            // Its files are deleted with those that are finished
        }
    }
}
