package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class TestParallelWrites {
    private static final Executor THREADS = task -> Thread.ofPlatform().daemon().start(task);

    private static FarObjectStore store(Executor executor) {
        return new FarObjectStore(new InMemoryObjectStore(), executor, System::nanoTime);
    }

    private static int permits(ObjectStore store) {
        return store.readingAhead().orElseThrow().helpers().availablePermits();
    }

    /** Each waits for all others: they end only if all are under way at once. */
    @Test
    void writesAreUnderWayTogether() throws IOException {
        CyclicBarrier all = new CyclicBarrier(ParallelWrites.MAX_PENDING);
        try (ParallelWrites writes = ParallelWrites.to(store(THREADS))) {
            for (int i = 0; i < ParallelWrites.MAX_PENDING; i++) {
                writes.add(() -> TestParallelReads.await(all), 1);
            }
            writes.finish();
        }
        assertThat(all.getNumberWaiting()).isZero();
    }

    @Test
    void theCallerDoesWhatNobodyElseBegins() throws IOException {
        List<Runnable> never = new ArrayList<>();
        FarObjectStore store = store(never::add);
        int permits = permits(store);
        List<Integer> done = new ArrayList<>();
        try (ParallelWrites writes = ParallelWrites.to(store)) {
            for (int i = 0; i < 100; i++) {
                int number = i;
                writes.add(() -> done.add(number), 1);
                assertThat(done).hasSize(Math.max(0, i + 1 - ParallelWrites.MAX_PENDING));
            }
            writes.finish();
        }
        assertThat(done).hasSize(100).isSorted();
        assertThat(never).hasSize(ParallelWrites.MAX_PENDING);
        never.forEach(Runnable::run); // too late
        assertThat(done).hasSize(100);
        assertThat(permits(store)).isEqualTo(permits);
    }

    @Test
    void theCallerDoesWhatIsRefused() throws IOException {
        FarObjectStore store =
                store(
                        _ -> {
                            throw new RejectedExecutionException("closed");
                        });
        int permits = permits(store);
        List<Integer> done = new ArrayList<>();
        try (ParallelWrites writes = ParallelWrites.to(store)) {
            for (int i = 0; i < 50; i++) {
                int number = i;
                writes.add(() -> done.add(number), 1);
            }
            writes.finish();
        }
        assertThat(done).hasSize(50);
        assertThat(permits(store)).isEqualTo(permits);
    }

    @Test
    void whatIsPendingIsBoundedByItsBytes() throws IOException {
        List<Integer> done = new ArrayList<>();
        try (ParallelWrites writes = ParallelWrites.to(store(_ -> {}))) {
            for (int i = 0; i < 20; i++) {
                int number = i;
                writes.add(() -> done.add(number), ParallelWrites.MAX_PENDING_BYTES / 3);
                assertThat(done).hasSize(Math.max(0, i + 1 - 3));
            }
            writes.add(() -> done.add(20), 100 * ParallelWrites.MAX_PENDING_BYTES);
            assertThat(done).as("none beside a large one").hasSize(20);
            writes.finish();
        }
        assertThat(done).hasSize(21);
    }

    @Test
    void aStoreThatIsNearIsWrittenToAtOnce() throws IOException {
        List<Integer> done = new ArrayList<>();
        try (ParallelWrites writes = ParallelWrites.to(new InMemoryObjectStore())) {
            writes.add(() -> done.add(1), 1);
            assertThat(done).hasSize(1);
            writes.finish();
        }
    }

    /** Those under way are waited for, the others are given up. */
    @Test
    void afterAFailureNothingBegins() throws Exception {
        CountDownLatch failing = new CountDownLatch(1);
        CountDownLatch slow = new CountDownLatch(1);
        Set<String> done = ConcurrentHashMap.newKeySet();
        List<Runnable> tasks = new ArrayList<>();
        ParallelWrites writes =
                ParallelWrites.to(
                        store(
                                task -> {
                                    tasks.add(task);
                                    if (tasks.size() < 3) {
                                        THREADS.execute(task);
                                    }
                                }));
        try (writes) {
            writes.add(
                    () -> {
                        failing.countDown();
                        await(slow);
                        done.add("slow");
                    },
                    1);
            await(failing);
            CountDownLatch added = new CountDownLatch(1);
            CountDownLatch failed = new CountDownLatch(1);
            writes.add(
                    () -> {
                        await(added); // else it may fail the call that adds it
                        failed.countDown();
                        throw new IOException("no room");
                    },
                    1);
            added.countDown();
            await(failed);
            Recorded later = new Recorded(done);
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    writes.add(later, 0);
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .hasMessage("no room");
            assertThatThrownBy(
                            () -> {
                                slow.countDown();
                                writes.finish();
                            })
                    .hasMessage("no room");
            assertThat(done).contains("slow");
        }
        assertThat(done).contains("given up").doesNotContain("interrupted");
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IOException("Waited too long");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Test
    void whatIsClosedBeforeItsEndIsGivenUp() throws IOException {
        Set<String> done = ConcurrentHashMap.newKeySet();
        List<Runnable> never = new ArrayList<>();
        try (ParallelWrites writes = ParallelWrites.to(store(never::add))) {
            writes.add(new Recorded(done), 1);
        }
        never.forEach(Runnable::run);
        assertThat(done).containsExactly("given up");
    }

    private record Recorded(Set<String> events) implements ParallelWrites.Write {
        @Override
        public void run() {
            events.add("done");
        }

        @Override
        public void giveUp() throws IOException {
            events.add("given up");
            throw new IOException("of which nobody hears");
        }
    }
}
