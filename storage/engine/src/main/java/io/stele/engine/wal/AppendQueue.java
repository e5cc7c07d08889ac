package io.stele.engine.wal;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue of records that wait to be written by the log thread, which also assigns their LSNs and
 * grants holds of shards. Records wait in one queue, except that the records of a held shard wait
 * beside it until the hold is released.
 *
 * <p>Invariant: in the queue, the records of one shard with an LSN come before its records without
 * one, and in LSN order; so LSNs of a shard increase in log order. Invariant: a shard has at most
 * one hold, and a held shard has no record without LSN in the queue. Invariant: records that are
 * written together follow each other in the queue, and are taken at once.
 *
 * <p>Thread-safe: guarded by one lock, which is never held across I/O or foreign code.
 */
final class AppendQueue {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition room = lock.newCondition();

    private final HybridClock clock;
    private final long limitBytes;
    private final Map<ShardId, ShardState> shards = new HashMap<>();
    private final ArrayDeque<PendingRecord> queue = new ArrayDeque<>();
    private final ArrayDeque<HoldRequest> holdRequests = new ArrayDeque<>();
    private final ArrayDeque<PendingRecord> turns = new ArrayDeque<>(); // of callers of add
    private long queuedBytes;
    private long heldBytes;
    private long roomBytes = Long.MAX_VALUE; // on the disk, for records not taken yet
    private boolean isRoomWanted; // since it grew last
    private int assignedRecords; // in the queue: they have an LSN
    private int heldShards;
    private @Nullable Written writing; // the group that is taken and not durable
    private boolean markRequested;
    private @Nullable SteleException ended;
    private boolean failed;

    private static final class ShardState {
        private final ArrayDeque<PendingRecord> waiting = new ArrayDeque<>();
        private long lastAssigned;
        private long lastWritten; // of records that are durable
        private boolean held;
        private @Nullable SteleException abandoned; // why its hold never ends

        private void checkNotAbandoned() {
            if (abandoned != null) {
                throw abandoned;
            }
        }
    }

    /** A request for a hold, which may wait until other holds end. */
    record HoldRequest(Set<ShardId> shards, CompletableFuture<Grant> granted) {}

    /** A granted hold: its LSN and the last LSNs before it. */
    record Grant(Lsn lsn, Map<ShardId, Lsn> previous) {}

    /**
     * The first and last LSN of a group, if all records before it have lower LSNs and all records
     * after it have higher LSNs.
     */
    private record Written(long first, long last) {}

    /** Everything that waited when the queue ended. */
    record Leftovers(List<PendingRecord> records, List<HoldRequest> holds) {
        static final Leftovers NONE = new Leftovers(List.of(), List.of());

        /** Fails the futures of all that waited; called outside of the lock. */
        void fail(SteleException reason) {
            records.forEach(record -> record.future.completeExceptionally(reason));
            holds.forEach(hold -> hold.granted().completeExceptionally(reason));
        }
    }

    /**
     * The load of the queue.
     *
     * @param queuedBytes bytes of all waiting records
     * @param heldBytes bytes of the records that wait for holds
     * @param isRoomWanted whether the disk had no room for a record since its room grew last
     * @param failed whether the log has failed
     */
    record Load(long queuedBytes, long heldBytes, boolean isRoomWanted, boolean failed) {}

    AppendQueue(HybridClock clock, long limitBytes, Map<ShardId, Lsn> lastLsns) {
        this.clock = clock;
        this.limitBytes = limitBytes;
        lastLsns.forEach(
                (shard, lsn) -> {
                    state(shard).lastAssigned = lsn.value();
                    state(shard).lastWritten = lsn.value();
                });
    }

    private ShardState state(ShardId shard) {
        return shards.computeIfAbsent(shard, ignored -> new ShardState());
    }

