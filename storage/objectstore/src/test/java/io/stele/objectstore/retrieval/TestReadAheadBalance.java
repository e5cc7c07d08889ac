package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** One rule of the balance at a time, with a clock that somebody moves. */
class TestReadAheadBalance {
    private static final long MIB = 1 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong now = new AtomicLong(SECOND);
    private final ReadAheadBalance balance = new ReadAheadBalance(256 * MIB, now::get);

    /** As much as it gets, in ranges of a size. */
    private static long begin(ReadAheadBalance.Processor processor, long bytes) {
        long begun = 0;
        while (begun < 1024 * MIB && processor.begin(bytes)) {
            begun += bytes;
        }
        return begun;
    }

    /** A fetch that takes as long, and its end. */
    private void fetch(long bytes, long nanos) {
        ReadAheadBalance.Fetch fetch = balance.fetching();
        now.addAndGet(nanos);
        fetch.ended(bytes);
    }

    private static long bytesOf(double bytesPerSecond, double nanos) {
        return (long) (2 * bytesPerSecond * nanos / SECOND);
    }

    @Test
    void whoseSpeedIsUnknownHasSixteenMebibytes() {
        ReadAheadBalance.Processor processor = balance.open();
        assertThat(begin(processor, MIB)).isEqualTo(ReadAheadBalance.INITIAL_BYTES);
        assertThat(begin(balance.open(), 3 * MIB)).isEqualTo(15 * MIB);
        assertThat(balance.statistics().aheadBytes()).isEqualTo(31 * MIB);
        // One range is never refused, and the second one always waits for room
        assertThat(begin(balance.open(), 100 * MIB)).isEqualTo(100 * MIB);
        processor.reached(2 * MIB);
        assertThat(begin(processor, MIB)).isEqualTo(2 * MIB);
    }

    @Test
    void allTogetherHaveNoMoreThanTheLimit() {
        ReadAheadBalance small = new ReadAheadBalance(20 * MIB, now::get);
        assertThat(begin(small.open(), MIB)).isEqualTo(16 * MIB);
        ReadAheadBalance.Processor second = small.open();
        assertThat(begin(second, MIB)).isEqualTo(4 * MIB);
        // One range each is beyond
        ReadAheadBalance.Processor third = small.open();
        assertThat(begin(third, 7 * MIB)).isEqualTo(7 * MIB);
        assertThat(small.statistics().aheadBytes()).isEqualTo(27 * MIB);
        second.close();
        second.close();
        assertThat(small.statistics().aheadBytes()).isEqualTo(23 * MIB);
        second.reached(MIB);
        assertThat(second.begin(1)).isFalse();
        assertThat(small.statistics().aheadBytes()).isEqualTo(23 * MIB);
        third.reached(100 * MIB); // it has not as much
        assertThat(small.statistics().aheadBytes()).isEqualTo(16 * MIB);
    }

    /** Who was refused because others had the room, and only then. */
    @Test
    void roomThatIsGivenBackIsOfferedToOthers() {
        ReadAheadBalance small = new ReadAheadBalance(20 * MIB, now::get);
        AtomicLong offers = new AtomicLong();
        AtomicLong ownOffers = new AtomicLong();
        ReadAheadBalance.Processor first = small.open(ownOffers::incrementAndGet);
        ReadAheadBalance.Processor second = small.open(offers::incrementAndGet);
        begin(first, MIB);
        second.begin(MIB);
        first.reached(MIB);
        assertThat(offers).as("it was not refused").hasValue(0);
        assertThat(begin(second, MIB)).isEqualTo(4 * MIB);
        second.reached(0);
        assertThat(ownOffers).as("its own window is full").hasValue(0);
        first.reached(2 * MIB);
        assertThat(offers).hasValue(1);
        assertThat(ownOffers).hasValue(0);
        first.reached(MIB);
        assertThat(offers).as("it did not ask again").hasValue(1);
        assertThat(begin(second, MIB)).isEqualTo(3 * MIB);
        first.close();
        assertThat(offers).hasValue(2);
        assertThat(begin(second, MIB)).isEqualTo(8 * MIB);
        second.close();
        assertThat(offers).hasValue(2);
        assertThat(ownOffers).hasValue(0);
    }

