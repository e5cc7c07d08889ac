package io.stele.client;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.wire.HelloReply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client's pipelined, self-reconnecting connection to one sidecar over the framed protocol, for
 * writers, lookups and scans of all threads. Threads pass requests in through queues. One sender
 * thread sends them. A caller that may wait sends requests itself if no other thread is sending,
 * because waking the sender takes longer. One reader thread for each socket receives replies. It
 * never sends, so that the sidecar can always send its replies.
 *
 * <p>Invariant: after the loss of a socket, all unanswered requests are sent again in their first
 * order, before any new request. So the batches of a writer reach a shard in the order of their
 * sequences, also after failures.
 */
final class Connection implements AutoCloseable {
    private static final long MIN_BACKOFF_NANOS = Duration.ofMillis(5).toNanos();
    private static final long MAX_BACKOFF_NANOS = Duration.ofSeconds(1).toNanos();
    // The shortest time between openings of sockets that reply but break at once.
    private static final long MIN_LIFE_NANOS = Duration.ofMillis(20).toNanos();
    private static final int MAX_TIMES_SENT = 5;
    // The most rounds of a sending caller; the sender then sends the requests of other threads.
    private static final int MAX_ROUNDS = 4;
    private static final long IDLE_NANOS = Duration.ofSeconds(60).toNanos();

    private final Endpoint endpoint;
    private final ClientSettings settings;
    private final SessionOpener opener;
    private final ThreadFactory threads;
    private final LongSupplier ticker;
    private final Thread sender;

    // Added by any thread.
    private final Queue<RequestBatcher> scheduled = new ConcurrentLinkedQueue<>();
    private final Queue<Request> calls = new ConcurrentLinkedQueue<>();
    private volatile boolean signalled;
    private volatile boolean sleeping;
    private volatile boolean closed;
    private volatile boolean ended;
    private volatile @Nullable Thread reader;
    private volatile int version; // of the latest session's protocol; 0 if there was none
    private volatile int maxUnansweredBatches = HelloReply.OLD_UNANSWERED_BATCHES;

    // False if at the last check, no request was left that a reply would allow to send
    private volatile boolean hasMore = true;

    // Held by the sending thread; only the sender opens and closes sockets.
    private final ReentrantLock sending = new ReentrantLock();
    private final ArrayDeque<Request> resend = new ArrayDeque<>();
    private final List<RequestBatcher> batchers = new ArrayList<>();
    private volatile @Nullable Session session;
    private @Nullable Exception lastCause;
    private boolean away;
    private long awaySinceNanos;
    private long openedNanos;
    private long backoffNanos = MIN_BACKOFF_NANOS;

    Connection(
            Endpoint endpoint,
            ClientSettings settings,
            SessionOpener opener,
            ThreadFactory threads,
            LongSupplier ticker) {
        this.endpoint = requireNonNull(endpoint, "endpoint is null");
        this.settings = requireNonNull(settings, "settings is null");
        this.opener = requireNonNull(opener, "opener is null");
        this.threads = requireNonNull(threads, "threads is null");
        this.ticker = requireNonNull(ticker, "ticker is null");
        this.sender = threads.newThread(this::run);
    }

    /** Starts the sender thread. */
    Connection start() {
        sender.start();
        return this;
    }

