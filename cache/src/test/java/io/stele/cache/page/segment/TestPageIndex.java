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
            index.insert(key, table, length, units);
            model.put(key, new Place(length, units));
        }
    }

    private static void check(PageIndex index, int entry, Place expected) {
        assertThat(index.entries().length(entry)).isEqualTo(expected.length());
        int[] units = new int[index.units(entry)];
        for (int i = 0; i < units.length; i++) {
            units[i] = index.entries().field(entry, i);
        }
        assertThat(units).isEqualTo(expected.units());
    }

    private static void checkAll(PageIndex index, Map<PageKey, Place> model) {
        boolean[] used = new boolean[index.allocator().capacity()];
        int[] order = index.inOrder();
        assertThat(Arrays.stream(order).distinct().count()).isEqualTo(order.length);
        int count = 0;
        for (int entry : order) {
            PageKey key = new PageKey(index.entries().high(entry), index.entries().low(entry));
            assertThat(index.find(key)).isEqualTo(entry);
            check(index, entry, model.get(key));
            for (int unit : model.get(key).units()) {
                assertThat(used[unit]).as("unit %s", unit).isFalse();
                assertThat(index.allocator().isUsed(unit)).isTrue();
                used[unit] = true;
                count++;
            }
        }
        assertThat(index.allocator().used()).isEqualTo(count);
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
