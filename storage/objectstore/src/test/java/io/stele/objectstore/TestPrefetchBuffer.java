package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.retrieval.ByteBudget;
import io.stele.objectstore.retrieval.LatencyFit;
import io.stele.objectstore.retrieval.ReadAheadBalance;
import io.stele.objectstore.retrieval.ReadingAhead;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TestPrefetchBuffer {
    private static final String PATH = "data/7/0/a.orc";
    private static final int SIZE = 1 << 20;
    private static final int BUDGET = 600 << 10;

    private final byte[] content = new byte[SIZE];
    private final Store store = new Store();

    /** A store over a network whose fetches ahead run when the test lets them. */
    private static final class Store extends ForwardingObjectStore {
        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private final ByteBudget memory = new ByteBudget(BUDGET);
        private final List<String> reads = new ArrayList<>();
        private boolean isFailing;

        Store() {
            super(new InMemoryObjectStore());
        }

        @Override
        public Optional<ReadingAhead> readingAhead() {
            return Optional.of(
                    new ReadingAhead(
                            new ReadAheadBalance(SIZE, System::nanoTime),
                            tasks::add,
                            new Semaphore(1),
                            memory,
                            () -> LatencyFit.S3));
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            if (isFailing) {
                throw new IOException("no route to the store");
            }
            reads.add(offset + " " + length);
            super.read(path, offset, buffer, bufferOffset, length);
        }

        private void runAll() {
            while (!tasks.isEmpty()) {
                tasks.remove().run();
            }
        }
    }

    @BeforeEach
    void write() throws IOException {
        new Random(5).nextBytes(content);
        store.put(PATH, content);
    }

    private ObjectReader open() throws IOException {
        return PrefetchBuffer.over(store.open(PATH, SIZE), SIZE, store);
    }

    private void assertRead(ObjectReader reader, int offset, int length) throws IOException {
        assertThat(reader.read(offset, length))
                .isEqualTo(Arrays.copyOfRange(content, offset, offset + length));
    }

    @Test
    void aLargeRangeIsInMemoryUntilAllOfItWasRead() throws IOException {
        ObjectReader reader = open();
        CompletableFuture<Long> fetched = reader.prefetch(1000, 400_000);
        assertThat(fetched).isNotDone();
        store.runAll();
        assertThat(fetched).isCompletedWithValue(400_000L);
        assertRead(reader, 1000, 200_000);
        assertRead(reader, 1000, 200_000);
        assertThat(reader.retainedBytes()).isEqualTo(400_000);
        assertThat(store.memory.usedBytes()).isEqualTo(400_000);
        assertRead(reader, 190_000, 211_000);
        assertThat(store.reads).containsExactly("1000 400000");
        assertThat(reader.retainedBytes()).isZero();
        assertThat(store.memory.usedBytes()).isZero();
        assertThat(reader.tally()).isEqualTo(new ReadTally(611_000, 1, 400_000, 0));
        assertRead(reader, 1000, 10);
        assertThat(store.reads).last().isEqualTo("1000 10");
    }

    @Test
    void aSmallRangeStaysUntilItIsReleased() throws IOException {
        ObjectReader reader = open();
        reader.prefetch(0, 100_000);
        store.runAll();
        assertRead(reader, 0, 100_000);
        assertRead(reader, 0, 100_000);
        assertThat(store.reads).containsExactly("0 100000");
        reader.release(100_000);
        assertThat(store.memory.usedBytes()).isZero();
    }

    @Test
    void onlyWhatIsMissingIsFetched() throws IOException {
        ObjectReader reader = open();
        reader.prefetch(100_000, 50_000);
        CompletableFuture<Long> more = reader.prefetch(50_000, 150_000);
        store.runAll();
        assertThat(more).isCompletedWithValue(100_000L);
        assertThat(store.reads).containsExactly("100000 50000", "50000 50000", "150000 50000");
        assertRead(reader, 40_000, 170_000);
        assertThat(store.reads).hasSize(5).endsWith("40000 10000", "200000 10000");
        assertThat(reader.retainedBytes()).as("at least 64 KiB each").isEqualTo(3 << 16);
    }

    @Test
    void whatHasNoRoomIsReadOnRequest() throws IOException {
        ObjectReader reader = open();
        assertThat(reader.prefetch(0, BUDGET + 1)).isCompletedWithValue(0L);
        ObjectReader other = open();
        other.prefetch(0, BUDGET);
        assertThat(reader.prefetch(0, 1)).isCompletedWithValue(0L);
        assertRead(reader, 0, 1);
        assertThat(store.reads).containsExactly("0 1");
        other.release(Long.MAX_VALUE);
        assertThat(store.memory.usedBytes()).as("its fetch may be under way").isEqualTo(BUDGET);
        store.runAll();
        assertThat(store.memory.usedBytes()).isZero();
        assertThat(store.reads).as("nobody wants the rest").hasSize(1);
    }

    @Test
    void aReleaseFreesWhatIsBehind() throws IOException {
        ObjectReader reader = open();
        reader.prefetch(0, 100_000);
        reader.prefetch(100_000, 100_000);
        store.runAll();
        reader.release(150_000);
        assertThat(reader.retainedBytes()).isEqualTo(100_000);
        reader.prefetch(300_000, 100_000);
        reader.release(Long.MAX_VALUE);
        store.runAll();
        assertThat(store.memory.usedBytes()).isZero();
        assertThat(reader.prefetch(0, 10)).as("after its end").isCompletedWithValue(0L);
        assertThat(store.memory.usedBytes()).isZero();
    }

    @Test
    void aFailureIsThatOfTheRead() throws IOException {
        ObjectReader reader = open();
        store.isFailing = true;
        CompletableFuture<Long> fetched = reader.prefetch(0, 1000);
        store.runAll();
        assertThat(fetched).isCompletedWithValue(0L);
        assertThatThrownBy(() -> reader.read(0, 10)).hasMessage("no route to the store");
        store.isFailing = false;
        assertRead(reader, 0, 10);
        assertThat(store.memory.usedBytes()).isZero();
    }

    @Test
    void anyOrderOfCallsReadsTheContent() throws IOException {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ObjectReader reader = open();
            for (int step = 0; step < 40; step++) {
                int offset = random.nextInt(SIZE);
                int length = 1 + random.nextInt(Math.min(SIZE - offset, 200_000));
                switch (random.nextInt(4)) {
                    case 0 -> reader.prefetch(offset, length);
                    case 1 -> {
                        store.isFailing = random.nextInt(5) == 0;
                        store.runAll();
                        store.isFailing = false;
                    }
                    case 2 -> reader.release(offset);
                    default -> {
                        store.runAll(); // else the read would wait for this thread
                        assertRead(reader, offset, length);
                    }
                }
                assertThat(store.memory.usedBytes())
                        .as("seed %d", seed)
                        .isBetween(0L, (long) BUDGET);
            }
            reader.release(Long.MAX_VALUE);
            store.runAll();
            assertThat(store.memory.usedBytes()).as("seed %d", seed).isZero();
            assertThat(reader.retainedBytes()).as("seed %d", seed).isZero();
        }
    }

    @Test
    void aStoreWithoutReadAheadHasNone() throws IOException {
        InMemoryObjectStore local = new InMemoryObjectStore();
        ObjectReader reader = local.open(PATH, SIZE);
        assertThat(PrefetchBuffer.over(reader, SIZE, local)).isSameAs(reader);
    }
}