    /**
     * Adds a record, waiting for room in the queue, not on the disk; callers that wait for the same
     * room get it in turn.
     */
    void add(PendingRecord record) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (isNext(record) && offerLocked(record)) {
                return;
            }
            turns.add(record);
            try {
                while (!isNext(record) || !offerLocked(record)) {
                    room.await();
                }
            } finally {
                turns.remove(record);
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether no other record has waited longer for the room that a record needs. */
    private boolean isNext(PendingRecord record) {
        for (PendingRecord waiting : turns) {
            if (waiting == record) {
                return true;
            }
            if (needSameRoom(waiting, record)) {
                return false;
            }
        }
        return true;
    }

    private boolean needSameRoom(PendingRecord one, PendingRecord other) {
        return state(one.shard).held == state(other.shard).held;
    }

    /**
     * Whether the disk has room for these bytes behind all waiting records; if not, notes that room
     * is wanted.
     */
    boolean hasRoom(long bytes) {
        lock.lock();
        try {
            return hasRoomLocked(bytes);
        } finally {
            lock.unlock();
        }
    }

    private boolean hasRoomLocked(long bytes) {
        boolean hasRoom = bytes <= roomBytes - queuedBytes - heldBytes;
        isRoomWanted |= !hasRoom;
        return hasRoom;
    }

    /** Sets the bytes that the disk has for records that are not taken yet. */
    void setRoom(long newRoomBytes) {
        lock.lock();
        try {
            isRoomWanted &= newRoomBytes <= roomBytes;
            roomBytes = newRoomBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Adds a record if queue and disk have room, and no larger record waits for that room. */
    boolean offerIfRoom(PendingRecord record) {
        lock.lock();
        try {
            checkOpen();
            return hasRoomLocked(record.queueBytes()) && offer(record);
        } finally {
            lock.unlock();
        }
    }

    /** Adds a record if the queue has room, and no larger record waits for that room. */
    boolean offer(PendingRecord record) {
        lock.lock();
        try {
            for (PendingRecord waiting : turns) {
                if (needSameRoom(waiting, record) && waiting.queueBytes() > record.queueBytes()) {
                    return false;
                }
            }
            return offerLocked(record);
        } finally {
            lock.unlock();
        }
    }

    /** Adds a record under any load. */
    void addNow(PendingRecord record) {
        lock.lock();
        try {
            checkOpen();
            ShardState state = state(record.shard);
            state.checkNotAbandoned();
            if (state.held) {
                state.waiting.add(record);
                heldBytes += record.queueBytes();
            } else {
                enqueue(record);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds records of several shards that are written together, under any load.
     *
     * @throws SteleException BUSY when one of the shards is held
     */
    void addTogether(List<PendingRecord> records) {
        lock.lock();
        try {
            checkOpen();
            for (PendingRecord record : records) {
                ShardState state = state(record.shard);
                state.checkNotAbandoned();
                if (state.held) {
                    throw new SteleException(
                            ErrorCode.BUSY,
                            "Expected the log of shard %s to be free, found it held"
                                    .formatted(record.shard));
                }
            }
            records.forEach(this::enqueue);
        } finally {
            lock.unlock();
        }
    }

    private boolean offerLocked(PendingRecord record) {
        checkOpen();
        ShardState state = state(record.shard);
        state.checkNotAbandoned();
        int bytes = record.queueBytes();
        if (state.held) {
            if (heldBytes > 0 && heldBytes + bytes > limitBytes) {
                return false;
            }
            state.waiting.add(record);
            heldBytes += bytes;
            return true;
        }
        if (queuedBytes > 0 && queuedBytes + bytes > limitBytes) {
            return false;
        }
        enqueue(record);
        return true;
    }

    private void enqueue(PendingRecord record) {
        queue.add(record);
        assignedRecords += record.assigned() ? 1 : 0;
        queuedBytes += record.queueBytes();
        work.signal();
    }

    private void checkOpen() {
        if (ended != null) {
            throw ended;
        }
    }

    /** Assigns an LSN to a record and to the records that are written together with it. */
    private void assign(PendingRecord record) {
        Lsn lsn = clock.next();
        for (PendingRecord one : together(record)) {
            assignedRecords++;
            one.assign(lsn.value());
            state(one.shard).lastAssigned = lsn.value();
        }
    }

    private static List<PendingRecord> together(PendingRecord record) {
        return record.together().isEmpty() ? List.of(record) : record.together();
    }

    /**
     * Requests a hold; the future completes at once if the shards are free and no request waits for
     * them.
     */
    void requestHold(HoldRequest request) {
        List<Runnable> grants;
        lock.lock();
        try {
            checkOpen();
            request.shards().forEach(shard -> state(shard).checkNotAbandoned());
            holdRequests.add(request);
            grants = grantHolds();
        } finally {
            lock.unlock();
        }
        grants.forEach(Runnable::run);
    }

    /**
     * Grants waiting requests in their order. A request that must wait claims its shards, so later
     * requests for these shards wait too.
     */
    private List<Runnable> grantHolds() {
        List<Runnable> grants = new ArrayList<>();
        Set<ShardId> claimed = new HashSet<>();
        for (var requests = holdRequests.iterator(); requests.hasNext(); ) {
            HoldRequest request = requests.next();
            boolean free = true;
            for (ShardId shard : request.shards()) {
                free &= !state(shard).held && !claimed.contains(shard);
            }
            if (free) {
                requests.remove();
                Grant grant = grant(request.shards());
                grants.add(() -> request.granted().complete(grant));
            } else {
                claimed.addAll(request.shards());
            }
        }
        return grants;
    }

    private Grant grant(Set<ShardId> held) {
        // Records queued before the hold stay before it. Records that are written together have one
        // LSN also in shards that are not held, where other records may come before them.
        boolean all = false;
        for (PendingRecord record : queue) {
            all |= held.contains(record.shard) && !record.together().isEmpty();
        }
        for (PendingRecord record : queue) {
            if (!record.assigned() && (all || held.contains(record.shard))) {
                assign(record);
            }
        }
        Map<ShardId, Lsn> previous = lastAssignedLocked(held);
        Lsn lsn = clock.next();
        hold(held, lsn);
        return new Grant(lsn, previous);
    }

    private void hold(Set<ShardId> held, Lsn lsn) {
        heldShards += held.size();
        for (ShardId shard : held) {
            ShardState state = state(shard);
            state.held = true;
            state.lastAssigned = lsn.value();
        }
    }

    /**
     * Holds shards at a given LSN, which must be above all their LSNs. Records that wait without an
     * LSN are queued behind the hold.
     */
    Grant holdAt(Lsn lsn, Set<ShardId> held) {
        lock.lock();
        try {
            checkOpen();
            for (ShardId shard : held) {
                checkBelow(shard, lsn);
            }
            Map<ShardId, Lsn> previous = lastAssignedLocked(held);
            clock.observe(lsn);
            hold(held, lsn);
            holdBack(held);
            return new Grant(lsn, previous);
        } finally {
            lock.unlock();
        }
    }

    private void checkBelow(ShardId shard, Lsn lsn) {
        ShardState state = state(shard);
        if (state.held || state.lastAssigned >= lsn.value()) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "Expected shard %s without a hold and below LSN %s, found %s and last LSN %d",
                            shard,
                            lsn,
                            state.held ? "a hold" : "none",
                            state.lastAssigned));
        }
    }

    private void holdBack(Set<ShardId> held) {
        for (Iterator<PendingRecord> records = queue.iterator(); records.hasNext(); ) {
            PendingRecord record = records.next();
            if (!record.assigned() && held.contains(record.shard)) {
                records.remove();
                queuedBytes -= record.queueBytes();
                state(record.shard).waiting.add(record);
                heldBytes += record.queueBytes();
            }
        }
    }

    /** Adds the record of a hold under any load. */
    void addHeld(PendingRecord record, Lsn lsn) {
        lock.lock();
        try {
            checkOpen();
            record.assign(lsn.value());
            enqueue(record);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a hold: {@code voids} are added at its LSN, and the waiting records are released; does
     * nothing if the log has ended.
     */
    void release(Set<ShardId> held, Lsn lsn, List<PendingRecord> voids) {
        List<Runnable> grants;
        lock.lock();
        try {
            if (ended != null) {
                return;
            }
            for (PendingRecord record : voids) {
                record.assign(lsn.value());
                enqueue(record);
            }
            heldShards -= held.size();
            for (ShardId shard : held) {
                ShardState state = state(shard);
                state.held = false;
                while (!state.waiting.isEmpty()) {
                    PendingRecord record = state.waiting.remove();
                    heldBytes -= record.queueBytes();
                    enqueue(record);
                }
            }
            room.signalAll();
            grants = grantHolds();
        } finally {
            lock.unlock();
        }
        grants.forEach(Runnable::run);
    }

    /**
     * Makes a hold permanent: its shards accept no more records, and their waiting records and
     * requests are returned. Records of other shards continue.
     */
    Leftovers abandon(Set<ShardId> held, SteleException reason) {
        List<Runnable> grants;
        List<PendingRecord> records = new ArrayList<>();
        List<HoldRequest> holds = new ArrayList<>();
        lock.lock();
        try {
            if (ended != null) {
                return Leftovers.NONE;
            }
            for (ShardId shard : held) {
                ShardState state = state(shard);
                state.abandoned = reason;
                for (PendingRecord record : state.waiting) {
                    heldBytes -= record.queueBytes();
                    records.add(record);
                }
                state.waiting.clear();
            }
            holdRequests.removeIf(
                    request -> !Collections.disjoint(request.shards(), held) && holds.add(request));
            room.signalAll();
            grants = grantHolds();
        } finally {
            lock.unlock();
        }
        grants.forEach(Runnable::run);
        return new Leftovers(records, holds);
    }

    /** An LSN above all assigned so far, and the last LSN of each shard. */
    SnapshotLsn snapshotLsn(Collection<ShardId> of) {
        lock.lock();
        try {
            return new SnapshotLsn(clock.next(), lastAssignedLocked(of));
        } finally {
            lock.unlock();
        }
    }

    /**
     * An LSN for readers, with every durable record at or below it, and the last LSN of each shard
     * at or below it. While a group is being written it is the LSN before the group, so readers do
     * not wait for the group. It is at or above all LSNs that the clock gave to other callers.
     */
    SnapshotLsn readLsn(Collection<ShardId> of) {
        lock.lock();
        try {
            Written group = writing;
            if (group == null
                    || assignedRecords > 0
                    || heldShards > 0
                    || clock.last().value() > group.last()) {
                return snapshotLsn(of);
            }
            Map<ShardId, Lsn> before = new HashMap<>();
            for (ShardId shard : of) {
                ShardState state = state(shard);
                before.put(
                        shard,
                        new Lsn(
                                state.lastAssigned < group.first()
                                        ? state.lastAssigned
                                        : state.lastWritten));
            }
            return new SnapshotLsn(new Lsn(group.first() - 1), before);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the group taken last is durable. */
    void written(List<PendingRecord> group) {
        lock.lock();
        try {
            for (PendingRecord record : group) {
                state(record.shard).lastWritten = record.lsn();
            }
            writing = null;
        } finally {
            lock.unlock();
        }
    }

    Lsn lastAssigned(ShardId shard) {
        lock.lock();
        try {
            return new Lsn(state(shard).lastAssigned);
        } finally {
            lock.unlock();
        }
    }

    private Map<ShardId, Lsn> lastAssignedLocked(Collection<ShardId> of) {
        Map<ShardId, Lsn> result = new HashMap<>();
        for (ShardId shard : of) {
            result.put(shard, new Lsn(state(shard).lastAssigned));
        }
        return result;
    }

    /** Requests a group even if no record waits. */
    void requestMark() {
        lock.lock();
        try {
            checkOpen();
            markRequested = true;
            work.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for something to write; {@code false} when the queue has ended and nothing is left. */
    boolean awaitWork() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && !markRequested && ended == null) {
                work.await();
            }
            return !queue.isEmpty() || markRequested;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a whole group waits or the queue has ended, but at most {@code maxNanos}. */
    void awaitFull(int groupBytes, long maxNanos) throws InterruptedException {
        if (maxNanos == 0) {
            return;
        }
        await(() -> queuedBytes >= groupBytes, maxNanos);
    }

    /**
     * Waits this long, or until the queue has ended.
     *
     * @return false if the queue has ended
     */
    boolean awaitEnd(long maxNanos) throws InterruptedException {
        return await(() -> false, maxNanos);
    }

    /**
     * As {@link #awaitEnd}, but also until a condition holds, which is checked whenever work comes.
     */
    private boolean await(BooleanSupplier isDone, long maxNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanosLeft = maxNanos;
            while (nanosLeft > 0 && ended == null && !isDone.getAsBoolean()) {
                nanosLeft = work.awaitNanos(nanosLeft);
            }
            return ended == null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the next group and assigns LSNs to its records; empty if no record waits, or none has
     * room on the disk. The group of a requested mark may have no records.
     *
     * @param newRoomBytes bytes that the disk has for records
     * @param urgentBytes bytes that the disk has for urgent records, which pass records without
     *     room
     */
    Optional<List<PendingRecord>> take(int groupBytes, long newRoomBytes, long urgentBytes) {
        lock.lock();
        try {
            // Nobody else takes an LSN between those of a group: see readLsn
            synchronized (clock) {
                long before = clock.last().value();
                Optional<List<PendingRecord>> group =
                        takeLocked(groupBytes, newRoomBytes, urgentBytes);
                group.ifPresent(records -> writing = lsns(records, before));
                return group;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The first and last LSN of a group, if all are above the LSNs assigned before. */
    private static @Nullable Written lsns(List<PendingRecord> group, long before) {
        long first = Long.MAX_VALUE;
        long last = 0;
        for (PendingRecord record : group) {
            first = Math.min(first, record.lsn());
            last = Math.max(last, record.lsn());
        }
        return first > before && last > 0 ? new Written(first, last) : null;
    }

    private Optional<List<PendingRecord>> takeLocked(
            int groupBytes, long newRoomBytes, long urgentBytes) {
        setRoom(newRoomBytes);
        PendingRecord first = queue.peek();
        if (first != null && togetherBytes(first) > roomBytes) {
            isRoomWanted = true;
            return takeUrgent(groupBytes, urgentBytes);
        }
        if (!markRequested && first == null) {
            return Optional.empty();
        }
        markRequested = false;
        List<PendingRecord> group = new ArrayList<>(Math.min(queue.size(), 1024));
        long bytes = 0;
        while (!queue.isEmpty() && bytes < groupBytes) {
            long next = togetherBytes(queue.element());
            if (bytes + next > roomBytes) {
                break;
            }
            bytes += next;
            for (int left = together(queue.element()).size(); left > 0; left--) {
                group.add(taken(queue.remove()));
            }
        }
        if (roomBytes != Long.MAX_VALUE) {
            roomBytes -= bytes; // until the next setRoom
        }
        room.signalAll();
        return Optional.of(group);
    }

    /**
     * Takes the urgent records with no record of their shard before them. Records that wait for
     * room may depend on them: the log cannot be trimmed while a transaction is open.
     */
    private Optional<List<PendingRecord>> takeUrgent(int groupBytes, long urgentBytes) {
        List<PendingRecord> group = new ArrayList<>();
        Set<ShardId> passed = new HashSet<>();
        long bytes = 0;
        for (Iterator<PendingRecord> records = queue.iterator();
                records.hasNext() && bytes < groupBytes; ) {
            PendingRecord record = records.next();
            boolean fits = bytes + writtenBytes(record) <= urgentBytes;
            if (record.isUrgent && fits && !passed.contains(record.shard)) {
                records.remove();
                bytes += writtenBytes(record);
                group.add(taken(record));
            } else {
                passed.add(record.shard);
            }
        }
        if (group.isEmpty() && !markRequested) {
            return Optional.empty();
        }
        markRequested = false;
        return Optional.of(group);
    }

    private PendingRecord taken(PendingRecord record) {
        queuedBytes -= record.queueBytes();
        if (!record.assigned()) {
            assign(record);
        }
        assignedRecords--;
        return record;
    }

    private static long togetherBytes(PendingRecord record) {
        return together(record).stream().mapToLong(AppendQueue::writtenBytes).sum();
    }

    private static long writtenBytes(PendingRecord record) {
        return (long) record.length + WalFormat.RECORD_HEADER_BYTES;
    }

    /**
     * Accepts no more records. Records in the queue stay for {@link #take}; returns the records and
     * requests that wait for holds, which will not be released any more.
     */
    Leftovers close(SteleException reason) {
        lock.lock();
        try {
            if (ended != null) {
                return Leftovers.NONE;
            }
            ended = reason;
            return wakeAll(new ArrayList<>());
        } finally {
            lock.unlock();
        }
    }

    /** Accepts no more records, and returns everything that waits. */
    Leftovers fail(SteleException reason) {
        return end(reason, true);
    }

    /** As {@link #close}, and returns the records in the queue too. */
    Leftovers abort(SteleException reason) {
        return end(reason, false);
    }

    private Leftovers end(SteleException reason, boolean isFailed) {
        lock.lock();
        try {
            if (ended == null || isFailed) {
                ended = reason;
            }
            failed |= isFailed;
            List<PendingRecord> records = new ArrayList<>(queue);
            queue.clear();
            assignedRecords = 0;
            queuedBytes = 0;
            markRequested = false;
            return wakeAll(records);
        } finally {
            lock.unlock();
        }
    }

    private Leftovers wakeAll(List<PendingRecord> records) {
        for (ShardState state : shards.values()) {
            records.addAll(state.waiting);
            state.waiting.clear();
        }
        heldBytes = 0;
        List<HoldRequest> holds = List.copyOf(holdRequests);
        holdRequests.clear();
        work.signalAll();
        room.signalAll();
        return new Leftovers(records, holds);
    }

    Load load() {
        lock.lock();
        try {
            return new Load(queuedBytes + heldBytes, heldBytes, isRoomWanted, failed);
        } finally {
            lock.unlock();
        }
    }
}
