package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.node.Shards;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A resumable scan of one page of the rows of a shard by key, from memtables and SST files, in or
 * against the order of keys. All rows of the page are as of one LSN and of one schema version; if
 * history that the page needs was dropped meanwhile, it begins again. Confined to one thread at a
 * time.
 */
public final class KeyRangeScan implements ResumableRead<KeyRangePage> {
    /** Some ten microseconds in memory, and seeking again costs a few of them. */
    private static final int VERSIONS_A_STEP = 64;

    private static final int VERSIONS_A_PART = 4096;

    private final Shards shards;
    private final SnapshotRegistry snapshots;
    private final Supplier<TableSchema> newest;
    private final int shardIndex;
    private final Optional<Lsn> readLsn;
    private final KeyRange range;
    private final KeyDirection direction;
    private final PageRows page;
    private TableSchema schema;
    private KeyWalk walk;
    private @Nullable VisibleLsns visible; // chosen by the first part

    KeyRangeScan(
            Shards shards,
            SnapshotRegistry snapshots,
            Supplier<TableSchema> newest,
            int shardIndex,
            Optional<Lsn> readLsn,
            KeyRange range,
            KeyDirection direction,
            KeyRangeLimits limits,
            RowRoom room) {
        this.shards = requireNonNull(shards, "shards is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.newest = requireNonNull(newest, "newest is null");
        this.shardIndex = shardIndex;
        this.readLsn = requireNonNull(readLsn, "readLsn is null");
        this.range = requireNonNull(range, "range is null");
        this.direction = requireNonNull(direction, "direction is null");
        this.page = new PageRows(limits, room);
        this.schema = newest.get();
        this.walk = KeyWalk.of(range, direction);
        if (!schema.orientation().hasRows()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a table of orientation 'row' or 'row,column' to scan by key, found %s, which is '%s'"
                            .formatted(schema.qualifiedName(), schema.orientation().text()));
        }
        if (shardIndex < 0 || shardIndex >= schema.shardCount()) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected a shard below %s of table %s, found %s"
                            .formatted(schema.shardCount(), schema.qualifiedName(), shardIndex));
        }
    }

    @Override
    public boolean step() throws IOException {
        return advance(VERSIONS_A_STEP);
    }

    @Override
    public boolean advance() throws IOException {
        return advance(VERSIONS_A_PART);
    }

    private boolean advance(int maxVersions) throws IOException {
        Readers.Generation reader = snapshots.readers().enter();
        try {
            TableGroupShard shard = shards.shard(schema.shard(shardIndex));
            shard.checkServing();
            TableShard table = shard.table(schema.id());
            VisibleLsns lsns = visible(shard);
            if (!walk.read(
                    VersionedRead.view(table, schema.schemaVersion()), lsns, page, maxVersions)) {
                return false;
            }
            return isWhole(shard, lsns.last());
        } catch (SteleException refused) {
            if (refused.code() != ErrorCode.STALE_TABLE
                    || newest.get().schemaVersion() == schema.schemaVersion()) {
                throw refused;
            }
            beginAgain(); // all rows are to be of one version
            return false;
        } finally {
            snapshots.readers().exit(reader);
        }
    }

    private VisibleLsns visible(TableGroupShard shard) {
        VisibleLsns chosen = visible;
        if (chosen == null) {
            long lsn = readLsn.orElseGet(shard::appliedLsn).value();
            long oldest =
                    snapshots.firstVisibleLsn(schema, readLsn.isPresent() ? lsn : Long.MAX_VALUE);
            chosen = new VisibleLsns(lsn, oldest);
            visible = chosen;
        }
        return chosen;
    }

    /**
     * Whether the rows are complete; called after reading, since history may have been dropped
     * meanwhile.
     */
    private boolean isWhole(TableGroupShard shard, long lsn) {
        if (readLsn.isPresent()) {
            snapshots.check(readLsn.get(), schema);
            return true;
        }
        boolean isWhole =
                shard.appliedLsn().value() <= lsn || snapshots.passedLsn(schema.id()) <= lsn;
        if (!isWhole) {
            beginAgain();
        }
        return isWhole;
    }

    private void beginAgain() {
        schema = newest.get();
        walk = KeyWalk.of(range, direction);
        page.clear();
        visible = null;
    }

    @Override
    public KeyRangePage result() {
        VisibleLsns lsns = requireNonNull(visible, "the scan has not ended");
        return new KeyRangePage(
                schema.schemaVersion(),
                new Lsn(lsns.last()),
                page.rows(),
                page.isFull() ? Optional.of(walk.next()) : Optional.empty(),
                page.neededBytes(),
                page.versionsRead());
    }
}
