package io.stele.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.retrieval.ByteRange;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What a merge reads ahead is what it would have read, once, and gone when it ends. */
final class TestSequentialReads {
    private static final int RANGE = SequentialReads.RANGE_BYTES;
    private static final String PATH = "data/1/a";

    private final byte[] content = new byte[7 * RANGE + 12_345];
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong requestedBytes = new AtomicLong();
    private final AtomicBoolean isFailing = new AtomicBoolean();
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    /** Counts what it is asked for. */
    private final class FarStore extends FarObjectStore {
        FarStore(Executor executor) throws IOException {
            super(new InMemoryObjectStore(), executor, System::nanoTime);
            new Random(1).nextBytes(content);
            put(PATH, content);
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            requests.incrementAndGet();
            requestedBytes.addAndGet(length);
            if (isFailing.get()) {
                throw new IOException("no route to the store");
            }
            super.read(path, offset, buffer, bufferOffset, length);
        }

        ObjectReader open() throws IOException {
            return open(PATH, content.length);
        }
    }

    private List<ByteRange> whole() {
        return List.of(new ByteRange(0, content.length));
    }

    private void check(ObjectReader reader, long offset, int length) throws IOException {
        byte[] expected = Arrays.copyOfRange(content, (int) offset, (int) offset + length);
        assertThat(Arrays.equals(reader.read(offset, length), expected))
                .as("%d bytes at %d", length, offset)
                .isTrue();
    }

    /** Nobody runs the tasks: the reader does it itself, and waits for no executor. */
    @Test
    void aBusyExecutorHoldsNobodyUp() throws IOException {
        FarStore store = new FarStore(tasks::add);
        try (SequentialReads reads = SequentialReads.of(store)) {
            ObjectReader reader = reads.over(store.open(), whole());
            for (int at = 0; at + 1000 < content.length; at += 1000) {
                check(reader, at, 1000);
            }
        }
        assertThat(requests).hasValue(8);
        assertThat(requestedBytes).hasValue(content.length);
        assertThat(store.aheadBytes()).isZero();
        tasks.forEach(Runnable::run); // they were run, or are of no use any more
        assertThat(requests).hasValue(8);
    }

    /** Before the reader asks for the second range it is there. */
    @Test
    void whatComesNextIsFetched() throws IOException {
        FarStore store = new FarStore(Runnable::run);
        try (SequentialReads reads = SequentialReads.of(store)) {
            ObjectReader reader = reads.over(store.open(), whole());
            check(reader, 0, 10);
            assertThat(requests.get()).isGreaterThan(2);
            int before = requests.get();
            check(reader, RANGE - 5, 10);
            assertThat(store.aheadBytes()).isPositive();
            assertThat(requests).hasValueLessThanOrEqualTo(before + 1);
        }
        assertThat(store.aheadBytes()).isZero();
    }

    /** Indexes are read before what precedes them: they do not make the rest look passed. */
    @Test
    void theOrderIsThatOfThePlan() throws IOException {
        FarStore store = new FarStore(Runnable::run);
        int index = 5 * RANGE;
        try (SequentialReads reads = SequentialReads.of(store)) {
            ObjectReader reader =
                    reads.over(
                            store.open(),
                            List.of(new ByteRange(index, 1000), new ByteRange(0, index)));
            check(reader, index, 1000);
            for (int at = 0; at < index; at += RANGE / 4) {
                check(reader, at, RANGE / 4);
            }
            check(reader, index - 100, 300); // small ranges are kept
            assertThat(requests).hasValue(6);
            check(reader, 10, 10); // gone, or never planned
            check(reader, 6 * RANGE, 10);
            check(reader, index + 990, 20);
            assertThat(requests).hasValue(9);
            assertThatThrownBy(
                            () ->
                                    reads.over(
                                            store.open(),
                                            List.of(new ByteRange(10, 10), new ByteRange(0, 11))))
                    .hasMessageContaining("do not overlap");
        }
    }

    /** What is small is kept to the end of its object, which may be one of very many. */
    @Test
    void objectsBeforeCanBeForgotten() throws IOException {
        FarStore store = new FarStore(tasks::add);
        try (SequentialReads reads = SequentialReads.of(store)) {
            ObjectReader large = reads.over(store.open(), whole());
            check(large, 0, 10);
            assertThat(store.aheadBytes()).isPositive();
            ObjectReader small = reads.over(store.open(), List.of(new ByteRange(0, 1000)));
            check(small, 0, 10);
            check(small, 10, 10);
            assertThat(requests).hasValue(2);
            reads.forget();
            assertThat(store.aheadBytes()).isZero();
            check(small, 20, 10);
            check(large, 20, 10);
            assertThat(requests).hasValue(4);
            check(reads.over(store.open(), whole()), 0, 10); // it goes on with others
            assertThat(requests).hasValue(5);
        }
        assertThat(store.aheadBytes()).isZero();
    }

    @Test
    void aPartIsForgottenWithoutTheOthers() throws IOException {
        FarStore store = new FarStore(tasks::add);
        try (SequentialReads reads = SequentialReads.of(store)) {
            SequentialReads part = reads.part();
            ObjectReader large = part.over(store.open(), whole());
            check(large, 0, 10);
            assertThat(store.aheadBytes()).isPositive();
            ObjectReader other = reads.over(store.open(), List.of(new ByteRange(0, 1000)));
            check(other, 0, 10);
            assertThat(requests).hasValue(2);

            part.forget();
            assertThat(store.aheadBytes()).isZero();
            check(other, 10, 10); // is still in memory
            assertThat(requests).hasValue(2);
            check(large, 20, 10);
            assertThat(requests).hasValue(3);

            check(part.over(store.open(), whole()), 0, 10);
            assertThat(requests).hasValue(4);
            part.close();
            assertThat(store.aheadBytes()).isZero();
            check(reads.over(store.open(), whole()), 0, 10); // the whole goes on with others
            assertThat(requests).hasValue(5);
        }
        assertThat(store.aheadBytes()).isZero();
    }

    @Test
    void randomReadsAreThoseOfTheObject() throws IOException {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            FarStore store = new FarStore(executor);
            Random random = new Random(7);
            try (SequentialReads reads = SequentialReads.of(store)) {
                List<ObjectReader> readers = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    readers.add(reads.over(store.open(), whole()));
                }
                for (int i = 0; i < 400; i++) {
                    int length = 1 + random.nextInt(2 * RANGE);
                    int offset = random.nextInt(content.length - length);
                    check(readers.get(random.nextInt(3)), offset, length);
                }
            }
            assertThat(store.aheadBytes()).isZero();
        }
    }

    /** A failure is told to who reads, and is over when the store answers again. */
    @Test
    void failuresAreThoseOfTheStore() throws IOException {
        FarStore store = new FarStore(Runnable::run);
        try (SequentialReads reads = SequentialReads.of(store)) {
            ObjectReader reader = reads.over(store.open(), whole());
            isFailing.set(true);
            assertThatThrownBy(() -> reader.read(0, 10))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no route to the store");
            isFailing.set(false);
            for (int at = 0; at + RANGE < content.length; at += RANGE) {
                check(reader, at, RANGE);
            }
        }
        assertThat(store.aheadBytes()).isZero();
    }

    @Test
    void aLocalStoreIsReadAsItIs() throws IOException {
        InMemoryObjectStore near = new InMemoryObjectStore();
        near.put(PATH, content);
        ObjectReader reader = near.open(PATH, content.length);
        try (SequentialReads reads = SequentialReads.of(near)) {
            assertThat(reads.over(reader, whole())).isSameAs(reader);
        }
    }
}
