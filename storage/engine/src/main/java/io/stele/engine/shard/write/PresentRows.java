package io.stele.engine.shard.write;

import io.stele.protocol.row.BinaryRow;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of a table as the changes being evaluated leave them, and as they were before. */
interface PresentRows {
    /** The row that a key has after the batch; null: requested and not found yet. */
    @Nullable Optional<BinaryRow> after(KeySlice key);

    /** The row that a key had before, if memory has it. */
    Optional<BinaryRow> knownBefore(KeySlice key);
}
