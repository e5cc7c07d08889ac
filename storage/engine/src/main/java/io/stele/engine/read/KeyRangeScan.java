package io.stele.engine.read;

import static java.util.Objects.requireNonNull;

import io.stele.engine.datafile.SstFile;
import io.stele.engine.memtable.MemTable;
import io.stele.engine.node.Shards;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import io.stele.engine.shard.TableGroupShard;
import io.stele.engine.snapshot.Readers;
import io.stele.engine.snapshot.SnapshotRegistry;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A resumable scan of one page of the rows of a shard by key, from memtables and SST files.
 *
 * <p>Each part seeks the key with which it continues, and holds nothing of the files between parts.
 * A part reads up to where the next file begins, so that only files with keys of the part are
 * opened. Confined to one thread at a time.
 *
 * <p>Invariant: {@code next} is at or below the key of every row of the range that was not read,
 * and above that of every row that was.
 */
public final class KeyRangeScan implements ResumableRead<KeyRangePage> {
    /** Some ten microseconds in memory, and seeking again costs a few of them. */
    private static final int VERSIONS_A_STEP = 64;

    private static final int VERSIONS_A_PART = 4096;

    /** The most bytes that a reply adds to a row. */
    private static final int ROW_OVERHEAD_BYTES = 8;

    private final Shards shards;
    private final SnapshotRegistry snapshots;
    private final Supplier<TableSchema> newest;
    private final int shardIndex;
    private final Optional<Lsn> readLsn;
    private final KeyRange range;
    private final KeyRangeLimits limits;
    private final RowRoom room;
    private final List<byte[]> rows = new ArrayList<>();
    private TableSchema schema;
    private byte[] next;
    private long lsn = -1; // chosen by the first part
    private long fromLsn;
    private long rowBytes;
    private long roomBytes;
    private long neededBytes;
    private long versionsRead;
    private boolean isFull;

