package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.stele.engine.datafile.TableFiles;
import io.stele.engine.node.WriteBudget;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The files of one bulk load, written by tasks of a pool: one for each shard of a buffer, or
 * several where a shard has very many rows. Their names begin with the id of the transaction, so
 * that they are deleted if it does not commit.
 *
 * <p>Invariant: the memory of rows that came here is given back once, when their task ends or is
 * dropped. Guarded by itself.
 */
final class LoadedFiles {
    /** 10,000: with buffers of 64 MiB and four shards, 160 GiB of rows. */
    private static final int MAX_FILES = 10_000;

    /**
     * Sketches are most of what a commit says of a file, up to 0.6 kB each: those of 16,000 columns
     * of files are 10 MB.
     */
    private static final int MAX_SKETCHES = 16_000;

    /** 64 MiB: rows that a task sorts, with their objects. Each thread for loads has one task. */
    private static final long MAX_SORTED_BYTES = 64L << 20;

    /** Of the object of a row, in a list. */
    private static final int OBJECT_BYTES = 64;

    /** Of the same with a clustering key. */
    private static final int CLUSTERED_OBJECT_BYTES = 192;

    private final String transactionId;
    private final TableSchema table;
    private final TableFiles files;
    private final WriteBudget budget;
    private final Executor loading;
    private final BooleanSupplier isClosing;
    private final boolean isSorted; // rows become SST files
    private final AtomicInteger begunFiles = new AtomicInteger();
    private final AtomicInteger mergedFiles = new AtomicInteger();

    @GuardedBy("this")
    private final List<WrittenFile> finished = new ArrayList<>();

    @GuardedBy("this")
    private int sketchCount;

    @GuardedBy("this")
    private List<ShardTask> tasks = List.of();

    @GuardedBy("this")
    private CompletableFuture<@Nullable Void> writing = CompletableFuture.completedFuture(null);

    private volatile boolean isBegun;
    private volatile boolean isGivenUp;

    LoadedFiles(
            String transactionId,
            TableSchema table,
            TableFiles files,
            WriteBudget budget,
            Executor loading,
            BooleanSupplier isClosing) {
        this.transactionId = requireNonNull(transactionId, "transactionId is null");
        this.table = requireNonNull(table, "table is null");
        this.isSorted = table.orientation().hasRows();
        this.files = requireNonNull(files, "files is null");
        this.budget = requireNonNull(budget, "budget is null");
        this.loading = requireNonNull(loading, "loading is null");
        this.isClosing = requireNonNull(isClosing, "isClosing is null");
    }

    /** Whether rows came here. */
    boolean isBegun() {
        return isBegun;
    }

    /** Completes when all that came is in files; fails if one could not be written. */
    synchronized CompletableFuture<@Nullable Void> writing() {
        return writing;
    }

    /**
     * Begins to write a buffer; the one before is written.
     *
     * @param batches validated, by shard, with their memory
     * @throws SteleException TRANSACTION_ABORTED if the load was given up
     */
    void write(Map<Integer, List<byte[]>> batches) {
        List<ShardTask> added = new ArrayList<>();
        int objectBytes = table.clusteringKey().isEmpty() ? OBJECT_BYTES : CLUSTERED_OBJECT_BYTES;
        // Partitions would have as many more files
        long maxBytes = HeldPartitions.areFiles(table) ? Long.MAX_VALUE : MAX_SORTED_BYTES;
        batches.forEach(
                (shard, ofShard) ->
                        cut(ofShard, objectBytes, maxBytes)
                                .forEach(part -> added.add(new ShardTask(shard, part))));
        boolean isRefused;
        synchronized (this) {
            isRefused = isGivenUp;
            if (!isRefused) {
                isBegun = true;
                begin(added);
            }
        }
        if (isRefused) {
            added.forEach(task -> task.drop(givenUp()));
            throw givenUp();
        }
        added.forEach(ShardTask::submit);
    }

    @GuardedBy("this")
    private void begin(List<ShardTask> added) {
        tasks = added;
        writing = Coordinator.all(added.stream().map(task -> task.result).toList());
    }

    /**
     * Begins to merge the SST files of each shard whose ranges of keys overlap, once all are
     * written: {@link #writing} completes at the end. Does nothing for column files.
     *
     * @throws SteleException TRANSACTION_ABORTED if the load was given up
     */
    void merge() {
        if (!isSorted) {
            return;
        }
        List<ShardTask> merges = new ArrayList<>();
        synchronized (this) {
            if (isGivenUp) {
                throw givenUp();
            }
            Map<ShardId, List<WrittenFile>> byShard = new TreeMap<>();
            finished.forEach(
                    file ->
                            byShard.computeIfAbsent(file.shard(), _ -> new ArrayList<>())
                                    .add(file));
            finished.clear();
            byShard.forEach(
                    (shard, written) -> merges.add(new ShardTask(0, () -> merge(shard, written))));
            begin(merges);
        }
        merges.forEach(ShardTask::submit);
    }

