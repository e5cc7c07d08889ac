package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TestParallelReads {
    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);

    private static FarObjectStore store(Executor executor) {
        return new FarObjectStore(new InMemoryObjectStore(), executor, System::nanoTime);
    }

    /** Each waits for all others: they end only if all are under way at once. */
    @Test
    void readsAreUnderWayTogether() throws IOException {
        CyclicBarrier all = new CyclicBarrier(20);
        ParallelReads.of(store(THREADS))
                .runAll(
                        IntStream.range(0, 20)
                                .<ParallelReads.Read>mapToObj(_ -> () -> await(all))
                                .toList());
        assertThat(all.getNumberWaiting()).isZero();
    }

    static void await(CyclicBarrier barrier) throws IOException {
        try {
            barrier.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Test
    void theCallerDoesWhatNobodyElseBegins() throws IOException {
        List<Runnable> never = new ArrayList<>();
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        FarObjectStore store = store(never::add);
        ParallelReads.of(store).runAll(reads(300, done));
        assertThat(done).hasSize(300);
        assertThat(never).hasSize(127);
        int left = store.readingAhead().orElseThrow().helpers().availablePermits();
        never.forEach(Runnable::run); // too late
        assertThat(done).hasSize(300);
        assertThat(store.readingAhead().orElseThrow().helpers().availablePermits())
                .isEqualTo(left + 127);
    }

    @Test
    void theCallerDoesWhatIsRefused() throws IOException {
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        FarObjectStore store =
                store(
                        _ -> {
                            throw new RejectedExecutionException("closed");
                        });
        int permits = store.readingAhead().orElseThrow().helpers().availablePermits();
        ParallelReads.of(store).runAll(reads(10, done));
        assertThat(done).hasSize(10);
        assertThat(store.readingAhead().orElseThrow().helpers().availablePermits())
                .isEqualTo(permits);
    }

    /** Those that began before are waited for, and nobody keeps a place among the helpers. */
    @Test
    void anExecutorThatFailsEndsAll() throws InterruptedException {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger running = new AtomicInteger();
        FarObjectStore store =
                store(
                        task -> {
                            if (started.incrementAndGet() > 2) {
                                throw new OutOfMemoryError("no thread");
                            }
                            THREADS.execute(task);
                        });
        int permits = store.readingAhead().orElseThrow().helpers().availablePermits();
        List<ParallelReads.Read> reads = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            reads.add(
                    () -> {
                        running.incrementAndGet();
                        running.decrementAndGet();
                    });
        }
        assertThatThrownBy(() -> ParallelReads.of(store).runAll(reads))
                .isInstanceOf(OutOfMemoryError.class);
        assertThat(running.get()).isZero();
        assertThat(started.get()).isEqualTo(3);
        assertThat(
                        store.readingAhead()
                                .orElseThrow()
                                .helpers()
                                .tryAcquire(permits, 60, TimeUnit.SECONDS))
                .isTrue();
    }

    @Test
    void withoutHelpersReadsGoOn() throws IOException {
        FarObjectStore store = store(THREADS);
        store.readingAhead().orElseThrow().helpers().drainPermits();
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        ParallelReads.of(store).runAll(reads(10, done));
        assertThat(done).hasSize(10);
    }

    private static List<ParallelReads.Read> reads(int count, Set<Integer> done) {
        return IntStream.range(0, count)
                .<ParallelReads.Read>mapToObj(number -> () -> done.add(number))
                .toList();
    }

    /** What is under way when one fails has ended when the call does; nothing begins after it. */
    @Test
    void aFailureEndsAll() {
        Thread caller = Thread.currentThread();
        CompletableFuture<Thread> failing = new CompletableFuture<>();
        AtomicInteger running = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        List<ParallelReads.Read> reads = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            reads.add(
                    () -> {
                        begun.incrementAndGet();
                        running.incrementAndGet();
                        try {
                            Thread helper = Thread.currentThread();
                            if (helper != caller && failing.complete(helper)) {
                                throw new IOException("torn");
                            }
                            // A helper that has failed ends when the call knows of it
                            failing.get(120, TimeUnit.SECONDS).join();
                        } catch (InterruptedException | ExecutionException | TimeoutException e) {
                            throw new IOException(e);
                        } finally {
                            running.decrementAndGet();
                        }
                    });
        }
        // Four helpers: a hundred cannot have begun before the failure
        FarObjectStore store = store(THREADS);
        store.readingAhead().orElseThrow().helpers().drainPermits();
        store.readingAhead().orElseThrow().helpers().release(4);
        assertThatThrownBy(() -> ParallelReads.of(store).runAll(reads)).hasMessage("torn");
        assertThat(running.get()).isZero();
        assertThat(begun.get()).isLessThan(100);
    }

    @Test
    void oneAfterTheOtherWhereTheStoreIsNear() throws IOException {
        ParallelReads near = ParallelReads.of(new InMemoryObjectStore());
        assertThat(near.isParallel()).isFalse();
        List<Integer> done = new ArrayList<>();
        near.runAll(List.of(() -> done.add(1), () -> done.add(2)));
        assertThat(done).containsExactly(1, 2);
    }

    /** Each would take as long as its retries do. */
    @Test
    void hintsAreNotGoneOnWithInAnOutage() throws IOException {
        AtomicInteger begun = new AtomicInteger();
        ParallelReads.Read away =
                () -> {
                    begun.incrementAndGet();
                    throw new IOException("the store is away");
                };
        ParallelReads inOrder = ParallelReads.of(new InMemoryObjectStore());
        inOrder.tryAll(Collections.nCopies(100, away));
        assertThat(begun).hasValue(4);

        AtomicInteger missing = new AtomicInteger();
        inOrder.tryAll(
                Collections.<ParallelReads.Read>nCopies(
                        100,
                        () -> {
                            missing.incrementAndGet();
                            throw new NoSuchFileException("merged meanwhile");
                        }));
        assertThat(missing).hasValue(100);
    }
}
