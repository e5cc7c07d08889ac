package io.stele.engine.wal;

import static io.stele.engine.wal.LogFixture.A;
import static io.stele.engine.wal.LogFixture.unthreaded;
import static io.stele.engine.wal.LogFixture.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.protocol.Lsn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many objects a log in a store deletes at a time: a round trip each would be too slow. */
@Timeout(300)
final class TestTrimsInParallel {
    private static final int AT_ONCE = 16;

    /**
     * Deletions that do not return before as many are in flight as may be, or all that are left. A
     * caller that makes fewer at a time waits for the deadline, and is noted.
     */
    private static final class Rounds extends ForwardingObjectStore {
        private static final long DEADLINE_SECONDS = 50;

        // Guarded by this
        private final List<Integer> rounds = new ArrayList<>();
        private int left;
        private int arrived;
        private int largest;
        private int present;
        private boolean alone;

        Rounds(InMemoryObjectStore store) {
            super(store);
        }

        /** Until then none waits. */
        synchronized void expect(int deletions) {
            left = deletions;
        }

        @Override
        public void delete(String path) throws IOException {
            enter();
            super.delete(path);
            leave();
        }

        private synchronized void enter() throws IOException {
            present++;
            if (left == 0) {
                return;
            }
            largest = Math.max(largest, present);
            arrived++;
            int mine = rounds.size();
            if (arrived == Math.min(AT_ONCE, left)) {
                rounds.add(arrived);
                left -= arrived;
                arrived = 0;
                notifyAll();
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
            try {
                while (rounds.size() == mine && !alone) {
                    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                    if (millis <= 0) {
                        alone = true;
                        notifyAll();
                    } else {
                        wait(millis);
                    }
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        private synchronized void leave() {
            present--;
        }
    }

    @Test
    void objectsAreDeletedSideBySideAndNotMoreThanSoMany() throws Exception {
        Rounds store = new Rounds(new InMemoryObjectStore());
        try (ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor()) {
            ObjectLogFiles files = new ObjectLogFiles(store, "log/", requests, _ -> {});
            files.takeOver(1, LogId.NONE);
            NodeLog log = unthreaded(files);
            commit(log);
            commit(log);
            log.trim(Map.of(A, Lsn.MAX), ReleasedRecords.NONE); // the fence, which stays
            long last = 0;
            for (int i = 0; i < 40; i++) {
                last = commit(log);
            }
            int released = (int) (last - log.status().firstSegment());
            store.expect(released);
            assertThat(log.trim(Map.of(A, Lsn.MAX), ReleasedRecords.NONE)).isEqualTo(released);
            synchronized (store) {
                assertThat(store.alone).as("deletions that waited for others in vain").isFalse();
                assertThat(store.rounds.stream().mapToInt(Integer::intValue).sum())
                        .isEqualTo(released)
                        .isGreaterThan(2 * AT_ONCE);
                assertThat(store.largest).isEqualTo(AT_ONCE);
            }
        }
    }

    /** Returns the segment of a record. */
    private static long commit(NodeLog log) throws IOException {
        CompletableFuture<LogPosition> written = write(log, A, "record");
        log.commitWaiting();
        return written.join().segment();
    }
}
