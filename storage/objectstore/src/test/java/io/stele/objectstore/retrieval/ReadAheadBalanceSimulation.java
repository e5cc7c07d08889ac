package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Scans over a store with a latency and a bandwidth, in virtual time: whatever is slower is at work
 * nearly always, and what is ahead is no more than that takes.
 */
final class ReadAheadBalanceSimulation {
    private static final long RANGE = 1 << 20;
    private static final long PER_RANGE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_BYTES = 256 * RANGE;

    private final VirtualTime time = new VirtualTime();
    private final ReadAheadBalance balance = new ReadAheadBalance(MAX_BYTES, time);
    private long networkFreeAt = time.getAsLong();
    private long networkBusyNanos;
    private double networkBytesPerSecond = 1e12;
    private long baseNanos = TimeUnit.MILLISECONDS.toNanos(30);
    private long mostAhead;

    /** The store's latency is learned from what is fetched while little else is. */
    @ParameterizedTest
    @ValueSource(longs = {1, 10, 100, 400})
    void aNearOrFarStoreIsFoundOut(long baseMillis) {
        baseNanos = TimeUnit.MILLISECONDS.toNanos(baseMillis);
        List<Scan> scans = List.of(new Scan(100e6), new Scan(10e6));
        run(60);
        assertThat(busyShare(scans, 20)).isGreaterThan(0.98);
        // Of a nearer store than S3 nobody needs to know
        double nanos = LatencyFit.S3.nanos(RANGE) + baseNanos;
        assertThat((double) balance.statistics().aheadBytes())
                .isLessThanOrEqualTo(2.2 * 110e6 * nanos / SECOND + 2 * RANGE);
    }

    /** A request, whose bytes share the network with all others'. */
    private void fetch(Runnable then) {
        ReadAheadBalance.Fetch fetch = balance.fetching();
        long start = time.getAsLong();
        long transfer = (long) (RANGE * SECOND / networkBytesPerSecond);
        networkFreeAt = Math.max(networkFreeAt, start) + transfer;
        networkBusyNanos += transfer;
        long end = Math.max(networkFreeAt, start + baseNanos + PER_RANGE_NANOS);
        time.schedule(
                end - start,
                () -> {
                    fetch.ended(RANGE);
                    then.run();
                });
    }

    /** Goes through ranges one after the other, for ever. */
    private final class Scan {
        private final ReadAheadBalance.Processor processor = balance.open();
        private double bytesPerSecond;
        private int reached;
        private int arrived; // in order, as the latency is the same
        private boolean isWaiting = true;
        private long busyNanos;
        private long ahead;

        Scan(double bytesPerSecond) {
            this.bytesPerSecond = bytesPerSecond;
            beginMore();
        }

        private void beginMore() {
            while (processor.begin(RANGE)) {
                ahead++;
                assertThat(ahead == 1 || balance.statistics().aheadBytes() <= MAX_BYTES).isTrue();
                mostAhead = Math.max(mostAhead, balance.statistics().aheadBytes());
                fetch(
                        () -> {
                            arrived++;
                            goOn();
                        });
            }
        }

        private void goOn() {
            if (!isWaiting || arrived == reached) {
                return;
            }
            isWaiting = false;
            processor.resumes();
            reached++;
            ahead--;
            processor.reached(RANGE);
            beginMore();
            long nanos = (long) (RANGE * SECOND / bytesPerSecond);
            time.schedule(
                    nanos,
                    () -> {
                        busyNanos += nanos;
                        isWaiting = true;
                        processor.waits(reached * RANGE);
                        beginMore();
                        goOn();
                    });
        }
    }

    private void run(long seconds) {
        time.runUntil(time.getAsLong() + seconds * SECOND);
    }

    /** The share of the last seconds in which scans computed. */
    private double busyShare(List<Scan> scans, long seconds) {
        long before = scans.stream().mapToLong(scan -> scan.busyNanos).sum();
        run(seconds);
        long after = scans.stream().mapToLong(scan -> scan.busyNanos).sum();
        return (double) (after - before) / (seconds * SECOND * scans.size());
    }