    /** A stripe of which nothing is wanted, or all is here, has its turn whatever is ahead. */
    @Test
    void nothingNeedsNoRoom() {
        ReadAheadBalance.Processor processor = balance.open();
        begin(processor, MIB);
        assertThat(processor.begin(0)).isTrue();
        long refused = balance.statistics().refused();
        assertThat(processor.begin(1)).isFalse();
        assertThat(balance.statistics().refused()).isEqualTo(refused + 1);
    }

    /** In any of the ways in which it tells that it waits. */
    @Test
    void whatItWaitsIsNotItsWork() {
        ReadAheadBalance.Processor reading = balance.open();
        now.addAndGet(SECOND);
        reading.processed(100 * MIB, 9 * SECOND / 10);
        assertThat(balance.statistics().processedBytesPerSecond()).isEqualTo(1000 * MIB);
        reading.close();
        ReadAheadBalance.Processor blocked = balance.open();
        now.addAndGet(SECOND / 10);
        blocked.waits(100 * MIB);
        now.addAndGet(5 * SECOND);
        blocked.resumes();
        now.addAndGet(SECOND / 10);
        blocked.processed(200 * MIB, 0);
        assertThat((double) balance.statistics().processedBytesPerSecond())
                .isCloseTo(1000.0 * MIB, within(2.0));
    }

    /** What lies in the pages already is not retrieved: the network says nothing then. */
    @Test
    void withoutANetworkItsOwnSpeedCounts() {
        ReadAheadBalance.Processor processor = balance.open();
        now.addAndGet(SECOND);
        processor.processed(400 * MIB, 0);
        long expected = bytesOf(400.0 * MIB, LatencyFit.S3.nanos(MIB));
        assertThat(balance.statistics().windowBytes()).isEqualTo(expected);
        assertThat(begin(processor, MIB)).isEqualTo(expected / MIB * MIB);
        fetch(0, SECOND / 10); // was here, or failed
        assertThat(balance.statistics().windowBytes()).isEqualTo(expected);
        assertThat(balance.statistics().retrievedBytesPerSecond()).isZero();
        assertThat(balance.statistics().latencyMillis()).isEqualTo(50);
    }

    /** The network is shared by what each could process. */
    @Test
    void aSlowNetworkMakesLessOfIt() {
        ReadAheadBalance.Processor fast = balance.open();
        ReadAheadBalance.Processor slow = balance.open();
        now.addAndGet(SECOND);
        fast.processed(600 * MIB, 0);
        slow.processed(200 * MIB, 0);
        fetch(25 * MIB, 0); // 100 MiB in a second of such quarters
        assertThat(balance.statistics().retrievedBytesPerSecond()).isEqualTo(100 * MIB);
        long expected = bytesOf(75.0 * MIB, LatencyFit.S3.nanos(MIB));
        assertThat(balance.statistics().windowBytes()).isEqualTo(expected);
        slow.close();
        assertThat(balance.statistics().windowBytes())
                .isEqualTo(bytesOf(100.0 * MIB, LatencyFit.S3.nanos(MIB)));
        // Ten seconds later nothing is known of it any more
        now.addAndGet(11 * SECOND);
        assertThat(balance.statistics().windowBytes())
                .isEqualTo(bytesOf(600.0 * MIB, LatencyFit.S3.nanos(MIB)));
    }

    /** Fetches beside many others wait for each other, and do not say how far the store is. */
    @Test
    void onlyQuietFetchesTellTheLatency() {
        for (int i = 0; i < 64; i++) {
            fetch(MIB, 200_000_000);
        }
        assertThat(balance.statistics().latencyMillis()).isCloseTo(200, within(1.0));
        ReadAheadBalance.Fetch[] queue = new ReadAheadBalance.Fetch[40];
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < queue.length; i++) {
                queue[i] = balance.fetching();
            }
            now.addAndGet(SECOND);
            for (int i = 0; i < queue.length; i++) {
                // The first eight are quiet, and as slow: they come to nothing
                queue[i].ended(i < 8 ? 0 : MIB);
                queue[i].ended(MIB); // the second time says nothing
            }
        }
        assertThat(balance.statistics().latencyMillis()).isCloseTo(200, within(1.0));
        for (int i = 0; i < 64; i++) {
            fetch(MIB, 20_000_000);
        }
        assertThat(balance.statistics().latencyMillis()).isCloseTo(20, within(1.0));
    }
}
