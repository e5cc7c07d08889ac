package io.stele.paimon.image;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.paimon.Snapshot;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.Path;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.utils.HintFileUtils;
import org.apache.paimon.utils.SnapshotManager;
import org.jspecify.annotations.Nullable;

/**
 * A check of the store for a table's latest snapshot, with two requests if the snapshot seen last
 * is still the latest. Stateless; calls block.
 *
 * <p>One request reads the file of the snapshot seen last again, the other finds no file of the
 * next snapshot. Ids have no gaps, so the snapshot is the latest. Since its content is compared, a
 * rollback or a new table at the same place is noticed, which a look at Paimon's hint alone would
 * miss. Without a snapshot seen last, the search is Paimon's: its hint, then a listing.
 */
final class SnapshotCheck {
    // Beyond this many new snapshots, Paimon's hint takes fewer requests than one file after the
    // other.
    private static final int MAX_STEPS = 8;
    private static final int MAX_SEARCHES = 3;

    /**
     * @param snapshot the latest snapshot; empty: nothing is committed
     * @param continues whether the snapshot seen last is still there, so that all that was derived
     *     from it still holds
     */
    record Result(Optional<Snapshot> snapshot, boolean continues) {}

    private SnapshotCheck() {}

    static Result latest(FileStoreTable table, @Nullable Snapshot last) throws IOException {
        try {
            if (table.catalogEnvironment().supportsVersionManagement()) {
                // The catalog decides what is committed.
                Optional<Snapshot> latest =
                        Optional.ofNullable(table.snapshotManager().latestSnapshot());
                return new Result(latest, last == null || mayFollow(latest, last));
            }
            if (last != null) {
                Snapshot again = find(table, last.id());
                if (again != null && SnapshotIdentity.of(again).equals(SnapshotIdentity.of(last))) {
                    return new Result(follow(table, last), true);
                }
            }
            return new Result(search(table), last == null);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (RuntimeException e) {
            throw new IOException(
                    "The latest snapshot of %s cannot be read".formatted(table.location()), e);
        }
    }

    private static boolean mayFollow(Optional<Snapshot> latest, Snapshot last) {
        return latest.isPresent()
                && (latest.get().id() > last.id()
                        || SnapshotIdentity.of(latest.get()).equals(SnapshotIdentity.of(last)));
    }

    private static Optional<Snapshot> follow(FileStoreTable table, Snapshot last)
            throws IOException {
        Snapshot latest = last;
        for (int step = 0; step < MAX_STEPS; step++) {
            Snapshot next = find(table, latest.id() + 1);
            if (next == null) {
                return Optional.of(latest);
            }
            latest = next;
        }
        return search(table);
    }

    private static Optional<Snapshot> search(FileStoreTable table) throws IOException {
        SnapshotManager manager = table.snapshotManager();
        for (int search = 0; search < MAX_SEARCHES; search++) {
            Long id = manager.latestSnapshotIdFromFileSystem();
            if (id != null && find(table, id) == null) {
                // The hint is older than a rollback or an expiry.
                id =
                        HintFileUtils.findByListFiles(
                                table.fileIO(),
                                Math::max,
                                manager.snapshotDirectory(),
                                SnapshotManager.SNAPSHOT_PREFIX);
            }
            if (id == null) {
                checkExists(table);
                return Optional.empty();
            }
            Snapshot found = find(table, id);
            if (found != null) {
                return Optional.of(found);
            }
        }
        throw new IOException(
                "The snapshots of %s expire faster than they can be read"
                        .formatted(table.location()));
    }

    private static void checkExists(FileStoreTable table) throws IOException {
        FileIO files = table.fileIO();
        Path schema = table.schemaManager().toSchemaPath(table.schema().id());
        if (!files.exists(schema)) {
            throw new TableDroppedException(
                    "The table at %s was dropped: expected its schema in %s"
                            .formatted(table.location(), schema));
        }
    }

    static @Nullable Snapshot find(FileStoreTable table, long id) {
        try {
            return SnapshotManager.tryFromPath(
                    table.fileIO(), table.snapshotManager().snapshotPath(id));
        } catch (FileNotFoundException e) {
            return null;
        }
    }
}