    KeyRangeScan(
            Shards shards,
            SnapshotRegistry snapshots,
            Supplier<TableSchema> newest,
            int shardIndex,
            Optional<Lsn> readLsn,
            KeyRange range,
            KeyRangeLimits limits,
            RowRoom room) {
        this.shards = requireNonNull(shards, "shards is null");
        this.snapshots = requireNonNull(snapshots, "snapshots is null");
        this.newest = requireNonNull(newest, "newest is null");
        this.shardIndex = shardIndex;
        this.readLsn = requireNonNull(readLsn, "readLsn is null");
        this.range = requireNonNull(range, "range is null");
        this.limits = requireNonNull(limits, "limits is null");
        this.room = requireNonNull(room, "room is null");
        this.schema = newest.get();
        this.next = range.lower();
        this.roomBytes = room.grow(0);
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
            choose(shard);
            if (!read(VersionedRead.view(table, schema.schemaVersion()), maxVersions)) {
                return false;
            }
            return isWhole(shard);
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

    private void choose(TableGroupShard shard) {
        if (lsn < 0) {
            lsn = readLsn.orElseGet(shard::appliedLsn).value();
            fromLsn = snapshots.firstVisibleLsn(schema, readLsn.isPresent() ? lsn : Long.MAX_VALUE);
        }
    }

    /**
     * Whether the rows are complete; called after reading, since history may have been dropped
     * meanwhile.
     */
    private boolean isWhole(TableGroupShard shard) {
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
        rows.clear();
        next = range.lower();
        lsn = -1;
        rowBytes = 0;
        neededBytes = 0;
        isFull = false;
    }

    /** Reads about {@code maxVersions}; true at the end of the range or of the page. */
    private boolean read(TableView view, int maxVersions) throws IOException {
        int left = maxVersions;
        while (true) {
            byte[] upper = range.upper().orElse(null);
            if (upper != null && Arrays.compareUnsigned(next, upper) >= 0) {
                return true;
            }
            Window window = window(view, upper);
            left = window.read(left);
            if (isFull || (window.isDone && !window.endsAtFile)) {
                return true;
            }
            if (!window.isDone) {
                return false; // there may be more where it stopped
            }
            next = requireNonNull(window.end, "a window that ends at a file has an end");
            if (left <= 0) {
                return false;
            }
        }
    }

    /** The versions from {@code next} up to the next file, or to the end of the range. */
    private Window window(TableView view, byte @Nullable [] upper) throws IOException {
        byte[] end = upper;
        boolean endsAtFile = false;
        List<SstFile> files = new ArrayList<>();
        for (SstFile file : view.sstFiles()) {
            byte[] min = file.entry().minKey().orElseThrow();
            byte[] max = file.entry().maxKey().orElseThrow();
            if (Arrays.compareUnsigned(min, next) > 0) {
                if (end == null || Arrays.compareUnsigned(min, end) < 0) {
                    end = min;
                    endsAtFile = true;
                }
            } else if (Arrays.compareUnsigned(max, next) >= 0) {
                files.add(file);
            }
        }
        List<Iterator<KeyedVersion>> sources = new ArrayList<>();
        for (MemTable table : view.memTables()) {
            sources.add(table.versionsFrom(next));
        }
        try {
            for (SstFile file : files) {
                sources.add(file.versionsFrom(next));
            }
            return new Window(new MergingVersions(sources), end, endsAtFile);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /** The merged versions of a part of the range. */
    private final class Window {
        private final Iterator<KeyedVersion> versions;
        private final byte @Nullable [] end;
        private final boolean endsAtFile;
        private @Nullable KeyedVersion last; // that was read
        private boolean isDecided; // whether the key of the last one needs no more
        private boolean isDone; // up to the end

        Window(Iterator<KeyedVersion> versions, byte @Nullable [] end, boolean endsAtFile) {
            this.versions = versions;
            this.end = end;
            this.endsAtFile = endsAtFile;
        }

        /** Stops between keys once {@code maxVersions} were read; returns how many are left. */
        int read(int maxVersions) throws IOException {
            int left = maxVersions;
            try {
                while (!isFull) {
                    if (!versions.hasNext()) {
                        isDone = true;
                        break;
                    }
                    KeyedVersion version = versions.next();
                    versionsRead++;
                    if (isBehindEnd(version)) {
                        isDone = true;
                        break;
                    }
                    KeyedVersion before = last;
                    boolean isNewKey = before == null || before.compareKey(version) != 0;
                    if (isNewKey && before != null && left <= 0) {
                        break; // it is read again
                    }
                    left--;
                    last = version;
                    isDecided &= !isNewKey;
                    decide(version);
                }
            } catch (UncheckedIOException failed) {
                throw failed.getCause();
            } finally {
                moveOn();
            }
            return left;
        }

        private boolean isBehindEnd(KeyedVersion version) {
            byte[] bound = end;
            return bound != null
                    && Arrays.compareUnsigned(
                                    version.keyArray(),
                                    version.keyOffset(),
                                    version.keyOffset() + version.keyLength(),
                                    bound,
                                    0,
                                    bound.length)
                            >= 0;
        }

        private void decide(KeyedVersion version) {
            if (isDecided || version.lsn() > lsn) {
                return;
            }
            boolean isVisible = !version.isDeleted() && version.lsn() >= fromLsn;
            if (isVisible && !take(version)) {
                isFull = true; // the key stays the next one
            } else {
                isDecided = true;
            }
        }

        private void moveOn() {
            KeyedVersion reached = last;
            if (reached != null) {
                // The smallest key above a key is that key with a zero byte behind it
                next =
                        isDecided
                                ? Arrays.copyOf(reached.key(), reached.keyLength() + 1)
                                : reached.key();
            }
        }
    }

    /** Adds a row; false if the page has no room for it. */
    private boolean take(KeyedVersion version) {
        long bytes = rowBytes + version.rowLength() + ROW_OVERHEAD_BYTES;
        if (!rows.isEmpty() && (rows.size() == limits.rows() || bytes > limits.bytes())) {
            return false;
        }
        if (bytes > roomBytes) {
            roomBytes = room.grow(bytes);
            if (bytes > roomBytes) {
                neededBytes = rows.isEmpty() ? bytes : 0;
                return false;
            }
        }
        rows.add(version.row());
        rowBytes = bytes;
        return true;
    }

    @Override
    public KeyRangePage result() {
        return new KeyRangePage(
                schema.schemaVersion(),
                new Lsn(lsn),
                rows,
                isFull ? Optional.of(next) : Optional.empty(),
                neededBytes,
                versionsRead);
    }
}
