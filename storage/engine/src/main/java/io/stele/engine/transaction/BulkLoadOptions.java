package io.stele.engine.transaction;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.node.WriteBudget;

/**
 * The sizes of a bulk load.
 *
 * @param bufferBytes rows that are collected before they become files; at the end, fewer go to the
 *     log
 * @param batchBytes rows of a shard that are collected before they count
 * @param minFileBytes rows of a file that is worth it: where files would be smaller, rows go to the
 *     log while they fit
 * @param stagedBytes rows that may go to the log
 */
record BulkLoadOptions(long bufferBytes, int batchBytes, long minFileBytes, long stagedBytes) {
    private static final int MIN_BATCH_BYTES = 1 << 10;
    private static final int MAX_BATCH_BYTES = 1 << 20;

    /** Batches of an eighth of a buffer, so that tables of some shards fill it. */
    private static final int BATCHES_A_BUFFER = 8;

    /** 4 MiB: below this, the requests for a file take as long as its bytes. */
    private static final long MIN_FILE_BYTES = 4 << 20;

    /** Small buffers, as in tests, have as many files as a buffer of 64 MiB. */
    private static final int FILES_A_BUFFER = 16;

    BulkLoadOptions {
        if (bufferBytes < 1 || batchBytes < 1 || minFileBytes < 1 || stagedBytes < 1) {
            throw new IllegalArgumentException(
                    "Expected sizes above 0, found a buffer of %s bytes, batches of %s, files of %s and %s staged"
                            .formatted(bufferBytes, batchBytes, minFileBytes, stagedBytes));
        }
    }

    /**
     * Those of a node for a table. A buffer grows with the shards, each of which has a file of it.
     * One buffer is filled while another one is written, and both together are at most half of what
     * all transactions may stage; what is in one buffer may be staged as well.
     */
    static BulkLoadOptions of(StorageOptions options, WriteBudget budget, int shardCount) {
        long minFileBytes =
                Math.clamp(options.loadBufferBytes() / FILES_A_BUFFER, 1, MIN_FILE_BYTES);
        long bytes =
                Math.min(
                        Math.max(options.loadBufferBytes(), shardCount * minFileBytes),
                        Math.min(options.transactionBytes() / 2, budget.stagedLimitBytes() / 4));
        return new BulkLoadOptions(
                Math.max(1, bytes),
                (int) Math.clamp(bytes / BATCHES_A_BUFFER, MIN_BATCH_BYTES, MAX_BATCH_BYTES),
                minFileBytes,
                Math.max(1, Math.min(options.transactionBytes(), budget.stagedLimitBytes())));
    }
}
