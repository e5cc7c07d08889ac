package io.stele.cache.page.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.cache.page.CachedFile;
import io.stele.cache.page.PageGeometry;
import io.stele.cache.page.PageKey;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the index of a terabyte takes of the heap, as its arrays have it. */
class TestIndexHeap {
    /** Pages of 1 MiB of a TiB. */
    private static final int PAGES = 1 << 20;

    private static final long MAX_BYTES = 64_000_000;
    private static final int UNITS = PageGeometry.MAX_UNITS;
    private static final CachedFile FILE = new CachedFile("t", "f", 0);

    @Test
    void aTerabyteOfFullPagesTakesAtMost64Megabytes() throws IllegalAccessException {
        PageIndex index = new PageIndex(PAGES * UNITS, UNITS, new Random(1));
        for (int page = 0; page < PAGES; page++) {
            add(index, FILE.key(page), 0xFFFF);
        }
        assertThat(index.entries().size()).isEqualTo(PAGES);
        assertThat(index.evictions()).isZero();
        assertThat(heapBytes(index)).isBetween(MAX_BYTES * 9 / 10, MAX_BYTES);
    }

    /** Pages of which one unit is here: there are no more of them than of full ones. */
    @Test
    void aTerabyteOfPartsTakesNoMore() throws IllegalAccessException {
        PageIndex index = new PageIndex(PAGES * UNITS, UNITS, new Random(1));
        for (int page = 0; page < PAGES + PAGES / 8; page++) {
            add(index, FILE.key(page), 1 << page % UNITS);
        }
        assertThat(index.entries().size()).isEqualTo(PAGES);
        assertThat(index.evictions()).isEqualTo(PAGES / 8);
        assertThat(heapBytes(index)).isLessThanOrEqualTo(MAX_BYTES);
    }

    /** A smaller cache has an entry for each unit: their limit is one of heap, not of use. */
    @Test
    void aSmallCacheHasRoomForPartsOfManyPages() throws IllegalAccessException {
        int units = PageIndex.MIN_ENTRIES;
        PageIndex index = new PageIndex(units, UNITS, new Random(1));
        for (int page = 0; page < units; page++) {
            add(index, FILE.key(page), 1 << page % UNITS);
        }
        assertThat(index.entries().size()).isEqualTo(units);
        assertThat(index.evictions()).isZero();
        assertThat(heapBytes(index)).isLessThanOrEqualTo(8_000_000);
    }

    /** What others reckon with is what it is. */
    @Test
    void theLayoutSaysWhatItTakes() throws IllegalAccessException {
        long bytes = 20L << 30;
        int units = SegmentStoreOptions.DEFAULT.units(bytes);
        PageIndex index = new PageIndex(units, UNITS, new Random(1));
        for (int page = 0; page < PageIndex.MIN_ENTRIES; page++) {
            add(index, FILE.key(page), 1);
        }
        double reckoned = SegmentStoreOptions.DEFAULT.indexHeapBytes(bytes);
        assertThat(heapBytes(index) / reckoned).isBetween(0.98, 1.02);
    }

    private static void add(PageIndex index, PageKey key, int mask) {
        index.publish(index.place(key, mask, 0).orElseThrow(), 0);
    }

    /** Arrays and objects of this package that can be reached, with 16 bytes of head each. */
    private static long heapBytes(Object root) throws IllegalAccessException {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Object> open = new ArrayDeque<>();
        open.add(root);
        long sum = 0;
        while (!open.isEmpty()) {
            Object next = open.remove();
            if (!seen.add(next)) {
                continue;
            }
            Class<?> type = next.getClass();
            if (type.isArray()) {
                sum += 16 + Array.getLength(next) * elementBytes(type.getComponentType());
                if (next instanceof Object[] elements) {
                    for (Object element : elements) {
                        open.add(element);
                    }
                }
            } else if (type.getPackage().equals(PageIndex.class.getPackage())) {
                sum += 16 + addFields(next, open);
            }
        }
        return sum;
    }

    private static long addFields(Object object, Deque<Object> open) throws IllegalAccessException {
        long sum = 0;
        for (Field field : object.getClass().getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers())) {
                continue;
            }
            sum += elementBytes(field.getType());
            field.setAccessible(true);
            Object value = field.get(object);
            if (value != null && !field.getType().isPrimitive()) {
                open.add(value);
            }
        }
        return sum;
    }

    private static long elementBytes(Class<?> type) {
        return type == long.class || type == double.class ? 8 : type == boolean.class ? 1 : 4;
    }
}
