package io.stele.sidecar.postgresql.run;

import io.stele.engine.StorageEngine;
import io.stele.engine.read.KeyDirection;
import io.stele.engine.read.KeyRange;
import io.stele.engine.read.KeyRangePage;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyBytes;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.postgresql.run.KeyList.Key;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A row source of key ranges, read from row tablets in pages at one snapshot, with the
 * transaction's own changes. In or against the order of keys, the shards of a range are merged; in
 * no order they are read one after the other. The first pages of several shards are read at once.
 * Confined to one thread at a time.
 *
 * <p>Invariant: the bytes of the pages in memory are taken from the budget of replies, but for
 * those that were given up on their way. Invariant: who waits for more of it holds none.
 */
final class KeyRangeRows implements RowSource {
    /** The most concurrent reads; more would delay other lookups. */
    private static final int READS_AT_ONCE = 8;

    // 64 KiB: some hundred rows, and a thousandth of the default budget
    private static final int PAGE_BYTES = 64 << 10;
    private static final int PAGES_BYTES = 128 << 10; // of all shards
    private static final int MIN_PAGE_BYTES = 4 << 10;
    private static final int FIRST_PAGE_ROWS = 256;
    private static final int MAX_PAGE_ROWS = 4096;
    private static final int GROWTH = 4;

    private final StorageEngine engine;
    private final KeyPages pages;
    private final RowBuilder builder;
    private final boolean isOrdered;
    private final KeyDirection direction; // of each page
    private final int firstRows;
    private final Optional<RowTransaction> transaction;
    private final Client client;
    private final OwnChanges changes;
    private final LeasedSnapshot snapshot;
    private final Deque<List<KeyCursor>> groups = new ArrayDeque<>(); // read one after the other
    private final PriorityQueue<KeyCursor> heap;
    private final BinaryRow view;
    private List<KeyCursor> group = List.of();
    private int started; // cursors of the group
    private int first; // cursor of the group that may have rows; without an order
    private @Nullable KeyCursor present;
    private boolean isHeapStale;
    private ReplyBudget.@Nullable Room room;
    private long roomBytes;
    private boolean isBegun; // whether there has been a page
    private boolean isClosed;

    /**
     * @param parts in the order of keys
     * @param direction of the rows; empty: any order
     * @param wantedRows how many rows will be enough, as far as that is known
     */
    KeyRangeRows(
            StorageEngine engine,
            KeyPages pages,
            RowBuilder builder,
            List<KeyRanges.Part> parts,
            Optional<KeyDirection> direction,
            long wantedRows,
            Optional<RowTransaction> transaction,
            Client client) {
        this.engine = engine;
        this.pages = pages;
        this.builder = builder;
        this.isOrdered = direction.isPresent();
        this.direction = direction.orElse(KeyDirection.ASCENDING);
        this.heap =
                new PriorityQueue<>(Comparator.comparing(KeyCursor::key, order(this.direction)));
        this.firstRows = (int) Math.clamp(wantedRows, 1, FIRST_PAGE_ROWS);
        this.transaction = transaction;
        this.client = client;
        this.view = new BinaryRow(builder.layout());
        this.changes =
                transaction.isPresent()
                        ? transaction.get().changes(builder.table())
                        : OwnChanges.NONE;
        if (isOrdered) {
            addGroupsInOrder(isDescending() ? parts.reversed() : parts);
        } else {
            addGroups(parts, wantedRows < FIRST_PAGE_ROWS ? 1 : READS_AT_ONCE);
        }
        this.snapshot =
                transaction.isPresent()
                        ? transaction.get().snapshot()
                        : Snapshots.open(engine, client);
    }

    private static Comparator<byte[]> order(KeyDirection direction) {
        Comparator<byte[]> ascending = Arrays::compareUnsigned;
        return direction == KeyDirection.ASCENDING ? ascending : ascending.reversed();
    }

    private boolean isDescending() {
        return direction == KeyDirection.DESCENDING;
    }

