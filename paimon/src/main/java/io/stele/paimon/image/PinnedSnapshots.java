package io.stele.paimon.image;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_SNAPSHOT_EXPIRED;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonTableHandle;
import io.trino.spi.TrinoException;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.paimon.Snapshot;
import org.apache.paimon.table.FileStoreTable;

/**
 * The lookup of the snapshot that a table handle is pinned to, by its id or tag, with Trino's
 * errors. Thread-safe; may wait for the store.
 */
public final class PinnedSnapshots {
    private final LatestSnapshots snapshots;

    @Inject
    public PinnedSnapshots(LatestSnapshots snapshots) {
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
    }

    /**
     * The snapshot of a handle that has one.
     *
     * @throws TrinoException if the snapshot has expired, or the store does not answer
     */
    public Snapshot snapshot(PaimonTableHandle handle, FileStoreTable table) {
        long id = handle.snapshotId().getAsLong();
        try {
            return handle.tag().isPresent()
                    ? tagged(handle, table, handle.tag().get())
                    : snapshots.snapshot(table, id);
        } catch (FileNotFoundException e) {
            throw new TrinoException(
                    PAIMON_SNAPSHOT_EXPIRED,
                    "Snapshot %s of %s has expired: %s"
                            .formatted(id, handle.name(), e.getMessage()),
                    e);
        } catch (TrinoException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw new TrinoException(
                    PAIMON_STORE_ERROR,
                    "Cannot read snapshot %s of %s: %s"
                            .formatted(id, handle.name(), e.getMessage()),
                    e);
        }
    }

    private static Snapshot tagged(PaimonTableHandle handle, FileStoreTable table, String tag) {
        Snapshot snapshot = table.tagManager().getOrThrow(tag).trimToSnapshot();
        if (snapshot.id() != handle.snapshotId().getAsLong()) {
            throw new TrinoException(
                    PAIMON_SNAPSHOT_EXPIRED,
                    "Expected tag '%s' of %s at snapshot %s, found it moved to snapshot %s while the query ran"
                            .formatted(
                                    tag,
                                    handle.name(),
                                    handle.snapshotId().getAsLong(),
                                    snapshot.id()));
        }
        return snapshot;
    }
}
