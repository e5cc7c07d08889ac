package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** The fit, and the number of requests that follows from it, on made-up requests. */
class TestLatencyModel {
    private static final double BASE = 30e6;
    private static final double PER_BYTE = 20e6 / (1 << 20);

    @Test
    void theFitFindsBaseAndDataLatencyBesideStragglers() {
        for (long seed = 0; seed < 20; seed++) {
            LatencyFit fit = LatencyRegression.fit(samples(64, new Random(seed), true, 0.1));
            assertThat(fit.baseNanos())
                    .as("seed %d", seed)
                    .isCloseTo(BASE, Percentage.withPercentage(30));
            assertThat(fit.nanosPerByte()).isCloseTo(PER_BYTE, Percentage.withPercentage(15));
        }
    }

    @Test
    void equalSizesAreFittedByTheirFirstBytes() {
        for (long seed = 0; seed < 20; seed++) {
            LatencyFit fit = LatencyRegression.fit(samples(64, new Random(seed), false, 0.1));
            assertThat(fit.baseNanos()).isCloseTo(BASE, Percentage.withPercentage(30));
            assertThat(fit.nanosPerByte()).isCloseTo(PER_BYTE, Percentage.withPercentage(10));
            assertThat(fit.nanos(16 << 20)).isCloseTo(350e6, Percentage.withPercentage(10));
        }
    }

    @Test
    void timesThatFallWithSizeAreNoSlope() {
        List<RequestSample> samples =
                List.of(
                        new RequestSample(100, 5, 50_000_000),
                        new RequestSample(10_000_000, 5, 1_000_000));
        assertThat(LatencyRegression.fit(samples).nanosPerByte()).isZero();
    }

    /** AnyBlob, section 2.8: 200 to 250 requests of 16 MiB for 100 Gbit/s. */
    @Test
    void theModelGivesTheNumbersOfThePaper() {
        double requests = InFlightModel.requests(100e9 / 8, LatencyFit.S3, 16 << 20);
        assertThat(requests).isBetween(200.0, 270.0);
        assertThat(InFlightModel.requests(100e9 / 8, LatencyFit.S3, 8 << 20))
                .isGreaterThan(requests);
    }

    @Test
    void theNumberOfRequestsFollowsThroughputWithinLimits() {
        InFlightModel model = new InFlightModel(4, 100, 20, OptionalLong.empty());
        assertThat(model.limit()).isEqualTo(20);
        LatencyHistory.Usual usual = new LatencyHistory.Usual(LatencyFit.S3, BASE, 16 << 20);
        model.update(usual, 0);
        assertThat(model.limit()).isEqualTo(4);
        // 48 MB/s a connection: 480 MB/s are ten connections, and twice as many have room
        model.update(usual, 10 * (16 << 20) / 0.35);
        assertThat(model.limit()).isCloseTo(20, within(1));
        model.update(usual, 1e12);
        assertThat(model.limit()).isEqualTo(100);
    }

    @Test
    void ownQueuesDoNotMakeTheNumberGrow() {
        InFlightModel model = new InFlightModel(1, 1_000, 20, OptionalLong.of(1_000_000_000));
        model.update(new LatencyHistory.Usual(LatencyFit.S3, BASE, 16 << 20), 0);
        int quiet = model.limit();
        model.update(
                new LatencyHistory.Usual(
                        new LatencyFit(5 * BASE, 5 * PER_BYTE), 5 * BASE, 16 << 20),
                0);
        assertThat(model.limit()).isEqualTo(quiet);
        for (int i = 0; i < 16; i++) { // but a store that has become slow is believed in the end
            model.update(
                    new LatencyHistory.Usual(
                            new LatencyFit(5 * BASE, 5 * PER_BYTE), 5 * BASE, 16 << 20),
                    0);
        }
        assertThat(model.limit()).isCloseTo(5 * quiet, within(5));
    }

    @Test
    void throughputIsTheBestQuarterSecondOfTen() {
        ThroughputMeter meter = new ThroughputMeter(0);
        meter.add(1_000, 100_000_000);
        meter.add(500, 300_000_000);
        assertThat(meter.bytesPerSecond(300_000_000)).isEqualTo(4_000);
        assertThat(meter.bytesPerSecond(9_900_000_000L)).isEqualTo(4_000);
        assertThat(meter.bytesPerSecond(10_100_000_000L)).isEqualTo(2_000);
        assertThat(meter.bytesPerSecond(100_000_000_000L)).isZero();
    }

    @Test
    void nothingIsUsualBeforeThereAreEnoughRequests() {
        LatencyHistory history = new LatencyHistory();
        List<RequestSample> samples = samples(LatencyHistory.MIN_SAMPLES, new Random(1), true, 0);
        for (RequestSample sample : samples.subList(1, samples.size())) {
            history.add(sample);
            assertThat(history.usual()).isEmpty();
        }
        history.add(samples.getFirst());
        assertThat(history.usual()).isPresent();
    }

    @Test
    void lateIsThreeFirstBytesOrTwiceTheTime() {
        LatencyHistory.Usual usual = new LatencyHistory.Usual(LatencyFit.S3, BASE, 16 << 20);
        long size = 16 << 20;
        assertThat(HedgePolicy.checkAfterNanos(usual, false, size)).isEqualTo(90_000_000);
        assertThat(HedgePolicy.checkAfterNanos(usual, true, size)).isEqualTo(700_000_000);
        assertThat(HedgePolicy.isLate(usual, 89_000_000, false, 0, size)).isFalse();
        assertThat(HedgePolicy.isLate(usual, 90_000_000, false, 0, size)).isTrue();
        assertThat(HedgePolicy.isLate(usual, 690_000_000, true, 1 << 20, size)).isFalse();
        assertThat(HedgePolicy.isLate(usual, 700_000_000, true, 1 << 20, size)).isTrue();
        // Nearly there: another one would not be sooner
        assertThat(HedgePolicy.isLate(usual, 700_000_000, true, 14 << 20, size)).isFalse();
        // A store that answers within microseconds: pauses of our own are not its fault
        LatencyHistory.Usual near = new LatencyHistory.Usual(new LatencyFit(1e5, 0), 1e5, 4096);
        assertThat(HedgePolicy.checkAfterNanos(near, false, 4096)).isEqualTo(20_000_000);
    }

    /** The excuse ends: a store that has stopped is asked again by the busiest process. */
    @Test
    void aBusyProcessIsExcusedForASecondAtMost() {
        assertThat(HedgePolicy.excusedNanos(0, 1_999_999)).isZero();
        assertThat(HedgePolicy.excusedNanos(7, 1_999_999)).isEqualTo(7);
        assertThat(HedgePolicy.excusedNanos(0, 2_000_000)).isEqualTo(4_000_000);
        assertThat(HedgePolicy.excusedNanos(4_000_000, 10_000_000)).isEqualTo(24_000_000);
        assertThat(HedgePolicy.excusedNanos(900_000_000, 300_000_000)).isEqualTo(1_000_000_000);
    }

    private static List<RequestSample> samples(
            int count, Random random, boolean sizesDiffer, double stragglers) {
        List<RequestSample> samples = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long bytes = sizesDiffer ? 4096L << random.nextInt(13) : 16 << 20;
            double factor = random.nextDouble() < stragglers ? 10 : 0.9 + 0.2 * random.nextDouble();
            samples.add(
                    new RequestSample(
                            bytes,
                            (long) (BASE * factor),
                            (long) ((BASE + bytes * PER_BYTE) * factor)));
        }
        return samples;
    }
}
