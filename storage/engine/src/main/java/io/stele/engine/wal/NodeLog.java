package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead log of a node, shared by all its shards. Records wait in a bounded queue; one log
 * thread takes everything that waits as one group, gives the records their LSNs, writes and syncs
 * the group, notifies the listener, completes the futures, and continues.
 *
 * <p>Invariant: LSNs of one shard increase in log order. Invariant: a future completes normally,
 * and the listener is notified of a record, only after the record is durable. Invariant: after a
 * failed write or sync nothing is acknowledged any more; the next recovery finds the outcome of the
 * failed group.
 *
 * <p>While the disk has no space for the next record, records wait; a write that finds the disk
 * full would end the log. {@link #tryAppend} accepts no record without space, and callers of {@link
 * #append} call {@link #hasRoom} first, so that few records wait here. The space that {@link
 * LogOptions#reservedBytes} keeps free is for writes that make room: the marks that {@link #trim}
 * needs, and records that end transactions, which pass waiting records.
 *
 * <p>Futures complete on the log thread, after the listener, so their callbacks must be quick or
 * run elsewhere. The log thread must not be interrupted: an interrupt closes its file and fails the
 * log.
 *
 * <p>Safe for use by many threads.
 */
public final class NodeLog implements AutoCloseable {
    /** The bytes of a group without records, and of the header of a segment that it may begin. */
    private static final long MARK_BYTES = 16 << 10;

    /** Other users of the disk make room without a notice. */
    private static final long SPACE_POLL_NANOS = 50_000_000;

    /** Requests in flight where each segment is an object: creation must not outrun deletion. */
    private static final int DELETED_AT_ONCE = 16;

    private final LogFiles files;
    private final LogOptions options;
    private final LogListener listener;
    private final SegmentLedger ledger;
    private final AppendQueue queue;
    private final boolean threaded;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    /** Held by the thread that commits; without a log thread that can be any caller. */
    private final Object commitLock = new Object();

    private final SegmentedWriter writer;

    private final Object trimLock = new Object();
    private final AtomicLong releaseBefore = new AtomicLong();
    private final ConcurrentLinkedQueue<CompletableFuture<Void>> marks =
            new ConcurrentLinkedQueue<>();

    private volatile long activeSegment;
    private volatile LogMark durable;
    private volatile boolean endsSegment; // with the next mark
    private final AtomicLong groups = new AtomicLong();
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    private NodeLog(RecoveredLog recovered, LogListener listener, boolean threaded) {
        this.listener = requireNonNull(listener, "listener is null");
        this.threaded = threaded;
        files = recovered.files();
        options = recovered.options();
        ledger = recovered.ledger();
        queue = new AppendQueue(recovered.clock(), options.queueBytes(), recovered.lastLsns());
        writer = recovered.continueWriting();
        queue.setRoom(roomBytes(usableBytes()));
        activeSegment = writer.activeSegment();
        durable = writer.durable();
    }

    /** Continues a log with a log thread of its own. */
    public static NodeLog start(
            RecoveredLog recovered, LogListener listener, ThreadFactory threads) {
        NodeLog log = new NodeLog(recovered, listener, true);
        threads.newThread(log::run).start();
        return log;
    }

    /**
     * Continues a log without a thread: the caller drives it by {@link #commitWaiting}, as
     * simulations do.
     */
    public static NodeLog unthreaded(RecoveredLog recovered, LogListener listener) {
        return new NodeLog(recovered, listener, false);
    }

    /**
     * Appends a record; blocks while the queue is full (without a log thread it commits a group
     * instead). The payload must not change until the future completes. The future fails with
     * {@code STORE_FAILED} if the log has failed (the record may or may not exist after the next
     * recovery), with {@code UNAVAILABLE} if the log is closed or the caller is interrupted while
     * it waits (the record does not exist), and with {@code BUSY} if only held records, or records
     * for which the disk has no space, fill the queue of a log without thread.
     *
     * @param payload pieces that together form the record; their positions do not move
     * @param attachment handed to the listener with the durable record, never written
     * @throws IllegalArgumentException if the payload is larger than the options allow
     */
    public CompletableFuture<LogPosition> append(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        PendingRecord record = PendingRecord.create(shard, type, payload, attachment, options);
        try {
            if (threaded) {
                queue.add(record);
            } else {
                addCommitting(record);
            }
        } catch (SteleException e) {
            record.future.completeExceptionally(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            record.future.completeExceptionally(
                    new SteleException(
                            ErrorCode.UNAVAILABLE,
                            "Interrupted while waiting for room in the log",
                            e));
        }
        return record.future;
    }

    /**
     * As {@link #append}, but never waits and writes nothing itself: empty if the queue, or the
     * disk, has no room for the record, which is then not appended.
     */
    public Optional<CompletableFuture<LogPosition>> tryAppend(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        PendingRecord record = PendingRecord.create(shard, type, payload, attachment, options);
        try {
            if (!queue.offerIfRoom(record)) {
                return Optional.empty();
            }
        } catch (SteleException e) {
            record.future.completeExceptionally(e);
        }
        return Optional.of(record.future);
    }

    /**
     * As {@link #append}, but it never waits, under any load, and passes records of other shards
     * for which the disk has no space. It is for few, small records that end an operation for which
     * other callers wait.
     */
    public CompletableFuture<LogPosition> appendNow(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        PendingRecord record =
                PendingRecord.createUrgent(shard, type, payload, attachment, options);
        try {
            queue.addNow(record);
        } catch (SteleException e) {
            record.future.completeExceptionally(e);
        }
        return record.future;
    }

    /**
     * Appends records of different shards as one: they get one LSN, and either all of them are
     * durable or none is, whatever fails. Never waits; the caller calls {@link #hasRoom} first. The
     * future completes when they are durable, or fails as the future of {@link #append} does.
     *
     * @param records one of each shard, few and small: a group takes all of them
     * @throws SteleException when nothing is appended: {@code BUSY} if one of the shards is held,
     *     else the log is closed or has failed
     * @throws IllegalArgumentException if a payload is larger than the options allow, or two
     *     records are of one shard
     */
    public CompletableFuture<Lsn> appendTogether(List<Entry> records) {
        long shards = records.stream().map(Entry::shard).distinct().count();
        if (records.isEmpty() || shards < records.size()) {
            throw new IllegalArgumentException(
                    "Expected records of different shards, found %d of %d"
                            .formatted(records.size(), shards));
        }
        List<PendingRecord> pending = new ArrayList<>(records.size());
        for (Entry record : records) {
            pending.add(
                    PendingRecord.create(
                            record.shard(),
                            record.type(),
                            record.payload(),
                            record.attachment(),
                            options));
        }
        PendingRecord.join(pending);
        queue.addTogether(pending);
        return pending.getLast().future.thenApply(LogPosition::lsn);
    }

    /**
     * Whether the disk has space for that many bytes behind all waiting records. If not, {@link
     * #space} reports from then on that it is full.
     */
    public boolean hasRoom(long bytes) {
        return queue.hasRoom(bytes);
    }

    /** The largest payload of a record in bytes, except for records of holds. */
    public int recordBytes() {
        return options.recordBytes();
    }

    private void addCommitting(PendingRecord record) {
        while (!queue.offer(record)) {
            if (!commit()) {
                throw new SteleException(
                        ErrorCode.BUSY,
                        String.format(
                                Locale.ROOT,
                                "Expected room for %d bytes in the log, found %d bytes waiting for holds and %d bytes usable on its disk",
                                record.length,
                                queue.load().heldBytes(),
                                usableBytes()));
            }
        }
    }

    /**
     * Waits until no other hold has any of these shards, then holds them all at once and assigns
     * the LSN of the hold.
     */
    public CompletableFuture<LogHold> hold(Collection<ShardId> shards) {
        CompletableFuture<AppendQueue.Grant> granted = new CompletableFuture<>();
        try {
            queue.requestHold(new AppendQueue.HoldRequest(nonEmpty(shards), granted));
        } catch (SteleException e) {
            granted.completeExceptionally(e);
        }
        return granted.thenApply(grant -> new GrantedHold(queue, grant));
    }

    /**
     * Holds shards whose transaction was decided at {@code lsn} before a restart that came between
     * its decision and its outcome records. Records that wait without an LSN are queued behind the
     * hold. Call it in LSN order, before any other record gets an LSN.
     *
     * @throws IllegalArgumentException if one of the shards has an LSN at or above {@code lsn}, or
     *     a hold
     */
    public LogHold resume(Lsn lsn, Collection<ShardId> shards) {
        return new GrantedHold(queue, queue.holdAt(lsn, nonEmpty(shards)));
    }

    private static Set<ShardId> nonEmpty(Collection<ShardId> shards) {
        if (shards.isEmpty()) {
            throw new IllegalArgumentException("Expected at least one shard to hold, found none");
        }
        return Set.copyOf(shards);
    }

    /**
     * Takes an LSN above all that were assigned so far, and returns it with the last LSN of each of
     * these shards.
     */
    public SnapshotLsn snapshotLsn(Collection<ShardId> shards) {
        return queue.snapshotLsn(shards);
    }

    /**
     * Returns an LSN for a reader, at or above the LSNs of all acknowledged records, and the last
     * LSN of each of these shards at or below it. Other readers may get the same LSN. While a group
     * is being written, all records at or below it are durable unless a hold is open.
     */
    public SnapshotLsn readLsn(Collection<ShardId> shards) {
        return queue.readLsn(shards);
    }

    /** The last LSN assigned in this shard, durable or not; {@code Lsn.MIN} if there is none. */
    public Lsn lastAssigned(ShardId shard) {
        return queue.lastAssigned(shard);
    }

    /**
     * Deletes the oldest segments, up to the first with a record above its shard's LSN in {@code
     * flushed}; shards that are not in the map need all their records. Blocks. Returns the number
     * of deleted segments.
     *
     * @param kept receives, before they are deleted, the records that it wants
     * @throws SteleException if the log has failed or is closed
     */
    public int trim(Map<ShardId, Lsn> flushed, ReleasedRecords kept) throws IOException {
        synchronized (trimLock) {
            if (usableBytes() < MARK_BYTES) {
                return 0; // the mark would have no room
            }
            if (space().isShort() && ledger.isFlushed(activeSegment, flushed)) {
                // Small disks hold few segments: the one being written may be most of the log.
                endsSegment = true;
                writeMark(releaseBefore.get());
            }
            long lowest = ledger.lowestNeeded(flushed, activeSegment);
            List<Long> released = ledger.below(lowest);
            if (released.isEmpty()) {
                return 0;
            }
            // The log must record that they may be missing before they are.
            writeMark(lowest);
            for (long segment : released) {
                if (ledger.isWanted(segment, kept)) {
                    give(segment, kept);
                }
            }
            kept.finish();
            delete(released);
            return released.size();
        }
    }

    private void delete(List<Long> released) throws IOException {
        int atOnce = files.isSegmentPerGroup() ? DELETED_AT_ONCE : 1;
        for (int from = 0; from < released.size(); from += atOnce) {
            List<Long> next = released.subList(from, Math.min(from + atOnce, released.size()));
            files.delete(next);
            next.forEach(ledger::remove);
        }
    }

    private void give(long segment, ReleasedRecords to) throws IOException {
        try (LogFiles.Reader reader = files.open(segment)) {
            SegmentScanner scanner =
                    new SegmentScanner(
                            reader, files.describe(segment), segment, false, 1, files.encryption());
            SegmentLedger own = new SegmentLedger();
            own.begin(segment);
            scanner.scan(
                    scanner.readHeader().orElseThrow(),
                    own,
                    (shard, lsn, type, payload) -> {
                        try {
                            to.take(shard, lsn, type, payload);
                        } catch (IOException failed) {
                            throw new UncheckedIOException(failed);
                        }
                    });
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private void writeMark(long lowest) {
        releaseBefore.set(lowest);
        CompletableFuture<Void> mark = new CompletableFuture<>();
        marks.add(mark);
        queue.requestMark();
        while (!threaded && !mark.isDone()) {
            if (!commit() && marks.remove(mark)) {
                throw new SteleException(
                        ErrorCode.BUSY,
                        "Expected %d bytes usable on the disk of the log, found %d"
                                .formatted(MARK_BYTES, usableBytes()));
            }
        }
        try {
            mark.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof SteleException failure) {
                throw failure;
            }
            throw e;
        }
    }

    /** The space that the log uses, and has left. */
    public LogSpace space() {
        return status().space();
    }

    private long roomBytes(long usableBytes) {
        return usableBytes == Long.MAX_VALUE ? usableBytes : usableBytes - options.reservedBytes();
    }

    private long usableBytes() {
        try {
            return Math.max(0, files.usableBytes());
        } catch (IOException unknown) {
            return Long.MAX_VALUE; // the next write shows what is wrong
        }
    }

    /**
     * A record that is to be appended together with others.
     *
     * @param payload pieces that together form the record; their positions do not move
     * @param attachment handed to the listener with the durable record, never written
     */
    public record Entry(
            ShardId shard, RecordType type, List<ByteBuffer> payload, @Nullable Object attachment) {
        public Entry {
            requireNonNull(shard, "shard is null");
            requireNonNull(type, "type is null");
            payload = List.copyOf(payload);
        }

        /** Bytes of the payload. */
        public long sizeBytes() {
            return payload.stream().mapToLong(ByteBuffer::remaining).sum();
        }
    }

    /** The last group that is durable. */
    public LogMark durable() {
        return durable;
    }

    /** The present state. */
    public LogStatus status() {
        long roomBytes = roomBytes(usableBytes());
        queue.setRoom(roomBytes);
        AppendQueue.Load load = queue.load();
        long waitingBytes = roomBytes == Long.MAX_VALUE ? 0 : load.queuedBytes();
        SegmentLedger.Summary segments = ledger.summary();
        return new LogStatus(
                load.failed(),
                load.queuedBytes(),
                load.heldBytes(),
                groups.get(),
                records.get(),
                bytes.get(),
                segments.first(),
                segments.last(),
                new LogSpace(
                        segments.sizeBytes(),
                        Math.max(0, roomBytes - waitingBytes),
                        load.isRoomWanted()),
                segments.firstShards());
    }

    /**
     * Commits one group in this thread if anything waits that is not held; only without a log
     * thread.
     */
    public boolean commitWaiting() {
        if (threaded) {
            throw new IllegalStateException(
                    "Expected a log without thread, found one that commits by itself");
        }
        return commit();
    }

    private void run() {
        try {
            while (queue.awaitWork()) {
                if (commit()) {
                    queue.awaitFull(options.groupBytes(), options.pause().toNanos());
                } else if (!queue.awaitEnd(SPACE_POLL_NANOS)) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            fail(List.of(), e);
        } finally {
            stop();
        }
    }

    /** Whether there was something to write, and space for it. */
    private boolean commit() {
        synchronized (commitLock) {
            long usableBytes = usableBytes();
            Optional<List<PendingRecord>> group =
                    usableBytes < MARK_BYTES
                            ? Optional.empty()
                            : queue.take(
                                    options.groupBytes(),
                                    roomBytes(usableBytes),
                                    usableBytes - MARK_BYTES);
            if (group.isEmpty()) {
                return false;
            }
            List<CompletableFuture<Void>> written = takeMarks();
            if (group.get().isEmpty() && written.isEmpty()) {
                return true;
            }
            try {
                write(group.get());
                written.forEach(mark -> mark.complete(null));
            } catch (Throwable e) {
                fail(group.get(), e);
                SteleException failure = failure(e);
                written.forEach(mark -> mark.completeExceptionally(failure));
            }
            return true;
        }
    }

    private List<CompletableFuture<Void>> takeMarks() {
        List<CompletableFuture<Void>> taken = new ArrayList<>();
        for (CompletableFuture<Void> mark = marks.poll(); mark != null; mark = marks.poll()) {
            taken.add(mark);
        }
        return taken;
    }

    private void write(List<PendingRecord> group) throws IOException {
        if (endsSegment) {
            endsSegment = false;
            writer.endSegment();
        }
        writer.releaseBefore(releaseBefore.get());
        SegmentedWriter.Written written = writer.write(group);
        activeSegment = written.segment();
        durable = writer.durable();
        groups.incrementAndGet();
        records.addAndGet(group.size());
        bytes.addAndGet(written.sizeBytes());
        queue.written(group); // before anybody hears of it
        notifyListener(group);
        for (PendingRecord record : group) {
            record.future.complete(
                    new LogPosition(new Lsn(record.lsn()), written.segment(), written.offset()));
        }
    }

    private void notifyListener(List<PendingRecord> group) {
        Map<ShardId, List<DurableRecord>> byShard = new LinkedHashMap<>();
        for (PendingRecord record : group) {
            byShard.computeIfAbsent(record.shard, ignored -> new ArrayList<>())
                    .add(
                            new DurableRecord(
                                    record.shard,
                                    new Lsn(record.lsn()),
                                    record.type,
                                    record.attachment));
        }
        byShard.forEach(listener::onDurable);
    }

    private SteleException failure(Throwable cause) {
        return new SteleException(
                ErrorCode.STORE_FAILED,
                String.format(
                        Locale.ROOT,
                        "The write-ahead log failed for good while writing %s: %s. Restart to recover what is durable",
                        writer.describe(),
                        cause),
                cause);
    }

    private void fail(List<PendingRecord> group, Throwable cause) {
        SteleException failure = failure(cause);
        AppendQueue.Leftovers leftovers = queue.fail(failure);
        listener.onFailure(failure);
        group.forEach(record -> record.future.completeExceptionally(failure));
        leftovers.fail(failure);
        takeMarks().forEach(mark -> mark.completeExceptionally(failure));
    }

    /**
     * Writes the waiting records, except those of held shards, and stops. Records of held shards,
     * and records for which the disk has no space, fail with {@code UNAVAILABLE}.
     */
    @Override
    public void close() {
        SteleException reason =
                new SteleException(ErrorCode.UNAVAILABLE, "The write-ahead log is closed");
        queue.close(reason).fail(reason);
        if (!threaded) {
            while (commit()) {
                // until nothing waits
            }
            stop();
        }
        stopped.join();
    }

    private void stop() {
        giveUpWaiting();
        try {
            writer.close();
            stopped.complete(null);
        } catch (IOException e) {
            // Every group was synced before it was acknowledged: nothing can be lost by a failed
            // close.
            stopped.complete(null);
        }
    }

    /** Fails the records that had no space when the log was closed. */
    private void giveUpWaiting() {
        SteleException reason =
                new SteleException(
                        ErrorCode.UNAVAILABLE,
                        "The write-ahead log was closed while the record waited for space on its disk");
        queue.abort(reason).fail(reason);
        takeMarks().forEach(mark -> mark.completeExceptionally(reason));
    }
}
