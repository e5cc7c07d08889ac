package io.stele.engine.shard.write;

import io.stele.protocol.row.BinaryRow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a table before and after the batch being evaluated, in memory or files, for unique
 * index checks of writes.
 */
interface PresentRows {
    /** The row that a key has after the batch; null: requested and not found yet. */
    @Nullable Optional<BinaryRow> after(KeySlice key);

    /** The row that a key had before, if memory has it. */
    Optional<BinaryRow> knownBefore(KeySlice key);
}
