package io.stele.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.row.KeyedVersion;
import io.stele.engine.row.RetainedVersions;
import io.stele.protocol.row.KeyEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TestMemTable {
    private static final byte[] ROW = {1, 2, 3};

    @Test
    void keysCompareAsUnsignedBytesWhateverTheirLength() {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 200_000; i++) {
            byte[] left = key(random);
            byte[] right = random.nextInt(3) == 0 ? variation(left, random) : key(random);
            int expected = Integer.signum(Arrays.compareUnsigned(left, right));
            assertThat(Integer.signum(version(left, 1).compareKey(version(right, 2))))
                    .as("%s and %s", Arrays.toString(left), Arrays.toString(right))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, ORDERED", "2, ORDERED", "3, HASHED", "4, HASHED"})
    void findsTheNewestVersionAtOrBelowAnLsn(long seed, MemTableKind kind) {
        SplittableRandom random = new SplittableRandom(seed);
        MemTable table = MemTable.create(kind, 1);
        Map<Integer, TreeMap<Long, KeyedVersion>> model = new TreeMap<>();
        for (long lsn = 1; lsn <= 2000; lsn++) {
            int id = random.nextInt(50);
            byte[] key = {(byte) id};
            KeyedVersion version =
                    random.nextInt(4) == 0
                            ? KeyedVersion.deleted(key, 0, 1, lsn)
                            : version(key, lsn);
            table.put(version, lsn);
            model.computeIfAbsent(id, ignored -> new TreeMap<>()).put(lsn, version);
        }
        for (int i = 0; i < 5000; i++) {
            byte[] key = {(byte) random.nextInt(52)};
            long lsn = random.nextLong(2100);
            var expected = model.getOrDefault((int) key[0], new TreeMap<>()).floorEntry(lsn);
            KeyedVersion found = table.find(key, 0, 1, lsn);
            assertThat(found).isEqualTo(expected == null ? null : expected.getValue());
            assertThat(found != null && found.isDeleted())
                    .isEqualTo(expected != null && expected.getValue().isDeleted());
        }
        assertSorted(table.versions(), 2000);
        assertThat(table.versionCount()).isEqualTo(2000);
        assertThat(table.maxLsn()).isEqualTo(2000);
        assertThat(table.minLogLsn()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void windowsGoFromTheLastKeyToTheFirst(int buckets) {
        SplittableRandom random = new SplittableRandom(buckets);
        MemTable table = MemTable.create(buckets, MemTableKind.ORDERED, 1);
        for (long lsn = 1; lsn <= 2000; lsn++) {
            table.put(version(KeyEncoder.rowIdKey(random.nextInt(500)), lsn), lsn);
        }
        byte[] end = null;
        long left = 2000;
        byte[] start = table.keyBelow(end, 10);
        while (start != null) {
            long inWindow = versionsBetween(table, start, end);
            // A window has whole keys, which have some four versions each
            assertThat(inWindow).isBetween(1L, 10L * buckets + 20);
            left -= inWindow;
            end = start;
            start = table.keyBelow(end, 10);
        }
        assertThat(left).isEqualTo(versionsBetween(table, new byte[0], end)).isLessThan(30);
        assertThat(table.keyBelow(new byte[0], 1)).isNull();
    }

    private static long versionsBetween(MemTable table, byte[] start, byte @Nullable [] end) {
        long count = 0;
        for (Iterator<KeyedVersion> it = table.versionsFrom(start); it.hasNext(); count++) {
            KeyedVersion version = it.next();
            if (end != null && Arrays.compareUnsigned(version.key(), end) >= 0) {
                break;
            }
        }
        return count;
    }

    @ParameterizedTest
    @EnumSource(
            value = MemTableKind.class,
            names = {"ORDERED", "HASHED"})
    void aLaterChangeOfTheSameBatchReplacesTheEarlier(MemTableKind kind) {
        MemTable table = MemTable.create(kind, 1);
        byte[] key = {7};
        table.put(version(key, 5), 5);
        table.put(KeyedVersion.deleted(key, 0, 1, 5), 5);
        assertThat(table.find(key, 0, 1, 5))
                .satisfies(found -> assertThat(found.isDeleted()).isTrue());
        assertSorted(table.versions(), 1);
    }

    @ParameterizedTest
    @EnumSource(MemTableKind.class)
    void lsnsMayNotGoBack(MemTableKind kind) {
        MemTable table = MemTable.create(kind, 1);
        table.put(version(new byte[] {1}, 5), 5);
        assertThatThrownBy(() -> table.put(version(new byte[] {2}, 4), 4))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Expected an LSN of at least 5 in a memtable, found 4");
    }

    @Test
    void appendedRowsAreFoundByRowIdAlsoWhenATransactionOvertookThem() {
        MemTable table = MemTable.create(MemTableKind.APPENDED, 1);
        List<Long> order = new ArrayList<>();
        for (long rowId = 0; rowId < 10_000; rowId++) {
            order.add(rowId);
        }
        // rows 5,000 to 5,009 had their ids assigned, and then waited for rows 5,010 to 5,019
        for (int i = 5000; i < 5010; i++) {
            order.set(i, (long) (i + 10));
            order.set(i + 10, (long) i);
        }
        long lsn = 0;
        for (long rowId : order) {
            table.put(version(KeyEncoder.rowIdKey(rowId), ++lsn), lsn);
        }
        table.put(KeyedVersion.deleted(KeyEncoder.rowIdKey(77), 0, 8, ++lsn), lsn);
        long last = lsn;

        for (long rowId : List.of(0L, 4999L, 5000L, 5009L, 5010L, 5019L, 5020L, 9999L)) {
            byte[] key = KeyEncoder.rowIdKey(rowId);
            assertThat(table.find(key, 0, 8, last))
                    .satisfies(found -> assertThat(found.key()).isEqualTo(key));
        }
        assertThat(table.find(KeyEncoder.rowIdKey(77), 0, 8, last))
                .satisfies(found -> assertThat(found.isDeleted()).isTrue());
        assertThat(table.find(KeyEncoder.rowIdKey(77), 0, 8, last - 1))
                .satisfies(found -> assertThat(found.isDeleted()).isFalse());
        assertThat(table.find(KeyEncoder.rowIdKey(10_000), 0, 8, last)).isNull();
        assertSorted(table.versions(), 10_001);
    }

    @Test
    void retainsWhatSomeReaderCanStillSee() {
        byte[] key = {1};
        byte[] other = {2};
        List<KeyedVersion> versions =
                List.of(
                        version(key, 40),
                        version(key, 30),
                        version(key, 20),
                        version(key, 10),
                        KeyedVersion.deleted(other, 0, 1, 25),
                        version(other, 5));
        List<String> retained = new ArrayList<>();
        RetainedVersions result = new RetainedVersions(versions.iterator(), 25);
        while (result.advance()) {
            retained.add(
                    result.version().key()[0]
                            + "@"
                            + result.version().lsn()
                            + " until "
                            + (result.endLsn() == RetainedVersions.PRESENT
                                    ? "now"
                                    : result.endLsn()));
        }
        // At 25 and later, the readers see 20, 30 and 40 of the first key, and the deletion of the
        // other.
        assertThat(retained)
                .containsExactly(
                        "1@40 until now", "1@30 until 40", "1@20 until 30", "2@25 until now");
    }

    private static void assertSorted(Iterator<KeyedVersion> versions, int count) {
        List<KeyedVersion> all = new ArrayList<>();
        versions.forEachRemaining(all::add);
        assertThat(all).hasSize(count).isSortedAccordingTo(Comparator.naturalOrder());
    }

    private static KeyedVersion version(byte[] key, long lsn) {
        return KeyedVersion.live(key, 0, key.length, lsn, ROW, 0, ROW.length);
    }

    private static byte[] key(SplittableRandom random) {
        byte[] key = new byte[random.nextInt(24)];
        for (int i = 0; i < key.length; i++) {
            key[i] =
                    (byte)
                            (random.nextInt(3)
                                    - 1); // few values, zero among them: long common prefixes
        }
        return key;
    }

    private static byte[] variation(byte[] key, SplittableRandom random) {
        return Arrays.copyOf(
                key, Math.max(0, key.length + random.nextInt(5) - 2)); // cut, or padded with zeros
    }
}