    private void addGroupsInOrder(List<KeyRanges.Part> parts) {
        TreeMap<byte[], byte[]> written = written();
        for (KeyRanges.Part part : parts) {
            List<KeyCursor> cursors = new ArrayList<>();
            part.shards().forEach(shard -> cursors.add(new ShardCursor(shard, part.range())));
            byte[] lower = part.range().lower();
            NavigableMap<byte[], byte[]> within =
                    part.range()
                            .upper()
                            .map(upper -> written.subMap(lower, true, upper, false))
                            .orElseGet(() -> written.tailMap(lower, true));
            if (!within.isEmpty()) {
                cursors.add(new WrittenRows(isDescending() ? within.descendingMap() : within));
            }
            groups.add(cursors);
        }
    }

    private void addGroups(List<KeyRanges.Part> parts, int cursorsAtOnce) {
        List<KeyCursor> cursors = new ArrayList<>();
        for (KeyRanges.Part part : parts) {
            for (int shard : part.shards()) {
                if (cursors.size() == cursorsAtOnce) {
                    groups.add(cursors);
                    cursors = new ArrayList<>();
                }
                cursors.add(new ShardCursor(shard, part.range()));
            }
        }
        if (!cursors.isEmpty()) {
            groups.add(cursors);
        }
        groups.add(List.of(new WrittenRows(written())));
    }

    /** The rows that the transaction has written, by key. */
    private TreeMap<byte[], byte[]> written() {
        TreeMap<byte[], byte[]> written = new TreeMap<>(Arrays::compareUnsigned);
        changes.byKey()
                .forEach((key, row) -> row.ifPresent(found -> written.put(key.bytes(), found)));
        return written;
    }

    @Override
    public boolean next() {
        KeyCursor last = present;
        present = null;
        if (last != null) {
            last.consume();
        }
        KeyCursor next = isOrdered ? first(last) : firstInGroup();
        while (next == null) {
            if (groups.isEmpty()) {
                giveBack();
                return false;
            }
            enter(groups.remove());
            next = isOrdered ? first(null) : firstInGroup();
        }
        present = next;
        view.wrap(next.row());
        return true;
    }

    private void enter(List<KeyCursor> cursors) {
        group = cursors;
        first = 0;
        started = 0;
        isHeapStale = true;
        long shards = cursors.stream().filter(ShardCursor.class::isInstance).count();
        giveBack();
        if (shards > 0) {
            long bytes = Math.clamp(PAGES_BYTES / shards, MIN_PAGE_BYTES, PAGE_BYTES);
            take(bytes * shards);
            for (KeyCursor cursor : cursors) {
                if (cursor instanceof ShardCursor shard) {
                    shard.maxBytes = bytes;
                }
            }
        }
        while (started < Math.min(READS_AT_ONCE, cursors.size())) {
            cursors.get(started++).start();
        }
    }

    private @Nullable KeyCursor firstInGroup() {
        while (first < group.size()) {
            if (group.get(first).isAtRow()) {
                return group.get(first);
            }
            first++;
        }
        return null;
    }

    /**
     * @param consumed the cursor that was taken from the heap
     */
    private @Nullable KeyCursor first(@Nullable KeyCursor consumed) {
        if (consumed != null && consumed.isAtRow() && !isHeapStale) {
            heap.add(consumed);
        }
        if (isHeapStale) {
            heap.clear();
            while (isHeapStale) {
                isHeapStale = false;
                group.forEach(KeyCursor::isAtRow); // one may make the others read again
            }
            group.stream().filter(KeyCursor::isAtRow).forEach(heap::add);
        }
        return heap.poll();
    }

    @Override
    public BinaryRow row() {
        return view;
    }

    @Override
    public void pause() {
        ReplyBudget.Room held = room;
        if (held == null || held.mayStay()) {
            return;
        }
        if (present != null) {
            present.consume();
            present = null;
        }
        group.forEach(KeyCursor::drop);
        isHeapStale = true;
        giveBack();
    }

    private void take(long bytes) {
        client.cancellation().check();
        room = pages.replies().take((int) Math.min(bytes, Integer.MAX_VALUE));
        roomBytes = bytes;
    }

    private void takeAgain() {
        long bytes = 0;
        for (KeyCursor cursor : group) {
            bytes += cursor instanceof ShardCursor shard ? shard.maxBytes : 0;
        }
        take(bytes);
    }

    private void giveBack() {
        ReplyBudget.Room held = room;
        room = null;
        roomBytes = 0;
        if (held != null) {
            held.close();
        }
    }

