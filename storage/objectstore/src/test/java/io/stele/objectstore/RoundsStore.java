package io.stele.objectstore;

import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A remote store that counts reads and rounds: while it records, it holds every read until no
 * thread of the recorded work can go on without one, and then answers all of them. So reads of one
 * round are those that do not wait for each other, however fast the machine is.
 *
 * <p>Rounds may be counted too high, where a thread is slow to wake up; never too low. Thread-safe.
 */
public final class RoundsStore extends ForwardingObjectStore {
    /**
     * All threads have to be found waiting so often, a millisecond apart: one that is woken up
     * looks as if it waited until it gets a processor.
     */
    private static final int QUIET_LOOKS = 15;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ReadingAhead ahead;
    private final Object lock = new Object();
    private final List<Thread> threads = new ArrayList<>(); // guarded by lock
    private final List<Request> requests = new ArrayList<>(); // guarded by lock
    private boolean recording; // guarded by lock
    private int held; // guarded by lock
    private int round; // guarded by lock

    public RoundsStore(ObjectStore store) {
        super(store);
        ahead = new ReadingAhead(new ReadAheadBalance(64 << 20, System::nanoTime), this::start);
    }

    /**
     * One read.
     *
     * @param round the first is 1
     */
    public record Request(int round, String path, long offset, int length) {}

    /** The reads of some work and what it returned. */
    public record Recorded<T>(List<Request> requests, T result) {
        public int rounds() {
            return requests.stream().mapToInt(Request::round).max().orElse(0);
        }

        public long bytes() {
            return requests.stream().mapToLong(Request::length).sum();
        }
    }

    /** Runs some work on a thread of its own; one recording at a time. */
    public <T> Recorded<T> record(Callable<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        synchronized (lock) {
            threads.clear();
            requests.clear();
            recording = true;
            round = 0;
        }
        start(
                () -> {
                    try {
                        result.complete(work.call());
                    } catch (Exception | Error failed) {
                        result.completeExceptionally(failed);
                    }
                });
        int quiet = 0;
        while (!result.isDone()) {
            quiet = isQuiet() ? quiet + 1 : 0;
            if (quiet == QUIET_LOOKS) {
                answer();
                quiet = 0;
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
        synchronized (lock) {
            recording = false;
            lock.notifyAll();
            try {
                return new Recorded<>(List.copyOf(requests), result.join());
            } catch (CompletionException failed) {
                throw new IllegalStateException("The recorded work failed", failed.getCause());
            }
        }
    }

    private boolean isQuiet() {
        synchronized (lock) {
            return held > 0
                    && threads.stream()
                            .map(Thread::getState)
                            .allMatch(
                                    state ->
                                            state == Thread.State.WAITING
                                                    || state == Thread.State.TERMINATED);
        }
    }

    private void answer() {
        synchronized (lock) {
            round++;
            held = 0;
            lock.notifyAll();
        }
    }

    private void start(Runnable task) {
        Thread thread = Thread.ofPlatform().daemon().name("recorded").unstarted(task);
        synchronized (lock) {
            if (recording) {
                threads.add(thread);
            }
            thread.start();
        }
    }

    @Override
    public boolean isRemote() {
        return true;
    }

    @Override
    public Optional<ReadingAhead> readingAhead() {
        return Optional.of(ahead);
    }

    @Override
    public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
            throws IOException {
        hold(path, offset, length);
        super.read(path, offset, buffer, bufferOffset, length);
    }

    @Override
    public byte[] readFully(String path) throws IOException {
        hold(path, 0, 0);
        return super.readFully(path);
    }

    @Override
    public long size(String path) throws IOException {
        hold(path, 0, 0);
        return super.size(path);
    }

    private void hold(String path, long offset, int length) {
        synchronized (lock) {
            if (!recording) {
                return;
            }
            int mine = round + 1;
            requests.add(new Request(mine, path, offset, length));
            held++;
            while (recording && round < mine) {
                try {
                    lock.wait();
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }
}
