package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index over a disk of which each unit says what was written there, under random uses. */
class TestPageIndex {
    private static final CachedFile FILE = new CachedFile("t", "f", 0);
    private static final int PAGES = 300;
    private static final int UNITS = 16;

    /** A disk and the writers that are under way, which may be late. */
    private static final class Model {
        private final Random random;
        private final PageIndex index;
        private final int[] disk;
        private final List<Placement> writing = new ArrayList<>();
        private final Map<PageKey, Integer> numbers = new HashMap<>();
        private int moved;
        private int extended;

        Model(long seed) {
            random = new Random(seed);
            int capacity = 320 + random.nextInt(700);
            index = new PageIndex(capacity, UNITS, random);
            index.reserve(1, capacity / 3);
            disk = new int[capacity];
            for (int page = 0; page < PAGES; page++) {
                numbers.put(FILE.key(page), page);
            }
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> begin();
                case 3, 4, 5 -> end();
                case 6 -> index.use(anyKey());
                default -> remove();
            }
        }

        private PageKey anyKey() {
            return FILE.key((int) (random.nextDouble() * random.nextDouble() * PAGES));
        }

        private void begin() {
            int first = random.nextInt(UNITS);
            int end = first + 1 + random.nextInt(random.nextBoolean() ? 1 : UNITS - first);
            PageKey key = anyKey();
            Optional<Placement> placement =
                    index.place(key, Places.range(first, end), random.nextInt(3));
            if (placement.isPresent() && placement.get().mask() != 0) {
                writing.add(placement.get());
            }
        }

        /** Writes now what got its room earlier. */
        private void end() {
            if (writing.isEmpty()) {
                return;
            }
            Placement placement = writing.remove(random.nextInt(writing.size()));
            if (random.nextInt(10) == 0) {
                index.cancel(placement);
                return;
            }
            write(placement);
            int entry = index.publish(placement, random.nextInt(3));
            if (entry != PageEntries.NONE) {
                assertThat(index.find(placement.key())).isEqualTo(entry);
            }
        }

        private void write(Placement placement) {
            int page = numbers.get(placement.key());
            for (int group = 0; group < Places.GROUPS; group++) {
                int copied = Places.groupIn(placement.copied(), group);
                if (copied != 0) {
                    int unit = Integer.numberOfTrailingZeros(copied);
                    int from = Places.unit(placement.source(group), unit);
                    assertThat(disk[from]).as("pinned source").isEqualTo(content(page, unit));
                    disk[Places.unit(placement.place(group), unit)] = disk[from];
                    moved++;
                }
                extended += placement.isPinned(group) ? 1 : 0;
            }
            for (int unit = 0; unit < UNITS; unit++) {
                if ((placement.mask() & 1 << unit) != 0) {
                    int place = placement.place(unit / Places.GROUP);
                    disk[Places.unit(place, unit)] = content(page, unit);
                }
            }
        }

        private static int content(int page, int unit) {
            return page * UNITS + unit + 1;
        }

        private void remove() {
            int entry = index.find(anyKey());
            if (entry != PageEntries.NONE && random.nextInt(4) == 0) {
                index.remove(entry);
            }
        }

        /** Each unit lies where its page says, no room has two owners, and the sums are right. */
        void check() {
            boolean[] used = new boolean[disk.length];
            int[] order = index.inOrder();
            assertThat(Arrays.stream(order).distinct().count()).isEqualTo(order.length);
            assertThat(order.length).isEqualTo(index.entries().size());
            int space = 0;
            int[] ofTables = new int[3];
            for (int entry : order) {
                space += checkEntry(entry, used);
                ofTables[index.entries().table(entry)] += index.space(entry);
            }
            assertThat(index.queuedUnits()).isEqualTo(space);
            for (int table = 0; table < ofTables.length; table++) {
                assertThat(index.usedUnits(table)).isEqualTo(ofTables[table]);
            }
            assertThat(index.allocator().used()).isBetween(space, index.allocator().capacity());
            if (writing.isEmpty()) {
                assertThat(index.allocator().used()).isEqualTo(space);
            }
        }

