package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageStore.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A process that dies in each of its writes, after each number of bytes of it: the next one has all
 * that was kept before, and nothing wrong.
 */
class TestTornWrites {
    private static final PageGeometry GEOMETRY = new PageGeometry(1024, 68);
    private static final SegmentStoreOptions OPTIONS =
            new SegmentStoreOptions(GEOMETRY, 64, Map.of());
    private static final int PAGE = GEOMETRY.pageBytes();
    private static final int UNIT = GEOMETRY.unitPayloadBytes();

    /** Units of a page that one call puts; or a new process. */
    private record Step(int page, int first, int end) {
        private static final Step RESTART = new Step(-1, 0, 0);
    }

    private static final List<Step> STEPS =
            List.of(
                    new Step(0, 0, 16),
                    new Step(1, 5, 6), // alone in its group
                    new Step(2, 3, 6), // over the border of two
                    new Step(1, 6, 7), // moves
                    new Step(1, 4, 8), // comes to what is there
                    Step.RESTART,
                    new Step(3, 9, 10),
                    new Step(1, 0, 16),
                    new Step(4, 15, 16), // the short end of the file
                    new Step(4, 12, 13), // moves with it
                    new Step(3, 8, 12));

    private static final int FILE_BYTES = 5 * PAGE - 20;

    private final byte[] content = new byte[FILE_BYTES];
    private final CachedFile file = new CachedFile("t", "f", FILE_BYTES);
    private final Map<Integer, Integer> kept = new HashMap<>(); // units, a bit each, by page

    TestTornWrites() {
        new Random(3).nextBytes(content);
    }

    private static SegmentPageStore open(SimulatedDisk disk) {
        return new SegmentPageStore(
                OPTIONS,
                List.of(
                        new SegmentPageStore.Directory(
                                "d", OPTIONS.minBytes() + (1 << 16), disk::open)),
                () -> 0,
                new Random(1),
                Runnable::run);
    }

    /** Returns whether the process lived to the end. */
    private boolean run(SimulatedDisk disk) {
        kept.clear();
        SegmentPageStore store = open(disk);
        for (Step step : STEPS) {
            if (step.equals(Step.RESTART)) {
                store.close();
                if (disk.isDead()) {
                    return false;
                }
                store = open(disk);
            } else {
                int start = step.page() * PAGE + step.first() * UNIT;
                int end = Math.min(FILE_BYTES, step.page() * PAGE + step.end() * UNIT);
                store.put(file, step.page(), step.first() * UNIT, content, start, end - start);
                if (disk.isDead()) {
                    return false;
                }
                kept.merge(step.page(), Places.range(step.first(), step.end()), (a, b) -> a | b);
            }
        }
        return true;
    }

    private void check(SimulatedDisk disk, String crash) {
        disk.restart(false);
        SegmentPageStore store = open(disk);
        assertThat(store.statistics().directoriesOut()).as(crash).isZero();
        byte[] buffer = new byte[UNIT];
        for (int page = 0; page < 5; page++) {
            for (int unit = 0; unit < 16; unit++) {
                int start = page * PAGE + unit * UNIT;
                int length = Math.min(UNIT, FILE_BYTES - start);
                Outcome outcome = store.read(file, page, unit * UNIT, buffer, 0, length);
                if ((kept.getOrDefault(page, 0) & 1 << unit) != 0) {
                    assertThat(outcome)
                            .as("%s: %s of %s", crash, unit, page)
                            .isEqualTo(Outcome.HIT);
                }
                if (outcome == Outcome.HIT) {
                    assertThat(Arrays.copyOf(buffer, length))
                            .as("%s: unit %s of page %s", crash, unit, page)
                            .isEqualTo(Arrays.copyOfRange(content, start, start + length));
                }
            }
        }
        assertThat(store.statistics().damaged()).as(crash).isZero();
        // And it goes on from there
        assertThat(store.put(file, 2, content, 2 * PAGE, PAGE)).isTrue();
        disk.restart(false);
        assertThat(open(disk).read(file, 2, 0, new byte[PAGE], 0, PAGE)).isEqualTo(Outcome.HIT);
    }

    @Test
    void nothingIsLostAndNothingIsWrong() {
        int crashes = 0;
        List<Integer> sizes = new ArrayList<>();
        boolean lived = false;
        for (int write = 1; !lived; write++) {
            int size = 0;
            for (int bytes = 0; bytes <= size && !lived; bytes++) {
                SimulatedDisk disk = new SimulatedDisk(new Random(write));
                disk.crashAfter(write, bytes);
                lived = run(disk);
                if (!lived) {
                    size = disk.lastWriteBytes();
                    check(disk, "write " + write + " torn after " + bytes);
                    crashes++;
                }
            }
            sizes.add(size);
        }
        // Records, single units, groups of units and new names were among them
        assertThat(sizes)
                .contains(IndexJournal.PAGE_RECORD_BYTES, 68, 4 * 68, 1, IndexJournal.HEADER_BYTES);
        assertThat(crashes).isGreaterThan(1000);
    }
}
