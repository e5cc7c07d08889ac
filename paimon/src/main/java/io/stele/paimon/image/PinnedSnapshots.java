package io.stele.paimon.image;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_SNAPSHOT_EXPIRED;
import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.paimon.handle.PaimonTableHandle;
import io.stele.paimon.handle.PinnedSnapshot;
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
    private final LatestSnapshots leases;

    @Inject
    public PinnedSnapshots(LatestSnapshots leases) {
        this.leases = requireNonNull(leases, "leases is null");
    }

    /**
     * The snapshot of a handle that has one.
     *
     * @throws TrinoException if the snapshot has expired, or the store does not answer
     */
    public Snapshot snapshot(PaimonTableHandle handle, FileStoreTable table) {
        PinnedSnapshot pinned = handle.snapshot().orElseThrow();
        long id = pinned.id();
        try {
            Snapshot found =
                    handle.tag().isPresent()
                            ? table.tagManager().getOrThrow(handle.tag().get()).trimToSnapshot()
                            : leases.snapshot(table, id);
            if (handle.tag().isEmpty() && !pin(found).equals(pinned)) {
                // The cached one may be older than a rollback that no check has seen
                found = leases.snapshotAgain(table, id);
            }
            checkSame(handle, pinned, found);
            return found;
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

    /** The part of a snapshot by which a query pins it. */
    public static PinnedSnapshot pin(Snapshot snapshot) {
        return new PinnedSnapshot(
                snapshot.id(), snapshot.deltaManifestList(), snapshot.timeMillis());
    }

    private static void checkSame(PaimonTableHandle handle, PinnedSnapshot pinned, Snapshot found) {
        if (pin(found).equals(pinned)) {
            return;
        }
        String where =
                handle.tag().map("tag '%s' of "::formatted).orElse("") + handle.name().toString();
        throw new TrinoException(
                PAIMON_SNAPSHOT_EXPIRED,
                found.id() == pinned.id()
                        ? "Expected snapshot %s of %s as the query found it, found another commit of this id: the table was rolled back while the query ran"
                                .formatted(pinned.id(), where)
                        : "Expected %s at snapshot %s, found it moved to snapshot %s while the query ran"
                                .formatted(where, pinned.id(), found.id()));
    }
}
