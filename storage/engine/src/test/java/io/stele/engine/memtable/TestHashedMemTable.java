package io.stele.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.row.KeyedVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Beside the memtable that is always in order. */
class TestHashedMemTable {
    @ParameterizedTest
    @CsvSource({
        // seed, versions, distinct keys, most key bytes, changes of a batch
        "1, 10000, 20000, 3, 7",
        "2, 20000, 500, 12, 50",
        "3, 4095, 4000, 20, 1",
        "4, 4096, 4000, 20, 4096",
        "5, 4097, 4000, 9, 100",
        "6, 9000, 1, 8, 3",
        "7, 9000, 30, 40, 9000"
    })
    void readsAsTheOrderedOne(
            long seed, int versions, int distinct, int keyBytes, int changesOfBatch) {
        SplittableRandom random = new SplittableRandom(seed);
        MemTable expected = MemTable.create(MemTableKind.ORDERED, 1);
        MemTable found = MemTable.create(MemTableKind.HASHED, 1);
        List<byte[]> keys = keys(random, distinct, keyBytes);
        long lsn = 1;
        for (int i = 0; i < versions; i++) {
            lsn += i % changesOfBatch == 0 ? 1 + random.nextInt(3) : 0;
            KeyedVersion version =
                    version(keys.get(random.nextInt(distinct)), lsn, i, random.nextInt(5) == 0);
            expected.put(version, lsn);
            found.put(version, lsn);
        }

        assertThat(list(found.versions())).isEqualTo(list(expected.versions()));
        for (int i = 0; i < 5000; i++) {
            byte[] key = keys.get(random.nextInt(distinct));
            long at = random.nextLong(lsn + 2);
            assertThat(text(found.find(key, 0, key.length, at)))
                    .isEqualTo(text(expected.find(key, 0, key.length, at)));
        }
        byte[] unknown = new byte[keyBytes + 1];
        assertThat(found.find(unknown, 0, unknown.length, Long.MAX_VALUE)).isNull();
        assertThat(found.versionCount()).isEqualTo(expected.versionCount());
        assertThat(found.minLogLsn()).isEqualTo(expected.minLogLsn());
        assertThat(found.maxLsn()).isEqualTo(expected.maxLsn());
        assertThat(found.olderVersionCount())
                .isEqualTo(
                        versions
                                - list(expected.versions()).stream()
                                        .map(TestHashedMemTable::keyOf)
                                        .distinct()
                                        .count());
    }

    private static String keyOf(String text) {
        return text.substring(0, text.indexOf('@'));
    }

    /** Readers ask for what was there before they came, while the writer goes on. */
    @Test
    void readersSeeWhatWasThereWhenTheyCame() throws Exception {
        int count = 300_000;
        int distinct = 50_000;
        MemTable table = MemTable.create(MemTableKind.HASHED, 1);
        AtomicLong applied = new AtomicLong();
        try (ExecutorService readers = Executors.newFixedThreadPool(3)) {
            List<Future<Long>> done = new ArrayList<>();
            for (int reader = 0; reader < 3; reader++) {
                SplittableRandom random = new SplittableRandom(reader);
                Callable<Long> work =
                        () -> {
                            long checks = 0;
                            long lsn;
                            do {
                                lsn = applied.get();
                                check(table, lsn, random.nextInt(distinct), distinct);
                                if (++checks % 500 == 0) {
                                    checkAll(table, lsn);
                                }
                            } while (lsn < count);
                            return checks;
                        };
                done.add(readers.submit(work));
            }
            for (int i = 1; i <= count; i++) {
                byte[] key = key(i % distinct);
                table.put(KeyedVersion.live(key, 0, key.length, i, key, 0, key.length), i);
                applied.set(i);
            }
            for (Future<Long> reader : done) {
                assertThat(reader.get()).isPositive();
            }
        }
        checkAll(table, count);
    }

    private static void check(MemTable table, long lsn, int id, int distinct) {
        byte[] key = key(id);
        KeyedVersion found = table.find(key, 0, key.length, lsn);
        long newest = lsn - Math.floorMod(lsn - id, (long) distinct); // of those up to lsn
        assertThat(found == null ? 0 : found.lsn()).isEqualTo(Math.max(0, newest));
    }

    private static void checkAll(MemTable table, long lsn) {
        Iterator<KeyedVersion> versions = table.versions();
        @Nullable KeyedVersion last = null;
        long seen = 0;
        while (versions.hasNext()) {
            KeyedVersion version = versions.next();
            assertThat(last == null || last.compareTo(version) < 0).isTrue();
            last = version;
            seen += version.lsn() <= lsn ? 1 : 0;
        }
        assertThat(seen).isEqualTo(lsn);
    }

    private static byte[] key(int id) {
        return new byte[] {9, (byte) (id >> 16), (byte) (id >> 8), (byte) id};
    }

    private static List<byte[]> keys(SplittableRandom random, int count, int maxBytes) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] key = new byte[1 + random.nextInt(maxBytes)];
            for (int at = 0; at < key.length; at++) {
                // Few values, zero and the largest among them: long common beginnings
                key[at] = (byte) (random.nextInt(4) - 1);
            }
            keys.add(key);
        }
        return keys;
    }

    /** Key and row lie in arrays of their own or in one, at any place. */
    private static KeyedVersion version(byte[] key, long lsn, int number, boolean deleted) {
        byte[] row = {(byte) (number >> 8), (byte) number};
        byte[] array = new byte[key.length + row.length + number % 3];
        System.arraycopy(key, 0, array, number % 3, key.length);
        System.arraycopy(row, 0, array, number % 3 + key.length, row.length);
        if (deleted) {
            return KeyedVersion.deleted(array, number % 3, key.length, lsn);
        }
        return number % 2 == 0
                ? KeyedVersion.live(
                        array,
                        number % 3,
                        key.length,
                        lsn,
                        array,
                        number % 3 + key.length,
                        row.length)
                : KeyedVersion.live(array, number % 3, key.length, lsn, row, 0, row.length);
    }

    private static List<String> list(Iterator<KeyedVersion> versions) {
        List<String> list = new ArrayList<>();
        versions.forEachRemaining(version -> list.add(text(version)));
        return list;
    }

    private static String text(@Nullable KeyedVersion version) {
        return version == null
                ? "none"
                : Arrays.toString(version.key())
                        + "@"
                        + version.lsn()
                        + (version.isDeleted() ? " deleted" : Arrays.toString(version.row()));
    }
}