    /** Makes room for a row; the other cursors may have to read again. */
    private void enlarge(ShardCursor cursor, long neededBytes) {
        if (neededBytes <= cursor.maxBytes) {
            throw new SteleException(
                    ErrorCode.INTERNAL,
                    "Expected a page of the row of %s bytes that it has room for, found none"
                            .formatted(neededBytes));
        }
        long bytes = roomBytes - cursor.maxBytes + neededBytes;
        ReplyBudget.Room held = room;
        if (held != null && held.tryGrow((int) Math.min(bytes, Integer.MAX_VALUE))) {
            roomBytes = bytes;
        } else {
            group.forEach(KeyCursor::drop);
            isHeapStale = true;
            giveBack();
            take(bytes);
        }
        cursor.maxBytes = neededBytes;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        groups.clear();
        group = List.of();
        heap.clear();
        giveBack();
        if (transaction.isEmpty()) {
            engine.closeSnapshot(snapshot.id());
        }
    }

    /** The stored rows of one shard, but for those that the transaction has changed. */
    private final class ShardCursor extends KeyCursor {
        private final int shard;
        private KeyRange left; // of the rows that are not in the page
        private boolean isEnd; // whether there are none
        private long maxBytes;
        private int maxRows = firstRows;
        private List<byte[]> rows = List.of();
        private int at; // row of the page
        private byte @Nullable [] key; // of that row, once it was asked for
        private @Nullable CompletableFuture<KeyRangePage> page; // in flight

        ShardCursor(int shard, KeyRange range) {
            this.shard = shard;
            this.left = range;
        }

        @Override
        boolean isAtRow() {
            while (true) {
                if (at < rows.size()) {
                    if (changes.byKey().isEmpty() || !changes.byKey().containsKey(new Key(key()))) {
                        return true;
                    }
                    consume();
                } else if (isEnd) {
                    return false;
                } else {
                    load();
                }
            }
        }

        @Override
        void start() {
            if (page == null && !isEnd && at == rows.size()) {
                try {
                    page = request();
                } catch (SteleException busy) {
                    if (busy.code() != ErrorCode.BUSY || !isBegun) {
                        throw busy;
                    }
                    // It is requested again when it is needed
                }
            }
        }

        private CompletableFuture<KeyRangePage> request() {
            return pages.start(
                    builder.table(),
                    shard,
                    snapshot.lsn(),
                    left,
                    direction,
                    maxRows,
                    maxBytes,
                    client);
        }

        private void load() {
            if (room == null) {
                takeAgain();
            }
            KeyRangePage found = isBegun ? BusyRetry.call(System::nanoTime, this::read) : read();
            isBegun = true;
            if (found.schemaVersion() != builder.table().schemaVersion()) {
                throw new StalePlanException(builder.table().qualifiedName());
            }
            engine.renewSnapshot(snapshot.id(), Snapshots.LEASE); // clients may be slow
            if (found.neededBytes() > 0) {
                enlarge(this, found.neededBytes());
                return;
            }
            rows = found.rows();
            at = 0;
            key = null;
            isEnd = found.next().isEmpty();
            left = found.next().map(this::from).orElse(left);
            maxRows = Math.min(GROWTH * maxRows, MAX_PAGE_ROWS);
            if (started < group.size()) {
                group.get(started++).start();
            }
        }

        /** The range of the rows from a bound on, in the direction of the pages. */
        private KeyRange from(byte[] bound) {
            return isDescending()
                    ? new KeyRange(left.lower(), Optional.of(bound))
                    : new KeyRange(bound, left.upper());
        }

        private KeyRangePage read() {
            CompletableFuture<KeyRangePage> next = page == null ? request() : page;
            page = null;
            return client.cancellation().await(next);
        }

        @Override
        byte[] row() {
            return rows.get(at);
        }

        @Override
        byte[] key() {
            byte[] known = key;
            if (known == null) {
                known = builder.keyOf(view.wrap(row()));
                key = known;
            }
            return known;
        }

        @Override
        void consume() {
            at++;
            key = null;
        }

        @Override
        void drop() {
            page = null;
            if (at < rows.size()) {
                // The bound is exclusive where keys descend
                left = from(isDescending() ? KeyBytes.successor(key()) : key());
                isEnd = false;
            }
            rows = List.of();
            at = 0;
            key = null;
        }
    }
}
