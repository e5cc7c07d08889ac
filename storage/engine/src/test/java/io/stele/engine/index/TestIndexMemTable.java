package io.stele.engine.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.MergingVersions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Against a sorted list of all entries. */
class TestIndexMemTable {
    private static final int COLUMN_BYTES = 3;

    private final List<KeyedVersion> model = new ArrayList<>();

    /** Kinds of keys that a sort by numbers must get right. */
    enum Keys {
        NUMBERS(random -> bytes(random, 17, 256)),
        FEW_VALUES(random -> bytes(random, 4, 3)),
        LONG_SHARED_BEGINNINGS(
                random ->
                        ("a".repeat(random.nextInt(4) * 100) + random.nextInt(50)).getBytes(UTF_8)),
        ZEROS_AT_ENDS(random -> new byte[COLUMN_BYTES + random.nextInt(40)]),
        ANY_LENGTH(random -> bytes(random, COLUMN_BYTES + random.nextInt(20), 2)),
        STAIRS(
                random -> {
                    byte[] key = new byte[1 + 8 * random.nextInt(60)];
                    Arrays.fill(key, (byte) 7);
                    key[key.length - 1] = (byte) random.nextInt(3);
                    return Arrays.copyOf(key, Math.max(COLUMN_BYTES, key.length));
                });

        private final Function<SplittableRandom, byte[]> one;

        Keys(Function<SplittableRandom, byte[]> one) {
            this.one = one;
        }
    }

    @ParameterizedTest
    @EnumSource(Keys.class)
    void hasEveryEntryInOrder(Keys keys) {
        SplittableRandom random = new SplittableRandom(keys.ordinal());
        IndexMemTable table = fill(keys, random, 40_000);
        model.sort(null);
        assertThat(table.entryCount()).isEqualTo(model.size());
        assertSame(table.entries(), model);
        List<Iterator<KeyedVersion>> all = new ArrayList<>();
        table.addSources(new byte[0], all);
        assertSame(new MergingVersions(all), model);
    }

    @ParameterizedTest
    @EnumSource(Keys.class)
    void findsEntriesByTheirBeginning(Keys keys) {
        SplittableRandom random = new SplittableRandom(100 + keys.ordinal());
        IndexMemTable table = fill(keys, random, 20_500);
        model.sort(null);
        for (int i = 0; i < 100; i++) {
            byte[] key = keys.one.apply(random);
            byte[] prefix = Arrays.copyOf(key, random.nextInt(key.length + 1));
            List<Iterator<KeyedVersion>> sources = new ArrayList<>();
            table.addSources(prefix, sources);
            List<KeyedVersion> found = new ArrayList<>();
            for (Iterator<KeyedVersion> source : sources) {
                new PrefixEntries(source, prefix).forEachRemaining(found::add);
            }
            found.sort(null);
            assertSame(
                    found.iterator(),
                    model.stream().filter(entry -> entry.startsWith(prefix)).toList());
        }
    }

    @Test
    void showsWhatWasPublishedAndNoEntryBehindIt() {
        IndexMemTable table = new IndexMemTable(false);
        table.add(new byte[] {1, 2, 3}, 0, 3, 2, 7);
        assertThat(table.isEmpty()).isTrue();
        assertThat(table.entries().hasNext()).isFalse();
        table.publish();
        table.add(new byte[] {9, 1, 2, 9}, 1, 2, 2, 8);
        assertThat(table.entries())
                .toIterable()
                .singleElement()
                .satisfies(entry -> assertThat(entry.key()).isEqualTo(new byte[] {1, 2, 3}));
        table.publish();
        assertThat(table.entries()).toIterable().hasSize(2);
        assertThat(table.sizeBytes()).isEqualTo(2 * EntryRun.OVERHEAD_BYTES + 5);
    }

    @Test
    void ofAUniqueIndexKnowsWhichColumnsItHas() {
        SplittableRandom random = new SplittableRandom(5);
        IndexMemTable table = new IndexMemTable(true);
        TreeSet<byte[]> there = new TreeSet<>(Comparator.comparing(Arrays::hashCode));
        for (int i = 0; i < 5_000; i++) {
            byte[] entry = bytes(random, 12, 256);
            table.add(entry, 0, entry.length, 8, i);
            there.add(Arrays.copyOf(entry, 8));
        }
        for (byte[] columns : there) {
            assertThat(table.mayHave(IndexKeys.hash(columns, 0, 8))).isTrue();
        }
        int passed = 0;
        for (int i = 0; i < 5_000; i++) {
            byte[] columns = bytes(random, 8, 256);
            passed += table.mayHave(IndexKeys.hash(columns, 0, 8)) ? 1 : 0;
        }
        assertThat(passed).as("absent ones let through").isZero();
    }

    @Test
    void aSetOfHashesHasZeroOnlyWhenItWasAdded() {
        HashSetOfLongs set = new HashSetOfLongs();
        assertThat(set.contains(0)).isFalse();
        set.add(0);
        set.add(-1);
        assertThat(set.contains(0)).isTrue();
        assertThat(set.contains(-1)).isTrue();
        assertThat(set.contains(1)).isFalse();
    }

    private IndexMemTable fill(Keys keys, SplittableRandom random, int count) {
        IndexMemTable table = new IndexMemTable(false);
        for (int i = 0; i < count; i++) {
            byte[] key = keys.one.apply(random);
            long lsn = 1L + i / 10;
            table.add(key, 0, key.length, Math.min(COLUMN_BYTES, key.length), lsn);
            model.add(KeyedVersion.live(key, 0, key.length, lsn, key, 0, 0));
        }
        table.publish();
        return table;
    }

    // Not element by element with AssertJ, nor as text: that takes ten times as long as the rest.
    private static void assertSame(Iterator<KeyedVersion> found, List<KeyedVersion> expected) {
        List<KeyedVersion> entries = new ArrayList<>();
        found.forEachRemaining(entries::add);
        assertThat(entries).hasSameSizeAs(expected);
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).compareTo(expected.get(i)) != 0) {
                assertThat(text(entries.get(i))).as("entry %d", i).isEqualTo(text(expected.get(i)));
            }
        }
    }

    private static String text(KeyedVersion entry) {
        return Arrays.toString(entry.key()) + "@" + entry.lsn();
    }

    private static byte[] bytes(SplittableRandom random, int length, int values) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextInt(values);
        }
        return bytes;
    }
}