    private void merge(ShardId shard, List<WrittenFile> written) throws IOException {
        sortedWriter(shard, this::nextMergedId).merge(written).forEach(this::finished);
    }

    private SortedRunsWriter sortedWriter(ShardId shard, Supplier<String> fileIds) {
        return new SortedRunsWriter(
                files,
                table,
                shard,
                fileIds,
                () -> {
                    if (isUseless()) {
                        throw givenUp();
                    }
                });
    }

    /** Parts of batches, each with at most {@code maxBytes}, or of one batch. */
    static List<List<byte[]>> cut(List<byte[]> batches, int objectBytes, long maxBytes) {
        List<List<byte[]>> parts = new ArrayList<>();
        List<byte[]> part = new ArrayList<>();
        long partBytes = 0;
        for (byte[] batch : batches) {
            long rows = new WriteBatchReader(batch).operationCount();
            long bytes = batch.length + rows * objectBytes;
            if (!part.isEmpty() && partBytes + bytes > maxBytes) {
                parts.add(part);
                part = new ArrayList<>();
                partBytes = 0;
            }
            part.add(batch);
            partBytes += bytes;
        }
        if (!part.isEmpty()) {
            parts.add(part);
        }
        return parts;
    }

    private static SteleException givenUp() {
        return new SteleException(ErrorCode.TRANSACTION_ABORTED, "The load was given up");
    }

    /** The rows of one shard on their way into files. Thread-safe. */
    private final class ShardTask implements Runnable {
        private final long sizeBytes;
        private final AtomicReference<@Nullable Work> work;
        private final CompletableFuture<@Nullable Void> result = new CompletableFuture<>();

        private ShardTask(int shard, List<byte[]> batches) {
            this(
                    batches.stream().mapToLong(batch -> batch.length).sum(),
                    () -> writeShard(table.shard(shard), batches));
        }

        /**
         * @param sizeBytes of rows in memory, which the work needs no more when it has ended
         */
        private ShardTask(long sizeBytes, Work work) {
            this.sizeBytes = sizeBytes;
            this.work = new AtomicReference<>(work);
        }

        private void submit() {
            try {
                loading.execute(this);
            } catch (RejectedExecutionException closed) {
                drop(
                        new SteleException(
                                ErrorCode.UNAVAILABLE, "The sidecar is shutting down", closed));
            }
        }

        @Override
        public void run() {
            Work own = work.getAndSet(null);
            if (own == null) {
                return; // dropped while it waited
            }
            Throwable failure = null;
            try {
                own.run();
            } catch (IOException failed) {
                failure = unwritten(failed);
            } catch (Throwable failed) {
                failure = failed;
            }
            budget.giveBackStaged(sizeBytes);
            if (failure == null) {
                result.complete(null);
            } else {
                result.completeExceptionally(failure);
            }
        }

        /** Ends a task that has not begun. */
        private void drop(SteleException cause) {
            if (work.getAndSet(null) != null) {
                budget.giveBackStaged(sizeBytes);
                result.completeExceptionally(cause);
            }
        }
    }

    /** Work on the files of a shard. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    private void writeShard(ShardId shard, List<byte[]> batches) throws IOException {
        if (isSorted) {
            finished(sortedWriter(shard, this::nextFileId).write(batches));
            return;
        }
        new ShardRowsWriter(files, table, shard, this::nextFileId, this::isUseless)
                .write(batches, this::finished);
    }

    private boolean isUseless() {
        return isGivenUp || isClosing.getAsBoolean();
    }

    private SteleException unwritten(IOException failed) {
        return new SteleException(
                ErrorCode.STORE_FAILED,
                "Cannot write files of table %s: %s".formatted(table.qualifiedName(), failed),
                failed);
    }

    /** Merged files are fewer than those that they were made of. */
    private String nextMergedId() {
        return transactionId + "_m" + Integer.toHexString(mergedFiles.incrementAndGet());
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
        sketchCount += file.sketches().size();
        finished.add(sketchCount <= MAX_SKETCHES ? file : file.withoutSketches());
    }

    /**
     * All files, which are written.
     *
     * @throws SteleException TRANSACTION_ABORTED if the load was given up
     */
    synchronized List<WrittenFile> finish() {
        if (isGivenUp) {
            throw givenUp();
        }
        return List.copyOf(finished);
    }

    /**
     * Writes no more rows: tasks that wait are dropped, those that run end early. Any thread.
     *
     * @return completes when no task runs any more
     */
    CompletableFuture<@Nullable Void> giveUp() {
        List<ShardTask> dropped;
        CompletableFuture<@Nullable Void> last;
        synchronized (this) {
            isGivenUp = true;
            dropped = tasks;
            last = writing;
        }
        dropped.forEach(task -> task.drop(givenUp()));
        return last.handle((_, _) -> null);
    }
}
