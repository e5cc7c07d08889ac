package io.stele.engine.datafile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.testing.Golden;
import java.io.IOException;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roaringbitmap.RoaringBitmap;

final class TestDeletionVector {
    private static final String PATH = "data/1/0-0/a.dv-1";

    private static final int ROWS = 5_000;

    private final ObjectStore store = new InMemoryObjectStore();

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void answersAsAMapDoes(long seed) throws IOException {
        Random random = new Random(seed);
        DeletionVector vector = new DeletionVector();
        Map<Integer, Long> model = new TreeMap<>();
        long floor = 0;
        long lsn = 1;
        for (int step = 0; step < 3_000; step++) {
            lsn = Math.max(lsn + random.nextInt(3), floor + 1);
            boolean late = random.nextInt(50) == 0;
            long at = late ? Math.max(floor + 1, lsn - random.nextInt(40)) : lsn;
            int ordinal = random.nextInt(ROWS);
            Long before = model.get(ordinal);
            assertThat(vector.delete(ordinal, at)).isEqualTo(before == null || at < before);
            model.merge(ordinal, at, Math::min);
            if (random.nextInt(20) == 0) {
                int[] many = random.ints(7, 0, ROWS).toArray();
                vector.deleteAll(many, 5, lsn);
                for (int i = 0; i < 5; i++) {
                    model.merge(many[i], lsn, Math::min);
                }
            }
            if (random.nextInt(900) == 0) {
                // the whole file, as often late as rows are
                long end = late ? at : lsn;
                boolean any = model.size() < ROWS || model.values().stream().anyMatch(l -> l > end);
                assertThat(vector.endAll(ROWS, end)).isEqualTo(any);
                for (int row = 0; row < ROWS; row++) {
                    model.merge(row, end, Math::min);
                }
            }
            if (model.size() == ROWS && random.nextInt(100) == 0) {
                vector = new DeletionVector();
                model.clear();
                floor = 0;
            }
            if (random.nextInt(300) == 0) {
                floor = Math.max(floor, lsn - random.nextInt(100));
                vector.forget(floor);
                for (Map.Entry<Integer, Long> entry : model.entrySet()) {
                    entry.setValue(entry.getValue() <= floor ? 0 : entry.getValue());
                }
            }
            if (random.nextInt(100) == 0) {
                check(vector, model, random.nextLong(floor, lsn + 2));
            }
            if (random.nextInt(1_000) == 0) {
                vector = stored(vector);
            }
        }
        check(vector, model, Long.MAX_VALUE);
        check(stored(vector), model, random.nextLong(floor, lsn + 2));
    }

    @Test
    void bitmapGivenOutDoesNotChange() {
        DeletionVector vector = new DeletionVector();
        vector.delete(1, 10);
        RoaringBitmap before = vector.bitmapAt(10);
        vector.delete(2, 10);
        vector.delete(3, 11);
        assertThat(before.toArray()).containsExactly(1);
        assertThat(vector.bitmapAt(10).toArray()).containsExactly(1, 2);
        assertThat(vector.bitmapAt(11).toArray()).containsExactly(1, 2, 3);
        assertThat(vector.bitmapAt(9).toArray()).isEmpty();
    }

    @Test
    void forgottenSnapshotsAreRefused() {
        DeletionVector vector = new DeletionVector();
        vector.delete(1, 10);
        vector.forget(20);
        assertThat(vector.bitmapAt(20).toArray()).containsExactly(1);
        assertThatThrownBy(() -> vector.bitmapAt(19))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SNAPSHOT_EXPIRED));
        assertThatThrownBy(() -> vector.delete(2, 20)).isInstanceOf(IllegalArgumentException.class);
        assertThat(vector.delete(1, 20)).as("a repetition").isFalse();
    }

    @Test
    void everyDamagedByteIsNoticed() throws Exception {
        DeletionVector vector = golden();
        long size = vector.write(store, PATH).sizeBytes();
        ByteFlips.everyFlipIsRefused(
                store,
                PATH,
                path ->
                        assertThat(DeletionVector.read(store, path, size).bitmapAt(Long.MAX_VALUE))
                                .isEqualTo(vector.bitmapAt(Long.MAX_VALUE)));
    }

    @Test
    void goldenFile() throws IOException {
        golden().write(store, PATH);
        Golden.check("delete-vector-2.dv", store.readFully(PATH));
        checkGolden("delete-vector-1.dv");
        checkGolden("delete-vector-2.dv");
    }

    private void checkGolden(String name) throws IOException {
        byte[] bytes = Golden.load(name);
        store.put("golden.dv", bytes);
        DeletionVector vector = DeletionVector.read(store, "golden.dv", bytes.length);
        assertThat(vector.cardinality()).isEqualTo(30);
        assertThat(vector.maxLsn().value()).isEqualTo(129);
        assertThat(vector.bitmapAt(115).getCardinality()).isEqualTo(16);
        assertThat(vector.deletedAt(77 * 29)).isEqualTo(129);
        assertThat(vector.endLsn()).isEqualTo(DeletionVector.NOT_DELETED);
    }

    @Test
    void goldenFileThatEnded() throws IOException {
        DeletionVector vector = golden();
        assertThat(vector.endAll(ROWS, 120)).isTrue();
        vector.write(store, PATH);
        Golden.check("delete-vector-2-ended.dv", store.readFully(PATH));
        byte[] bytes = Golden.load("delete-vector-2-ended.dv");
        store.put("golden.dv", bytes);
        DeletionVector read = DeletionVector.read(store, "golden.dv", bytes.length);
        assertThat(read.endLsn()).isEqualTo(120);
        assertThat(read.cardinality()).isEqualTo(ROWS);
        assertThat(read.cardinalityAt(119)).isEqualTo(20);
        assertThat(read.cardinalityAt(120)).isEqualTo(ROWS);
        assertThat(read.deletedAt(77 * 15)).isEqualTo(115);
        assertThat(read.deletedAt(77 * 25)).isEqualTo(120);
        assertThat(read.maxLsn().value()).isEqualTo(120);
    }

    private static DeletionVector golden() {
        DeletionVector vector = new DeletionVector();
        for (int i = 0; i < 30; i++) {
            vector.delete(i * 77, 100 + i);
        }
        vector.forget(110);
        return vector;
    }

    private DeletionVector stored(DeletionVector vector) throws IOException {
        String path = "dv-" + store.list("").size();
        DeletionVectorSummary summary = vector.write(store, path);
        assertThat(summary.cardinality()).isEqualTo(vector.cardinality());
        assertThat(summary.maxLsn()).isEqualTo(vector.maxLsn());
        return DeletionVector.read(store, path, summary.sizeBytes());
    }

    private static void check(DeletionVector vector, Map<Integer, Long> model, long readLsn) {
        RoaringBitmap expected = new RoaringBitmap();
        model.forEach(
                (ordinal, lsn) -> {
                    if (lsn <= readLsn) {
                        expected.add(ordinal);
                    }
                });
        assertThat(vector.bitmapAt(readLsn)).isEqualTo(expected);
        assertThat(vector.cardinality()).isEqualTo(model.size());
        for (int ordinal = 0; ordinal < ROWS; ordinal += 7) {
            assertThat(vector.deletedAt(ordinal))
                    .isEqualTo(model.getOrDefault(ordinal, DeletionVector.NOT_DELETED));
            assertThat(vector.isDeleted(ordinal, readLsn)).isEqualTo(expected.contains(ordinal));
        }
    }
}
