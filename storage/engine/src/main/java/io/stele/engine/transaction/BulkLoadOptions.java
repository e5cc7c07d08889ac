package io.stele.engine.transaction;

import io.stele.engine.node.StorageOptions;
import io.stele.engine.node.WriteBudget;

/**
 * The sizes of a bulk load.
 *
 * @param bufferBytes rows that are collected before they become files; at the end, fewer go to the
 *     log
 * @param batchBytes rows of a shard that are collected before they count
 */
public record BulkLoadOptions(long bufferBytes, int batchBytes) {
    private static final int MIN_BATCH_BYTES = 1 << 10;
    private static final int MAX_BATCH_BYTES = 1 << 20;

    /** Batches of an eighth of a buffer, so that tables of some shards fill it. */
    private static final int BATCHES_A_BUFFER = 8;

    public BulkLoadOptions {
        if (bufferBytes < 1 || batchBytes < 1) {
            throw new IllegalArgumentException(
                    "Expected sizes above 0, found a buffer of %s bytes and batches of %s"
                            .formatted(bufferBytes, batchBytes));
        }
    }

    /**
     * Those of a node: one buffer is filled while another one is written, and both together are at
     * most half of what all transactions may stage; what is in one buffer may be staged as well.
     */
    public static BulkLoadOptions of(StorageOptions options, WriteBudget budget) {
        long bytes =
                Math.min(
                        options.loadBufferBytes(),
                        Math.min(options.transactionBytes() / 2, budget.stagedLimitBytes() / 4));
        return new BulkLoadOptions(
                Math.max(1, bytes),
                (int) Math.clamp(bytes / BATCHES_A_BUFFER, MIN_BATCH_BYTES, MAX_BATCH_BYTES));
    }
}