    /** Whether it accepts no requests any more. */
    boolean hasEnded() {
        return ended;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** Adds a request. This thread may send it, so it must not hold a lock. */
    void submit(Request request) {
        calls.add(request);
        if (ended) {
            for (Request left = calls.poll(); left != null; left = calls.poll()) {
                left.onFailure(closedFailure());
            }
        }
        sendOrWake();
    }

    /**
     * Adds a batcher that has requests. It must not be added again until {@link
     * RequestBatcher#waitNanos} has returned {@link RequestBatcher#EMPTY}.
     */
    void schedule(RequestBatcher batcher) {
        add(batcher);
        wake();
    }

    /** Adds a batcher that has requests. This thread may send them, so it must not hold a lock. */
    void scheduleAndSend(RequestBatcher batcher) {
        add(batcher);
        sendOrWake();
    }

    private void add(RequestBatcher batcher) {
        scheduled.add(batcher);
        if (ended) {
            for (RequestBatcher left = scheduled.poll(); left != null; left = scheduled.poll()) {
                left.fail(closedFailure());
            }
        }
    }

    /**
     * Sends waiting requests on this thread, or wakes the sender if another thread is sending or
     * only the sender can continue.
     */
    private void sendOrWake() {
        boolean isSent = false;
        if (Thread.currentThread() != reader && sending.tryLock()) {
            try {
                isSent = !closed && sendHere();
            } finally {
                sending.unlock();
            }
        }
        // Other threads left the requests that they added meanwhile to this thread
        if (!isSent || isWaiting()) {
            wake();
        }
    }

    /**
     * Sends on this thread; returns whether all requests were sent that can be sent before a reply.
     */
    private boolean sendHere() {
        takeScheduled();
        Session current = session;
        if (current == null || current.broken() != null) {
            return false;
        }
        try {
            long wait = 0;
            for (int round = 0; wait == 0 && round < MAX_ROUNDS; round++) {
                wait = sendAll(current);
            }
            return wait == IDLE_NANOS;
        } catch (IOException | RuntimeException e) {
            current.fail(e);
            return false;
        }
    }

    private boolean isWaiting() {
        return !calls.isEmpty() || !scheduled.isEmpty();
    }

    /** Called when replies were received. */
    private void answered() {
        Session current = session;
        if (hasMore || isWaiting() || current == null || current.broken() != null) {
            wake();
        }
    }

    /**
     * The greatest number of unanswered batches of a writer to one shard, from the sidecar's latest
     * greeting.
     */
    int maxUnansweredBatches() {
        return maxUnansweredBatches;
    }

    /** The protocol version of the latest session; 0 before the first greeting. */
    int version() {
        return version;
    }

    /** Makes the sender check its batchers again. */
    void wake() {
        signalled = true;
        if (sleeping) {
            LockSupport.unpark(sender);
        }
    }

    /** Fails the remaining requests and ends both threads. */
    @Override
    public void close() {
        closed = true;
        wake();
        if (Thread.currentThread() == sender || Thread.currentThread() == reader) {
            return; // called on the sender's thread, which ends by itself
        }
        boolean interrupted = false;
        while (sender.isAlive()) {
            LockSupport.unpark(sender);
            try {
                sender.join(10);
            } catch (InterruptedException e) {
                interrupted = true;
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!closed) {
                try {
                    step();
                } catch (RuntimeException | Error broken) { // for example, out of memory or threads
                    breakOff(broken);
                }
            }
        } finally {
            ended = true;
            sending.lock();
            try {
                Session current = session;
                if (current != null) {
                    current.fail(new IOException("The client was closed"));
                    resend.addAll(current.takeApart());
                }
                giveUp(closedFailure());
            } finally {
                sending.unlock();
            }
        }
    }

    /**
     * Handles a failure of the sender itself, which then continues as after the loss of a socket.
     */
    private void breakOff(Throwable broken) {
        IOException cause = new IOException("Cannot send requests: " + broken, broken);
        Session current = session;
        if (current != null) {
            current.fail(cause);
        } else {
            lastCause = cause;
        }
        pause(MIN_LIFE_NANOS);
    }

    private void step() {
        long wait;
        sending.lock();
        try {
            wait = sendWaiting();
        } finally {
            sending.unlock();
        }
        sleep(wait);
    }

    /**
     * Sends waiting requests, over a new socket if needed; returns the longest time to sleep, in
     * nanoseconds.
     */
    private long sendWaiting() {
        takeScheduled();
        Session current = session;
        if (current != null && current.broken() != null) {
            takeApart(current);
            current = null;
        }
        if (resend.isEmpty() && batchers.isEmpty() && calls.isEmpty()) {
            hasMore = false;
            return IDLE_NANOS;
        }
        if (current == null) {
            current = open();
            if (current == null) {
                return 0;
            }
        }
        try {
            return sendAll(current);
        } catch (IOException | RuntimeException e) {
            current.fail(e);
            return 0;
        }
    }

    private void takeScheduled() {
        for (RequestBatcher batcher = scheduled.poll();
                batcher != null;
                batcher = scheduled.poll()) {
            batchers.add(batcher);
        }
    }

    /**
     * Sends the requests that may be sent now; returns the longest time to sleep, in nanoseconds.
     */
    private long sendAll(Session current) throws IOException {
        hasMore = true; // set first, so that a reply during this check wakes the sender
        int limit = Math.min(settings.maxRequests(), Math.max(1, current.greeting().maxRequests()));
        int room = limit - current.pendingCount();
        int sent = sendCalls(current, room);
        sent += sendBatchers(current, room - sent);
        if (sent > 0) {
            current.flush();
            return 0;
        }
        long wait = room > 0 ? batchersWaitNanos() : IDLE_NANOS; // a reply wakes the sender
        hasMore = !resend.isEmpty() || !batchers.isEmpty() || !calls.isEmpty();
        return wait;
    }

    private int sendCalls(Session current, int room) throws IOException {
        int sent = 0;
        while (sent < room) {
            Request request = resend.isEmpty() ? calls.poll() : resend.poll();
            if (request == null) {
                break;
            }
            sent++;
            current.send(request, ticker.getAsLong());
        }
        return sent;
    }

    /** Sends one request of each batcher, so that a busy batcher does not starve the others. */
    private int sendBatchers(Session current, int room) throws IOException {
        int sent = 0;
        for (int i = 0; i < batchers.size() && sent < room; i++) {
            long now = ticker.getAsLong();
            Request request = batchers.get(i).poll(now);
            if (request != null) {
                sent++;
                current.send(request, now);
            }
        }
        if (sent == room && batchers.size() > 1) {
            batchers.add(batchers.remove(0)); // the remaining ones are first next time
        }
        return sent;
    }

    private long batchersWaitNanos() {
        long wait = IDLE_NANOS;
        long now = ticker.getAsLong();
        for (Iterator<RequestBatcher> all = batchers.iterator(); all.hasNext(); ) {
            long nanos = all.next().waitNanos(now);
            if (nanos == RequestBatcher.EMPTY) {
                all.remove();
            } else {
                wait = Math.min(wait, nanos);
            }
        }
        return wait;
    }

    private void takeApart(Session broken) {
        lastCause = broken.broken();
        long now = ticker.getAsLong();
        List<Request> unanswered = broken.takeApart();
        for (int i = unanswered.size() - 1; i >= 0; i--) {
            unanswered.get(i).connectionLost();
            resend.addFirst(unanswered.get(i));
        }
        session = null; // after all its requests were taken
        if (broken.answered()) {
            away = false;
            pause(MIN_LIFE_NANOS - (now - openedNanos));
        }
        resend.removeIf(request -> failHopeless(request, now) || request.takenBack());
    }

    /** Fails a request that breaks every connection, so that it does not block later requests. */
    private boolean failHopeless(Request request, long now) {
        boolean hopeless =
                request.timesSent() >= MAX_TIMES_SENT
                        && request.ageNanos(now) >= settings.unavailableTimeout().toNanos();
        if (hopeless) {
            request.onFailure(awayFailure(request.ageNanos(now)));
        }
        return hopeless;
    }

    private @Nullable Session open() {
        long now = ticker.getAsLong();
        if (!away) {
            away = true;
            awaySinceNanos = now;
            backoffNanos = MIN_BACKOFF_NANOS;
        } else if (now - awaySinceNanos >= settings.unavailableTimeout().toNanos()) {
            giveUp(awayFailure(now - awaySinceNanos));
            return null;
        } else {
            pause(backoffNanos);
            backoffNanos = Math.min(2 * backoffNanos, MAX_BACKOFF_NANOS);
        }
        if (closed) {
            return null;
        }
        try {
            Session opened = opener.open(endpoint);
            session = opened; // set before steps that may fail, so that it is closed
            Thread thread =
                    threads.newThread(
                            () ->
                                    opened.readReplies(
                                            settings.answerTimeout(), ticker, this::answered));
            reader = thread;
            version = opened.greeting().version();
            maxUnansweredBatches = Math.max(1, opened.greeting().maxUnansweredBatches());
            openedNanos = ticker.getAsLong();
            thread.start();
            return opened;
        } catch (IOException e) {
            lastCause = e;
        } catch (SteleException e) {
            lastCause = e;
            if (!e.code().retryable()) {
                giveUp(refusedFailure(e));
            }
        }
        return null;
    }

    /** Fails all waiting requests. Later requests are tried again. */
    private void giveUp(SteleException failure) {
        away = false;
        for (RequestBatcher batcher = scheduled.poll();
                batcher != null;
                batcher = scheduled.poll()) {
            batchers.add(batcher);
        }
        List<Request> requests = new ArrayList<>(resend);
        resend.clear();
        for (Request request = calls.poll(); request != null; request = calls.poll()) {
            requests.add(request);
        }
        for (RequestBatcher batcher : batchers) {
            batcher.fail(failure);
        }
        for (Request request : requests) {
            request.onFailure(failure);
        }
    }

    private SteleException awayFailure(long awayNanos) {
        Exception cause = lastCause;
        String message =
                "The sidecar "
                        + endpoint
                        + " has been unreachable for "
                        + Duration.ofNanos(awayNanos).toMillis()
                        + " ms"
                        + unacknowledged()
                        + (cause == null ? "" : "; last error: " + cause.getMessage());
        return cause == null
                ? new SteleException(ErrorCode.UNAVAILABLE, message)
                : new SteleException(ErrorCode.UNAVAILABLE, message, cause);
    }

    private SteleException refusedFailure(SteleException cause) {
        return new SteleException(
                cause.code(),
                "The sidecar "
                        + endpoint
                        + " refused the connection"
                        + unacknowledged()
                        + ": "
                        + cause.getMessage(),
                cause);
    }

    private SteleException closedFailure() {
        return new SteleException(
                ErrorCode.UNAVAILABLE,
                "The client of " + endpoint + " is closed" + unacknowledged());
    }

    private String unacknowledged() {
        if (Thread.currentThread() != sender) {
            return "";
        }
        long sentRows = 0;
        for (Request request : resend) {
            sentRows += request.rowCount();
        }
        long waitingRows = 0;
        for (RequestBatcher batcher : batchers) {
            waitingRows += batcher.rowCount();
        }
        for (RequestBatcher batcher : scheduled) {
            waitingRows += batcher.rowCount();
        }
        if (sentRows + waitingRows == 0) {
            return "";
        }
        return "; "
                + (sentRows + waitingRows)
                + " rows are unacknowledged: "
                + sentRows
                + " were sent and may or may not have been applied, "
                + waitingRows
                + " were not sent";
    }

    private void sleep(long nanos) {
        if (nanos <= 0) {
            return;
        }
        sleeping = true;
        if (!signalled && !closed) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeping = false;
        signalled = false; // cleared before the signalled work is checked
        Thread.interrupted(); // never intended; a set status would turn sleeping into spinning
    }

    private void pause(long nanos) {
        long end = ticker.getAsLong() + nanos;
        for (long left = nanos; left > 0 && !closed; left = end - ticker.getAsLong()) {
            LockSupport.parkNanos(this, left);
            Thread.interrupted();
        }
    }
}
