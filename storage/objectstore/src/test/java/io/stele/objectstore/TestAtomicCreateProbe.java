package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.fault.CrashPoint;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TestAtomicCreateProbe {
    private static final UUID ID = new UUID(1, 2);

    @TempDir Path directory;

    @Test
    void acceptsStoresThatCreateOnceAndLeavesNothing() throws Exception {
        InMemoryObjectStore memory = new InMemoryObjectStore();
        LocalObjectStore local = new LocalObjectStore(directory);
        for (ObjectStore store : List.of(memory, local)) {
            assertThatCode(() -> check(store)).doesNotThrowAnyException();
            assertThat(store.list("")).isEmpty();
        }
    }

    /** Looks first and writes then: in a race several find nothing. */
    @Test
    void refusesAStoreThatLooksBeforeItWrites() {
        Map<String, CyclicBarrier> allHaveLooked = new ConcurrentHashMap<>();
        LyingStore store =
                new LyingStore() {
                    @Override
                    public boolean createIfAbsent(String path, byte[] content) throws IOException {
                        if (isThere(path)) {
                            return false;
                        }
                        try {
                            allHaveLooked.computeIfAbsent(path, _ -> new CyclicBarrier(8)).await();
                        } catch (InterruptedException | BrokenBarrierException e) {
                            throw new IOException(e);
                        }
                        put(path, content);
                        return true;
                    }
                };
        assertThatThrownBy(() -> check(store))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("8 of 8 racing creators")
                .hasMessageContaining("memory:probe/" + ID);
    }

    /** Accepts the condition and does as it likes. */
    @Test
    void refusesAStoreThatIgnoresTheCondition() {
        LyingStore store =
                new LyingStore() {
                    @Override
                    public boolean createIfAbsent(String path, byte[] content) throws IOException {
                        put(path, content);
                        return true;
                    }
                };
        assertThatThrownBy(() -> check(store)).hasMessageContaining("racing creators");
    }

    /** Tells all but one that they lost, and keeps the content of a loser. */
    @Test
    void refusesAStoreThatKeepsTheLosers() {
        LyingStore store =
                new LyingStore() {
                    @Override
                    public synchronized boolean createIfAbsent(String path, byte[] content)
                            throws IOException {
                        boolean first = !isThere(path);
                        put(path, content);
                        return first;
                    }
                };
        assertThatThrownBy(() -> check(store)).hasMessageContaining("told it had lost");
    }

    /** Is atomic among racers, and forgets what is there a moment later. */
    @Test
    void refusesAStoreThatReplacesForLatecomers() {
        LyingStore store =
                new LyingStore() {
                    private final Map<String, Integer> calls = new HashMap<>();

                    @Override
                    public synchronized boolean createIfAbsent(String path, byte[] content)
                            throws IOException {
                        if (isThere(path) & calls.merge(path, 1, Integer::sum) < 9) {
                            return false;
                        }
                        put(path, content);
                        return true;
                    }
                };
        assertThatThrownBy(() -> check(store))
                .hasMessageContaining("another object in place of one that was there");
    }

    /** Every start waits for it, on a store that takes 30 ms for each request. */
    @Test
    void racesSideBySide() throws Exception {
        Map<String, AtomicInteger> underWay = new ConcurrentHashMap<>();
        CyclicBarrier all = new CyclicBarrier(3 * 8);
        ForwardingObjectStore store =
                new ForwardingObjectStore(new InMemoryObjectStore()) {
                    @Override
                    public boolean createIfAbsent(String path, byte[] content) throws IOException {
                        int racer =
                                underWay.computeIfAbsent(path, _ -> new AtomicInteger())
                                        .incrementAndGet();
                        if (racer <= 8) {
                            try {
                                all.await(1, TimeUnit.MINUTES); // the racers of all races
                            } catch (Exception e) {
                                throw new IOException(e);
                            }
                        }
                        return super.createIfAbsent(path, content);
                    }
                };
        check(store);
        assertThat(underWay).hasSize(3);
        assertThat(store.list("")).isEmpty();
    }

    @Test
    void aStoreThatFailsIsNamed() {
        ObjectStore down =
                new FaultInjectingObjectStore(
                        CrashPoint.never(), StoreFaults.OUTAGE, new Random(1), _ -> {});
        assertThatThrownBy(() -> check(down)).isInstanceOf(IOException.class);
    }

    private static void check(ObjectStore store) throws IOException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            AtomicCreateProbe.check(store, threads, ID);
        }
    }

    /** A store that creates as it should not. */
    private abstract static class LyingStore extends ForwardingObjectStore {
        LyingStore() {
            super(new InMemoryObjectStore());
        }

        final boolean isThere(String path) throws IOException {
            try {
                return size(path) >= 0;
            } catch (NoSuchFileException missing) {
                return false;
            }
        }
    }
}