        private int checkEntry(int entry, boolean[] used) {
            PageEntries entries = index.entries();
            PageKey key = new PageKey(entries.high(entry), entries.low(entry));
            assertThat(index.find(key)).isEqualTo(entry);
            assertThat(entries.mask(entry)).isNotZero();
            for (int group = 0; group < Places.GROUPS; group++) {
                int place = entries.place(entry, group);
                int units = Places.ofGroup(entries.mask(entry), group);
                assertThat(place == Places.NONE).isEqualTo(units == 0);
                for (int i = 0; i < Places.space(place); i++) {
                    int unit = Places.firstUnit(place) + i;
                    assertThat(used[unit]).as("unit %s", unit).isFalse();
                    assertThat(index.allocator().isUsed(unit)).isTrue();
                    used[unit] = true;
                }
            }
            for (int unit = 0; unit < UNITS; unit++) {
                if ((entries.mask(entry) & 1 << unit) != 0) {
                    int place = entries.place(entry, unit / Places.GROUP);
                    assertThat(disk[Places.unit(place, unit)])
                            .as("unit %s of page %s", unit, numbers.get(key))
                            .isEqualTo(content(numbers.get(key), unit));
                }
            }
            return index.space(entry);
        }

        void endAll() {
            while (!writing.isEmpty()) {
                end();
            }
        }
    }

    @Test
    void eachUnitIsWhereItsPageSays() {
        int moved = 0;
        int extended = 0;
        for (long seed = 0; seed < 100; seed++) {
            Model model = new Model(seed);
            for (int step = 0; step < 4000; step++) {
                model.step();
                if (step % 50 == 0) {
                    model.check();
                }
            }
            model.endAll();
            model.check();
            assertThat(model.index.evictions()).as("seed %s", seed).isPositive();
            moved += model.moved;
            extended += model.extended;
        }
        assertThat(moved).isGreaterThan(1000);
        assertThat(extended).isGreaterThan(1000);
    }

    /** Room in which somebody still writes is given to nobody else, though its page has gone. */
    @Test
    void roomOfAPageThatGoesStaysWithItsWriter() {
        PageIndex index = new PageIndex(1600, UNITS, new Random(1));
        PageKey key = FILE.key(1);
        index.publish(index.place(key, 0b11, 0).orElseThrow(), 0);
        Placement late = index.place(key, 0b111, 0).orElseThrow();
        assertThat(late.mask()).isEqualTo(0b100);
        assertThat(late.isPinned(0)).isTrue();
        index.remove(index.find(key));
        Placement other = index.place(FILE.key(2), 0b1111, 0).orElseThrow();
        assertThat(other.place(0)).isNotEqualTo(late.place(0));
        assertThat(index.publish(late, 0)).isEqualTo(PageEntries.NONE);
        Placement next = index.place(FILE.key(3), 0b1111, 0).orElseThrow();
        assertThat(next.place(0)).isEqualTo(late.place(0));
    }

    @Test
    void theSketchKnowsWhatIsAskedForOften() {
        FrequencySketch sketch = new FrequencySketch(1000, 1000);
        for (int use = 0; use < 8; use++) {
            for (int page = 0; page < 50; page++) {
                PageKey key = FILE.key(page);
                sketch.increment(key.high(), key.low());
            }
        }
        for (int page = 1000; page < 2000; page++) {
            PageKey key = FILE.key(page);
            sketch.increment(key.high(), key.low());
        }
        int wrong = 0;
        for (int page = 0; page < 1000; page++) {
            PageKey key = FILE.key(page);
            int frequency = sketch.frequency(key.high(), key.low());
            if (page < 50) {
                assertThat(frequency).isGreaterThanOrEqualTo(8);
            } else if (frequency > 1) {
                wrong++;
            }
        }
        assertThat(wrong).as("never used, seem used more than once").isLessThan(100);
    }
}