    private double networkShare(long seconds) {
        long before = networkBusyNanos;
        run(seconds);
        return (double) (networkBusyNanos - before) / (seconds * SECOND);
    }

    /** What computes more than it reads never waits, and holds little. */
    @ParameterizedTest
    @ValueSource(doubles = {2e6, 20e6, 200e6, 800e6})
    void slowWorkNeverWaits(double bytesPerSecond) {
        List<Scan> scans = List.of(new Scan(bytesPerSecond), new Scan(bytesPerSecond));
        run(5);
        // Ranges that are finished are counted: many
        assertThat(busyShare(scans, Math.max(5, (long) (400e6 / bytesPerSecond))))
                .isGreaterThan(0.99);
        double needed = 2 * bytesPerSecond * (baseNanos + PER_RANGE_NANOS) / SECOND;
        assertThat((double) balance.statistics().aheadBytes())
                .isLessThanOrEqualTo(2 * needed + 2 * RANGE);
    }

    /** What reads more than the network brings keeps the network full, and no more in its queue. */
    @ParameterizedTest
    @ValueSource(doubles = {50e6, 500e6, 2e9})
    void aFullNetworkStaysFull(double networkBytesPerSecond) {
        this.networkBytesPerSecond = networkBytesPerSecond;
        Scan fast = new Scan(20e9);
        run(20);
        assertThat(networkShare(5)).isGreaterThan(0.99);
        assertThat(fast.busyNanos).isPositive();
        double needed = networkBytesPerSecond * (baseNanos + PER_RANGE_NANOS) / SECOND;
        assertThat((double) balance.statistics().aheadBytes())
                .isLessThanOrEqualTo(2.5 * needed + 16 * RANGE); // eight are no queue
    }

    /** One that computes much and becomes one that reads much, and the other way. */
    @Test
    void itFollowsWorkThatChanges() {
        networkBytesPerSecond = 1e9;
        Scan scan = new Scan(4e6);
        run(10);
        assertThat(balance.statistics().aheadBytes()).isLessThanOrEqualTo(2 * RANGE);
        scan.bytesPerSecond = 20e9;
        run(20);
        assertThat(networkShare(5)).isGreaterThan(0.99);
        long wide = balance.statistics().aheadBytes();
        assertThat(wide).isGreaterThan(40 * RANGE);
        scan.bytesPerSecond = 4e6;
        run(60);
        assertThat(balance.statistics().aheadBytes()).isLessThanOrEqualTo(2 * RANGE);
        assertThat(busyShare(List.of(scan), 100)).isGreaterThan(0.99);
    }

    /** Who processes more has more ahead. */
    @Test
    void theNetworkIsSharedByWhatIsProcessed() {
        networkBytesPerSecond = 400e6;
        Scan fast = new Scan(900e6);
        Scan slow = new Scan(100e6);
        run(20);
        long fastBefore = fast.reached;
        long slowBefore = slow.reached;
        assertThat(networkShare(10)).isGreaterThan(0.95);
        double fastShare = (double) (fast.reached - fastBefore);
        double slowShare = (double) (slow.reached - slowBefore);
        assertThat(fastShare / slowShare).isBetween(3.0, 12.0);
        assertThat(fast.ahead).isGreaterThan(slow.ahead);
    }

    /** Many together never have more than the limit, but for one range each. */
    @Test
    void theLimitHolds() {
        networkBytesPerSecond = 20e9;
        Random random = new Random(5);
        List<Scan> scans = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            scans.add(new Scan(1e9 * (1 + random.nextInt(9))));
            run(1);
        }
        assertThat(mostAhead).isLessThanOrEqualTo(MAX_BYTES + scans.size() * RANGE);
        assertThat(balance.statistics().processors()).isEqualTo(20);
        scans.forEach(scan -> scan.processor.close());
        assertThat(balance.statistics().aheadBytes()).isZero();
        assertThat(balance.statistics().processors()).isZero();
        assertThat(scans.getFirst().processor.begin(1)).isFalse();
    }
}
