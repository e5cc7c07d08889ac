package io.stele.client;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A batcher of key lookups of many threads in one table at one sidecar. Keys requested while
 * earlier lookups are unanswered are sent together as one MULTI_GET. It never delays a lookup to
 * collect more keys. Guarded by its own lock.
 */
final class LookupBatcher implements RequestBatcher {
    // 256 keys: the cost of a request for each key is negligible then.
    private static final int MAX_KEYS = 256;
    // 2: while the sidecar processes one request, the next is in flight.
    private static final int MAX_UNANSWERED = 2;
    // 10: with pauses that double from 2 ms, two seconds of a busy sidecar.
    private static final int MAX_REFUSALS = 10;
    private static final long MIN_PAUSE_MILLIS = 2;
    private static final long MAX_PAUSE_MILLIS = 10_000;

    /**
     * A requested key and the future of its row.
     *
     * @param refusals how often the sidecar refused it as BUSY
     */
    record Lookup(byte[] key, CompletableFuture<Found> result, int refusals) {
        Lookup(byte[] key, CompletableFuture<Found> result) {
            this(key, result, 0);
        }
    }

    /** A row, if there is one, and the schema version of its layout. */
    record Found(int schemaVersion, Optional<byte[]> row) {}

    private final Connection connection;
    private final TableId tableId;
    private final int schemaVersion;
    private final Optional<Lsn> readLsn;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Lookup> waiting = new ArrayDeque<>();
    private int unanswered;
    private boolean scheduled;
    private long pauseNanos; // begins when the sender checks next
    private long resumeAtNanos; // by the sender's clock
    private boolean paused;

    LookupBatcher(
            Connection connection, TableId tableId, int schemaVersion, Optional<Lsn> readLsn) {
        this.connection = connection;
        this.tableId = tableId;
        this.schemaVersion = schemaVersion;
        this.readLsn = readLsn;
    }

    /** Requests keys; the connection's reader thread completes the futures. */
    void add(List<Lookup> lookups) {
        boolean isFirst;
        lock.lock();
        try {
            waiting.addAll(lookups);
            isFirst = !scheduled;
            scheduled = true;
        } finally {
            lock.unlock();
        }
        if (isFirst) {
            connection.scheduleAndSend(this);
        }
    }

    @Override
    public @Nullable Request poll(long nowNanos) {
        List<Lookup> batch = new ArrayList<>();
        lock.lock();
        try {
            if (waiting.isEmpty() || unanswered >= MAX_UNANSWERED || pausedNanos(nowNanos) > 0) {
                return null;
            }
            while (!waiting.isEmpty() && batch.size() < MAX_KEYS) {
                batch.add(waiting.remove());
            }
            unanswered++;
        } finally {
            lock.unlock();
        }
        List<byte[]> keys = batch.stream().map(Lookup::key).toList();
        CallRequest request =
                new CallRequest(
                        FrameType.MULTI_GET,
                        FrameType.MULTI_GET_REPLY,
                        new MultiGet(tableId, schemaVersion, readLsn, keys).encode());
        request.reply().whenComplete((frame, failure) -> answered(batch, frame, failure));
        return request;
    }

    @Override
    public long waitNanos(long nowNanos) {
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                scheduled = false;
                return EMPTY;
            }
            return unanswered >= MAX_UNANSWERED ? UNTIL_REPLY : pausedNanos(nowNanos);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The remaining pause before the next request, in nanoseconds; 0 if there is none. Called under
     * the lock.
     */
    private long pausedNanos(long nowNanos) {
        if (pauseNanos > 0) {
            resumeAtNanos = nowNanos + pauseNanos;
            pauseNanos = 0;
            paused = true;
        }
        if (paused && resumeAtNanos - nowNanos <= 0) {
            paused = false;
        }
        return paused ? resumeAtNanos - nowNanos : 0;
    }

    @Override
    public long rowCount() {
        return 0;
    }

    @Override
    public void fail(SteleException failure) {
        List<Lookup> failed;
        lock.lock();
        try {
            failed = List.copyOf(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        failed.forEach(lookup -> lookup.result.completeExceptionally(failure));
    }

    private void answered(List<Lookup> batch, @Nullable Frame frame, @Nullable Throwable failure) {
        lock.lock();
        try {
            unanswered--;
        } finally {
            lock.unlock();
        }
        if (frame == null) {
            Throwable cause =
                    failure == null
                            ? new IllegalStateException("neither reply nor failure")
                            : failure;
            if (cause instanceof SteleException failed && failed.code() == ErrorCode.BUSY) {
                askAgain(batch, failed);
            } else {
                batch.forEach(lookup -> lookup.result.completeExceptionally(cause));
            }
            return;
        }
        try {
            complete(batch, MultiGetReply.decode(frame));
        } catch (SteleException e) {
            batch.forEach(lookup -> lookup.result.completeExceptionally(e));
        }
    }

    /** Requests refused lookups again, before all others, but only a limited number of times. */
    private void askAgain(List<Lookup> batch, SteleException busy) {
        List<Lookup> given = new ArrayList<>();
        List<Lookup> again = new ArrayList<>();
        int refusals = 0;
        for (Lookup lookup : batch) {
            if (lookup.refusals() >= MAX_REFUSALS) {
                given.add(lookup);
            } else {
                again.add(new Lookup(lookup.key(), lookup.result(), lookup.refusals() + 1));
                refusals = Math.max(refusals, lookup.refusals());
            }
        }
        long millis = Math.max(busy.retryAfterMillis().orElse(0), MIN_PAUSE_MILLIS << refusals);
        lock.lock();
        try {
            pauseNanos = TimeUnit.MILLISECONDS.toNanos(Math.min(millis, MAX_PAUSE_MILLIS));
            for (int i = again.size() - 1; i >= 0; i--) {
                waiting.addFirst(again.get(i));
            }
            if (!again.isEmpty() && !scheduled) {
                scheduled = true;
                connection.schedule(this);
            }
        } finally {
            lock.unlock();
        }
        given.forEach(lookup -> lookup.result.completeExceptionally(busy));
    }

    private void complete(List<Lookup> batch, MultiGetReply reply) {
        List<Optional<byte[]>> rows = reply.rows();
        if (rows.size() > batch.size()) {
            throw new SteleException(
                    ErrorCode.INTERNAL,
                    "Expected at most " + batch.size() + " rows, found " + rows.size());
        }
        if (rows.size() < batch.size()) {
            add(batch.subList(rows.size(), batch.size())); // the rest did not fit into a frame
        }
        for (int i = 0; i < rows.size(); i++) {
            batch.get(i).result.complete(new Found(reply.schemaVersion(), rows.get(i)));
        }
    }
}
