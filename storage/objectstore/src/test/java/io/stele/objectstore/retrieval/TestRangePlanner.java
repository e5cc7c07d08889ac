package io.stele.objectstore.retrieval;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TestRangePlanner {
    private static final int MIB = 1 << 20;

    @Test
    void largeRangesAreSplitIntoHalfToWholeRequests() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            ByteRange range =
                    new ByteRange(random.nextLong(1L << 40), 1 + random.nextInt(300 * MIB));
            List<ByteRange> pieces = RangePlanner.DEFAULT.split(range);
            long at = range.offset();
            for (ByteRange piece : pieces) {
                assertThat(piece.offset()).isEqualTo(at);
                assertThat(piece.length()).isLessThanOrEqualTo(16 * MIB);
                if (pieces.size() > 1) {
                    assertThat(piece.length()).isGreaterThanOrEqualTo(8 * MIB);
                }
                at = piece.end();
            }
            assertThat(at).isEqualTo(range.end());
        }
    }

    @Test
    void whatFitsARequestIsOne() {
        ByteRange range = new ByteRange(5, 16 * MIB);
        assertThat(RangePlanner.DEFAULT.split(range)).containsExactly(range);
        assertThat(RangePlanner.DEFAULT.split(new ByteRange(5, 16 * MIB + 1))).hasSize(2);
    }

    @Test
    void nearRangesAreJoinedInOrderOfTheirOffsets() {
        RangePlanner planner = new RangePlanner(10, 100);
        List<RangePlanner.Planned> planned =
                planner.merge(
                        List.of(
                                new ByteRange(200, 20),
                                new ByteRange(0, 20),
                                new ByteRange(30, 20),
                                new ByteRange(61, 5)));
        assertThat(planned)
                .containsExactly(
                        new RangePlanner.Planned(new ByteRange(0, 50), List.of(1, 2)),
                        new RangePlanner.Planned(new ByteRange(61, 5), List.of(3)),
                        new RangePlanner.Planned(new ByteRange(200, 20), List.of(0)));
    }

    @Test
    void aJoinedRangeIsNoLongerThanARequest() {
        RangePlanner planner = new RangePlanner(10, 100);
        assertThat(planner.merge(List.of(new ByteRange(0, 60), new ByteRange(60, 40)))).hasSize(1);
        assertThat(planner.merge(List.of(new ByteRange(0, 60), new ByteRange(60, 41)))).hasSize(2);
        // What is longer by itself may have others within
        assertThat(planner.merge(List.of(new ByteRange(0, 500), new ByteRange(60, 41)))).hasSize(1);
    }

    @Test
    void everyWantedRangeLiesInItsRequest() {
        Random random = new Random(2);
        RangePlanner planner = new RangePlanner(64, 1_000);
        for (int round = 0; round < 500; round++) {
            List<ByteRange> wanted = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                wanted.add(new ByteRange(random.nextInt(10_000), 1 + random.nextInt(1_500)));
            }
            List<Integer> seen = new ArrayList<>();
            for (RangePlanner.Planned planned : planner.merge(wanted)) {
                for (int number : planned.wanted()) {
                    assertThat(planned.range().contains(wanted.get(number))).isTrue();
                    seen.add(number);
                }
                if (planned.wanted().size() > 1 && planned.range().length() > 1_000) {
                    assertThat(planned.wanted().stream().map(wanted::get))
                            .contains(planned.range());
                }
            }
            assertThat(seen).hasSize(wanted.size()).doesNotHaveDuplicates();
        }
    }

    @Test
    void badRangesAreRefused() {
        assertThatThrownBy(() -> new ByteRange(-1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ByteRange(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ByteRange(Long.MAX_VALUE, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
