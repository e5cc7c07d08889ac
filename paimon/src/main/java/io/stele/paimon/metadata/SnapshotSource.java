package io.stele.paimon.metadata;

import io.airlift.units.Duration;
import java.util.Optional;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;

/** A source of the latest snapshots of tables. Thread-safe. */
public interface SnapshotSource {
    /**
     * The latest snapshot, or one that was the latest less than {@code maxStaleness} ago; empty if
     * the table has none. Asks the store if none is known that is so young.
     */
    Optional<Snapshot> latest(FileStoreTable table, Duration maxStaleness);
}
