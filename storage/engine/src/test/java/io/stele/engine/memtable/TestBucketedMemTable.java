package io.stele.engine.memtable;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.row.HashBucket;
import io.stele.engine.row.KeyedVersion;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.XxHash64;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memtables of several hash buckets, and stacks of them, beside one of a single part. */
class TestBucketedMemTable {
    private static final byte[] ROW = {1, 2, 3};

    @ParameterizedTest
    @CsvSource({
        "1, ORDERED",
        "2, ORDERED",
        "3, HASHED",
        "4, HASHED",
        "5, APPENDED",
        "6, APPENDED",
        "7, APPENDED"
    })
    void readsAsOne(long seed, MemTableKind kind) {
        SplittableRandom random = new SplittableRandom(seed);
        boolean keyed = kind != MemTableKind.APPENDED;
        MemTable expected = MemTable.create(kind, 1);
        MemTable found = MemTable.create(2, kind, 1);
        List<byte[]> keys = new ArrayList<>();
        List<Long> rowIds = new ArrayList<>();
        for (long lsn = 1; lsn <= 3000; lsn++) {
            // Row ids are given once, and end at most once.
            boolean deleted = random.nextInt(5) == 0 && (keyed || !rowIds.isEmpty());
            long id = lsn;
            if (keyed) {
                id = random.nextInt(200);
            } else if (deleted) {
                id = rowIds.remove(random.nextInt(rowIds.size()));
            } else {
                rowIds.add(lsn);
            }
            byte[] key = KeyEncoder.rowIdKey(id);
            keys.add(key);
            KeyedVersion version =
                    deleted
                            ? KeyedVersion.deleted(key, 0, key.length, lsn)
                            : KeyedVersion.live(key, 0, key.length, lsn, ROW, 0, ROW.length);
            expected.put(version, lsn);
            found.put(version, lsn);
            if (lsn % 700 == 0) {
                int buckets = 1 + random.nextInt(4);
                found = new StackedMemTable(MemTable.create(buckets, kind, 1), found);
                assertThat(found.bucketCount()).isEqualTo(buckets);
            }
        }
        assertThat(StackedMemTable.height(found)).isEqualTo(5);
        for (int i = 0; i < 5000; i++) {
            byte[] key = keys.get(random.nextInt(keys.size()));
            long lsn = random.nextLong(3100);
            assertThat(found.find(key, 0, key.length, lsn))
                    .isEqualTo(expected.find(key, 0, key.length, lsn));
        }
        assertThat(list(found.versions())).isEqualTo(list(expected.versions()));
        assertThat(found.versionCount()).isEqualTo(expected.versionCount());
        assertThat(found.sizeBytes()).isEqualTo(expected.sizeBytes());
        assertThat(found.minLogLsn()).isEqualTo(expected.minLogLsn());
        assertThat(found.maxLsn()).isEqualTo(expected.maxLsn());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 16})
    void bucketsShareTheKeysOfOneShardEvenly(int buckets) {
        int[] counts = new int[buckets];
        int keys = 0;
        for (long id = 0; id < 80_000; id++) {
            byte[] key = KeyEncoder.rowIdKey(id);
            long hash = XxHash64.hash(key, 0, key.length);
            if (Long.remainderUnsigned(hash, 4) == 3) { // as keys are routed to shards
                int bucket = HashBucket.of(key, 0, key.length, buckets);
                assertThat(new HashBucket(bucket, buckets).has(key, 0, key.length)).isTrue();
                counts[bucket]++;
                keys++;
            }
        }
        for (int count : counts) {
            assertThat(count).isBetween(keys * 9 / buckets / 10, keys * 11 / buckets / 10);
        }
    }

    private static List<KeyedVersion> list(Iterator<KeyedVersion> versions) {
        List<KeyedVersion> list = new ArrayList<>();
        versions.forEachRemaining(list::add);
        return list;
    }
}
