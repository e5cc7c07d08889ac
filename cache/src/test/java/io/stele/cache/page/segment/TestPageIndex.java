package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageKey;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index against a map, under random uses. */
class TestPageIndex {
    private static final int NONE = PageEntries.NONE;
    private static final CachedFile FILE = new CachedFile("t", "f", 0);

    private record Place(int length, int[] units) {}

    @Test
    void agreesWithAMapAndGivesNoUnitTwice() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int capacity = 64 + random.nextInt(400);
            PageIndex index = new PageIndex(capacity, random);
            index.reserve(1, capacity / 3);
            Map<PageKey, Place> model = new HashMap<>();
            for (int step = 0; step < 3000; step++) {
                PageKey key = FILE.key(random.nextInt(300));
                int entry = index.use(key);
                if (entry == PageEntries.NONE) {
                    model.remove(key); // evicted, if it ever was here
                    put(index, model, key, random);
                } else {
                    check(index, entry, model.get(key));
                    if (random.nextInt(20) == 0) {
                        index.remove(entry);
                        model.remove(key);
                    } else if (random.nextInt(3) == 0) {
                        extend(index, model, key, random);
                    }
                }
                if (step % 100 == 0) {
                    checkAll(index, model);
                }
            }
            assertThat(index.evictions()).isPositive();
        }
    }

    private static void put(
            PageIndex index, Map<PageKey, Place> model, PageKey key, Random random) {
        int[] units = new int[1 + random.nextInt(4)];
        int table = random.nextInt(3);
        if (index.allocate(units, table)) {
            int length = 1 + random.nextInt(1 << 20);
            int[] places = scatter(units, random);
            index.insert(key, table, length, places);
            model.put(key, new Place(length, places));
        }
    }

    /** Units at some of the four places of a page. */
    private static int[] scatter(int[] units, Random random) {
        int[] places = {NONE, NONE, NONE, NONE};
        for (int unit : units) {
            int place = random.nextInt(4);
            while (places[place] != NONE) {
                place = (place + 1) % 4;
            }
            places[place] = unit;
        }
        return places;
    }

    /** Some units more, of which the page may have some already. */
    private static void extend(
            PageIndex index, Map<PageKey, Place> model, PageKey key, Random random) {
        int[] units = new int[1 + random.nextInt(4)];
        int table = index.entries().table(index.find(key));
        if (!index.allocate(units, table)) {
            return;
        }
        int[] places = scatter(units, random);
        int entry = index.find(key);
        int[] had = model.remove(key).units();
        if (entry == PageEntries.NONE) { // it made room for itself
            index.insert(key, table, 1 << 20, places);
            model.put(key, new Place(1 << 20, places));
            return;
        }
        int[] has = had.clone();
        for (int i = 0; i < has.length; i++) {
            has[i] = has[i] == NONE ? places[i] : has[i];
        }
        int length = index.entries().length(entry);
        assertThat(index.extend(entry, places)).isEqualTo(!Arrays.equals(had, has));
        model.put(key, new Place(length, has));
    }

    private static void check(PageIndex index, int entry, Place expected) {
        assertThat(index.entries().length(entry)).isEqualTo(expected.length());
        assertThat(index.unitsOf(entry)).isEqualTo(expected.units());
        assertThat(index.units(entry))
                .isEqualTo((int) Arrays.stream(expected.units()).filter(unit -> unit >= 0).count());
    }

    private static void checkAll(PageIndex index, Map<PageKey, Place> model) {
        boolean[] used = new boolean[index.allocator().capacity()];
        int[] order = index.inOrder();
        assertThat(Arrays.stream(order).distinct().count()).isEqualTo(order.length);
        int count = 0;
        int[] ofTables = new int[3];
        for (int entry : order) {
            ofTables[index.entries().table(entry)] += index.units(entry);
            PageKey key = new PageKey(index.entries().high(entry), index.entries().low(entry));
            assertThat(index.find(key)).isEqualTo(entry);
            check(index, entry, model.get(key));
            for (int unit : model.get(key).units()) {
                if (unit == NONE) {
                    continue;
                }
                assertThat(used[unit]).as("unit %s", unit).isFalse();
                assertThat(index.allocator().isUsed(unit)).isTrue();
                used[unit] = true;
                count++;
            }
        }
        assertThat(index.allocator().used()).isEqualTo(count);
        assertThat(index.queuedUnits()).isEqualTo(count);
        for (int table = 0; table < ofTables.length; table++) {
            assertThat(index.usedUnits(table)).isEqualTo(ofTables[table]);
        }
        assertThat(count).isLessThanOrEqualTo(index.allocator().capacity());
    }

    @Test
    void theSketchKnowsWhatIsAskedForOften() {
        FrequencySketch sketch = new FrequencySketch(1000);
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
