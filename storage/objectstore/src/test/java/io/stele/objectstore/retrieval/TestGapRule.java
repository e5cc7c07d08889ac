package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ParallelReads;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TestGapRule {
    private static final int MIB = 1 << 20;
    private static final GapRule RULE = new GapRule(MIB / 2, MIB / 16, 2 * MIB);

    /** Millis of a request, and of a MiB. */
    private static LatencyFit fit(double request, double mib) {
        return new LatencyFit(request * 1e6, mib * 1e6 / MIB);
    }

    @Test
    void aGapIsAShareOfTheBytesOfARequest() {
        assertThat(RULE.bytes(LatencyFit.S3)).isEqualTo(MIB / 2);
        assertThat(RULE.bytes(fit(60, 20))).as("requests are long").isEqualTo(MIB);
        assertThat(RULE.bytes(fit(30, 80))).as("bytes are slow").isEqualTo(MIB / 8);
        assertThat(RULE.bytes(fit(1, 0.5)))
                .as("near and fast")
                .isEqualTo((int) Math.round(MIB * 2 / 3.0));
    }

    @Test
    void itIsBounded() {
        assertThat(RULE.bytes(fit(1_000, 1))).isEqualTo(2 * MIB);
        assertThat(RULE.bytes(fit(1, 0))).isEqualTo(2 * MIB);
        assertThat(RULE.bytes(fit(0, 0))).isEqualTo(2 * MIB);
        assertThat(RULE.bytes(fit(0, 20))).isEqualTo(MIB / 16);
        assertThat(GapRule.fixed(7).bytes(fit(1_000, 1))).isEqualTo(7);
        assertThatThrownBy(() -> new GapRule(1, 2, 3)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void readersFollowTheLatenciesOfTheirStore() {
        LatencyFit[] latency = {LatencyFit.S3};
        ReadingAhead ahead =
                new ReadingAhead(
                        new ReadAheadBalance(MIB, System::nanoTime),
                        Runnable::run,
                        () -> latency[0]);
        ParallelReads far =
                ParallelReads.of(
                        new ForwardingObjectStore(new InMemoryObjectStore()) {
                            @Override
                            public Optional<ReadingAhead> readingAhead() {
                                return Optional.of(ahead);
                            }
                        });
        assertThat(far.planner(RULE)).isEqualTo(new RangePlanner(MIB / 2, MIB));
        latency[0] = fit(60, 20);
        assertThat(far.planner(RULE)).isEqualTo(new RangePlanner(MIB, 2 * MIB));
        assertThat(ParallelReads.of(new InMemoryObjectStore()).planner(RULE))
                .as("a local disk")
                .isEqualTo(new RangePlanner(MIB / 2, MIB));
        assertThat(
                        ParallelReads.of(
                                        new FarObjectStore(
                                                new InMemoryObjectStore(),
                                                Runnable::run,
                                                System::nanoTime))
                                .planner(RULE))
                .as("before any measurement")
                .isEqualTo(new RangePlanner(MIB / 2, MIB));
    }
}
