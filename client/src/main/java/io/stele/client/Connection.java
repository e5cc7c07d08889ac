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
 * The pipelined connection to one sidecar; a lost socket is replaced by a new one. Threads hand
 * work in through queues. One sender thread sends it; a caller that may wait sends it itself while
 * nobody else does, because waking the sender takes longer than that. One reader thread a socket
 * takes replies; it never sends, so that the sidecar always gets rid of its replies.
 *
 * <p>Invariant: after a lost socket everything unanswered is sent again, in the order it was sent
 * first, before anything new. So the batches of a writer reach a shard in the order of their
 * sequences, also after failures.
 */
final class Connection implements AutoCloseable {
    private static final long MIN_BACKOFF_NANOS = Duration.ofMillis(5).toNanos();
    private static final long MAX_BACKOFF_NANOS = Duration.ofSeconds(1).toNanos();
    // Sockets that answer but break at once are not opened more often than this.
    private static final long MIN_LIFE_NANOS = Duration.ofMillis(20).toNanos();
    private static final int MAX_TIMES_SENT = 5;
    // By a caller that sends: then what others have handed in is the sender's.
    private static final int MAX_ROUNDS = 4;
    private static final long IDLE_NANOS = Duration.ofSeconds(60).toNanos();

    private final Endpoint endpoint;
    private final ClientSettings settings;
    private final SessionOpener opener;
    private final ThreadFactory threads;
    private final LongSupplier ticker;
    private final Thread sender;

    // Handed in by any thread.
    private final Queue<RequestBatcher> scheduled = new ConcurrentLinkedQueue<>();
    private final Queue<Request> calls = new ConcurrentLinkedQueue<>();
    private volatile boolean signalled;
    private volatile boolean sleeping;
    private volatile boolean closed;
    private volatile boolean ended;
    private volatile @Nullable Thread reader;
    private volatile int version; // of the latest session's protocol; 0: there was none
    private volatile int maxUnansweredBatches = HelloReply.OLD_UNANSWERED_BATCHES;

    // False: when somebody looked last, nothing was left that a reply would let out
    private volatile boolean hasMore = true;

    // Held by who sends; the sender's alone are the steps to and from a socket.
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

    /** Starts the sender. */
    Connection start() {
        sender.start();
        return this;
    }

    /** Whether it takes nothing more. */
    boolean hasEnded() {
        return ended;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** Hands in a request. It may be sent by this thread, which must not hold a lock. */
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
     * Adds a batcher that has work. It must not be added again until {@link
     * RequestBatcher#waitNanos} has returned {@link RequestBatcher#EMPTY}.
     */
    void schedule(RequestBatcher batcher) {
        add(batcher);
        wake();
    }

    /** The same; what it has may be sent by this thread, which must not hold a lock. */
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

    /** Sends what waits, unless another thread sends, or only the sender can go on. */
    private void sendOrWake() {
        boolean isSent = false;
        if (Thread.currentThread() != reader && sending.tryLock()) {
            try {
                isSent = !closed && sendHere();
            } finally {
                sending.unlock();
            }
        }
        // What came while this thread sent was left to it
        if (!isSent || isWaiting()) {
            wake();
        }
    }

    /** Whether all is sent that can be sent before a reply comes. */
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

    /** Replies have come. */
    private void answered() {
        Session current = session;
        if (hasMore || isWaiting() || current == null || current.broken() != null) {
            wake();
        }
    }

    /**
     * The greatest number of unanswered batches of a writer per shard, from the sidecar's latest
     * greeting.
     */
    int maxUnansweredBatches() {
        return maxUnansweredBatches;
    }

    /** The version of the protocol that the sidecar spoke last; 0 before it has answered. */
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

    /** Fails what is left and ends both threads. */
    @Override
    public void close() {
        closed = true;
        wake();
        if (Thread.currentThread() == sender || Thread.currentThread() == reader) {
            return; // called back from there: it ends by itself
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
                } catch (RuntimeException | Error broken) { // out of memory or threads, for example
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

    /** After a failure of its own the sender goes on as after a lost socket. */
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

    /** Sends what waits, over a new socket if need be; returns how long to sleep, at most. */
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

    /** Sends what may be sent now; returns how long to sleep, at most. */
    private long sendAll(Session current) throws IOException {
        hasMore = true; // before looking: a reply that comes while this looks wakes the sender
        int limit = Math.min(settings.maxRequests(), Math.max(1, current.greeting().maxRequests()));
        int room = limit - current.pendingCount();
        int sent = sendCalls(current, room);
        sent += sendBatchers(current, room - sent);
        if (sent > 0) {
            current.flush();
            return 0;
        }
        long wait = room > 0 ? batchersWaitNanos() : IDLE_NANOS; // without room a reply wakes us
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

    /** Sends one request per batcher, so that a busy one does not starve the others. */
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
            batchers.add(batchers.remove(0)); // the last ones go first next time
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
        session = null; // now that nothing is in it
        if (broken.answered()) {
            away = false;
            pause(MIN_LIFE_NANOS - (now - openedNanos));
        }
        resend.removeIf(request -> failHopeless(request, now) || request.takenBack());
    }

    /** A request that breaks every connection must not block the requests behind it. */
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
            session = opened; // before what may fail, so that it is closed
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

    /** Fails everything that waits. What comes later is tried again. */
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
        signalled = false; // before looking at what was signalled
        Thread.interrupted(); // never set on purpose; it would turn sleeping into spinning
    }

    private void pause(long nanos) {
        long end = ticker.getAsLong() + nanos;
        for (long left = nanos; left > 0 && !closed; left = end - ticker.getAsLong()) {
            LockSupport.parkNanos(this, left);
            Thread.interrupted();
        }
    }
}
