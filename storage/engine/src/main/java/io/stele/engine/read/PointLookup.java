package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A resumable lookup of rows by primary key, in batches of keys, so that a task on a shared thread
 * can yield between them. Under {@link io.stele.objectstore.NonBlocking}, a batch that would have
 * to wait throws. The rows found so far stay, and the same batch continues where it may wait.
 * Confined to one thread at a time.
 */
public final class PointLookup implements ResumableRead<LookedUpRows> {
    /** A few microseconds each, well below the time that a step may take. */
    private static final int KEYS_A_STEP = 8;

    private final PointReads reads;
    private final SnapshotRegistry snapshots;
    private final Supplier<TableSchema> schema;
    private final Optional<Lsn> readLsn;
    private final List<byte[]> keys;
    private final RowRoom room;
    private FirstRows rows;
    private PointReads.Batch batch;

    /**
     * @param schema the newest version of the table
     * @param room the memory for the rows
     */
    PointLookup(
            PointReads reads,
            SnapshotRegistry snapshots,
            Supplier<TableSchema> schema,
            Optional<Lsn> readLsn,
            List<byte[]> keys,
            RowRoom room) {
        this.reads = requireNonNull(reads, "reads is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.schema = requireNonNull(schema, "schema is null");
        this.readLsn = requireNonNull(readLsn, "readLsn is null");
        this.keys = List.copyOf(keys);
        this.room = requireNonNull(room, "room is null");
        this.rows = new FirstRows(keys.size(), room);
        this.batch = start();
    }

    private PointReads.Batch start() {
        return reads.start(schema.get(), keys, readLsn.map(Lsn::value).orElse(Long.MAX_VALUE));
    }

    /** Searches at most {@code maxKeys} more keys; true when all are done. */
    public boolean advance(int maxKeys) throws IOException {
        TableSchema present = batch.schema();
        try {
            if (!batch.advance(maxKeys, rows)) {
                return false;
            }
        } catch (SteleException refused) {
            boolean isChanged = schema.get().schemaVersion() != present.schemaVersion();
            if (refused.code() != ErrorCode.STALE_TABLE || !isChanged) {
                throw refused;
            }
            rows = new FirstRows(keys.size(), room); // all are to be of one version
            batch = start();
            return false;
        }
        // Afterwards: history that was dropped while we looked may have been missed.
        if (readLsn.isPresent()) {
            snapshots.check(readLsn.get(), present);
        }
        return true;
    }

    @Override
    public boolean step() throws IOException {
        return advance(KEYS_A_STEP);
    }

    /** As {@link #advance}, where waiting is allowed: as many keys as are read together. */
    @Override
    public boolean advance() throws IOException {
        return advance(batch.keysARead());
    }

    /**
     * The rows found; call it after {@link #advance} returned true. If there was no room for all
     * rows, it has the rows of the first keys, or none.
     */
    @Override
    public LookedUpRows result() {
        return rows();
    }

    /** As {@link #result}. */
    public LookedUpRows rows() {
        return new LookedUpRows(batch.schema().schemaVersion(), rows.rows(), rows.neededBytes());
    }
}
