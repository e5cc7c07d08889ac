package io.stele.columnfile.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.testing.Golden;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestSstFile {
    private static final String PATH = "data/1/0-0/a.row";

    private final ObjectStore store = new InMemoryObjectStore();
    private final BlockCache cache = new BlockCache("rows", 1 << 20, () -> 0);

    /** The oracle: key, then LSN descending, to the row; an empty Optional is a deletion. */
    private final NavigableMap<byte[], NavigableMap<Long, Optional<byte[]>>> model =
            new TreeMap<>(RandomKeys.ORDER);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void answersAsATreeMapDoes(long seed) throws IOException {
        Random random = new Random(seed);
        fillModel(random, 1 + random.nextInt(3_000));
        SstFileSummary summary = write(randomOptions(random));
        SstFileReader reader = SstFileReader.open(store, PATH, summary.sizeBytes(), cache);
        assertThat(reader.minKey()).isEqualTo(model.firstKey());
        assertThat(reader.maxKey()).isEqualTo(model.lastKey());
        assertThat(reader.keyCount()).isEqualTo(model.size());
        checkScan(reader.cursor());
        for (byte[] key : model.keySet()) {
            long readLsn = random.nextInt(120);
            checkGet(reader, key, readLsn);
            checkGet(reader, key, Long.MAX_VALUE);
        }
        SstFileCursor cursor = reader.cachedCursor();
        for (byte[] key : RandomKeys.keys(random, 500)) {
            checkGet(reader, key, random.nextInt(120));
            Map.Entry<byte[], NavigableMap<Long, Optional<byte[]>>> ceiling =
                    model.ceilingEntry(key);
            assertThat(cursor.seek(key)).isEqualTo(ceiling != null);
            if (ceiling != null) {
                assertThat(cursor.key()).isEqualTo(ceiling.getKey());
                assertThat(cursor.lsn()).isEqualTo(ceiling.getValue().firstKey());
            }
        }
    }

    /** Down to the first key, in windows of a block, across the parts of the index. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void windowsGoFromTheLastKeyToTheFirst(long seed) throws IOException {
        Random random = new Random(seed);
        NavigableSet<byte[]> keys = RandomKeys.keys(random, 1 + random.nextInt(3_000));
        SstFileReader reader = write(keys, FilteredKeys.WHOLE, 0);
        // 256 B of entries of 12 B or more, and the last key of the block before
        int most = 256 / 12 + 2;
        byte[] end = random.nextBoolean() ? null : RandomKeys.keys(random, 1).first();
        NavigableSet<byte[]> left = end == null ? keys : keys.headSet(end, false);
        byte[] start = reader.keyBelow(end);
        while (start != null) {
            if (end != null) {
                assertThat(RandomKeys.ORDER.compare(start, end))
                        .as("a window begins below its end")
                        .isNegative();
            }
            assertThat(left.tailSet(start, true)).hasSizeLessThanOrEqualTo(most);
            left = left.headSet(start, false);
            end = start;
            start = reader.keyBelow(end);
        }
        assertThat(left).hasSizeLessThanOrEqualTo(most);
    }

    @Test
    void filterRefusesMostAbsentKeys() throws IOException {
        fillModel(new Random(11), 3_000);
        SstFileReader reader =
                SstFileReader.open(store, PATH, write(BlockFileOptions.DEFAULT).sizeBytes(), cache);
        int passed = 0;
        Random random = new Random(12);
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[20];
            random.nextBytes(key);
            passed += reader.mayContain(key) ? 1 : 0;
        }
        assertThat(passed).as("absent keys let through of 10,000").isLessThan(300);
        for (byte[] key : model.keySet()) {
            assertThat(reader.mayContain(key)).isTrue();
        }
    }

    /** Several keys a beginning, also where a part of the index ends among them. */
    @Test
    void aFilterOfBeginningsRefusesMostAbsentOnes() throws IOException {
        Random random = new Random(13);
        TreeSet<byte[]> keys = new TreeSet<>(RandomKeys.ORDER);
        TreeSet<byte[]> beginnings = new TreeSet<>(RandomKeys.ORDER);
        for (int i = 0; i < 2_000; i++) {
            byte[] beginning = new byte[6];
            random.nextBytes(beginning);
            beginnings.add(beginning);
            for (int j = random.nextInt(5); j >= 0; j--) {
                byte[] key = Arrays.copyOf(beginning, 10);
                key[9] = (byte) j;
                keys.add(key);
            }
        }
        SstFileReader reader = write(keys, FilteredKeys.BEGINNINGS, 6);
        for (byte[] beginning : beginnings) {
            assertThat(mayContain(reader, beginning)).isTrue();
        }
        int passed = 0;
        for (int i = 0; i < 10_000; i++) {
            byte[] absent = new byte[6];
            random.nextBytes(absent);
            passed += mayContain(reader, absent) ? 1 : 0;
        }
        assertThat(passed).as("absent beginnings let through of 10,000").isLessThan(400);
        for (byte[] key : keys) {
            assertThat(reader.mayContain(key)).isTrue();
            assertThat(reader.get(key, 7)).isPresent();
        }
    }

    @Test
    void aFileWithoutAFilterMayContainAnything() throws IOException {
        TreeSet<byte[]> keys = new TreeSet<>(RandomKeys.ORDER);
        RandomKeys.keys(new Random(14), 500).forEach(keys::add);
        SstFileReader reader = write(keys, FilteredKeys.NONE, 0);
        assertThat(mayContain(reader, new byte[] {1})).isTrue();
        for (byte[] key : keys) {
            assertThat(reader.mayContain(key)).isTrue();
            assertThat(reader.get(key, 7)).isPresent();
            assertThat(reader.get(key, 6)).isEmpty();
        }
    }

    private static boolean mayContain(SstFileReader reader, byte[] beginning) throws IOException {
        return reader.mayContainBeginning(
                beginning, BloomFilter.hash(beginning, 0, beginning.length));
    }

    private SstFileReader write(Iterable<byte[]> keys, FilteredKeys filtered, int beginningLength)
            throws IOException {
        BlockFileOptions options = new BlockFileOptions(256, 300, 4, 10, Compression.LZ4);
        try (SstFileWriter writer = SstFileWriter.create(store, PATH, options, filtered)) {
            for (byte[] key : keys) {
                writer.add(key, 0, key.length, beginningLength, 7, false, key, 0, 0);
            }
            return SstFileReader.open(store, PATH, writer.finish().sizeBytes(), cache);
        }
    }

    @Test
    void emptyFile() throws IOException {
        SstFileReader reader =
                SstFileReader.open(store, PATH, write(BlockFileOptions.DEFAULT).sizeBytes(), cache);
        assertThat(reader.entryCount()).isZero();
        assertThat(reader.get(new byte[0], Long.MAX_VALUE)).isEmpty();
        assertThat(reader.cursor().advance()).isFalse();
        assertThat(reader.cursor().seek(new byte[0])).isFalse();
        assertThat(reader.keyBelow(null)).isNull();
    }

    @Test
    void wrongOrderIsRefused() throws IOException {
        try (SstFileWriter writer = SstFileWriter.create(store, PATH, BlockFileOptions.DEFAULT)) {
            writer.add("b".getBytes(UTF_8), 5, new byte[1]);
            assertThatThrownBy(() -> writer.add("a".getBytes(UTF_8), 9, new byte[1]))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> writer.add("b".getBytes(UTF_8), 5, new byte[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("found 5 after 5");
        }
        assertThat(store.list("")).as("a writer that was not finished").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LZ4", "ZSTD"})
    void everyDamagedByteIsNoticed(String compression) throws Exception {
        fillModel(new Random(21), 60);
        long size =
                write(new BlockFileOptions(256, 100, 4, 10, Compression.valueOf(compression)))
                        .sizeBytes();
        ByteFlips.everyFlipIsRefused(
                store,
                PATH,
                path -> checkScan(SstFileReader.open(store, path, size, newCache()).cursor()));
    }

    @Test
    void cutFilesAreRefused() throws Exception {
        fillModel(new Random(22), 60);
        long size = write(BlockFileOptions.DEFAULT).sizeBytes();
        byte[] good = store.readFully(PATH);
        for (int length : new int[] {0, 10, good.length / 2, good.length - 1}) {
            store.put(PATH, java.util.Arrays.copyOf(good, length));
            assertThatThrownBy(() -> SstFileReader.open(store, PATH, size, newCache()))
                    .hasMessageContaining("Expected file size " + size + ", found " + length);
        }
    }

    /** Each request to a far store is 30 ms: a size is in the manifest. */
    @Test
    void openingReadsTheEndsAndAsksForNothingElse() throws Exception {
        fillModel(new Random(23), 60);
        long size = write(BlockFileOptions.DEFAULT).sizeBytes();
        AtomicInteger reads = new AtomicInteger();
        ObjectStore watched =
                new ForwardingObjectStore(store) {
                    @Override
                    public void read(
                            String path, long offset, byte[] buffer, int bufferOffset, int length)
                            throws IOException {
                        reads.incrementAndGet();
                        super.read(path, offset, buffer, bufferOffset, length);
                    }

                    @Override
                    public long size(String path) {
                        throw new AssertionError("asked for the size of " + path);
                    }
                };
        SstFileReader.open(watched, PATH, size, newCache());
        assertThat(reads).hasValueLessThanOrEqualTo(2);
    }

    @Test
    void goldenFile() throws IOException {
        try (SstFileWriter writer =
                SstFileWriter.create(
                        store, PATH, new BlockFileOptions(64, 64, 2, 10, Compression.LZ4))) {
            for (int i = 0; i < 8; i++) {
                byte[] key = ("key-" + i).getBytes(UTF_8);
                writer.add(key, 100 + i, ("row " + i + " " + "x".repeat(40)).getBytes(UTF_8));
                if (i % 3 == 0) {
                    writer.addDeleted(key, 50 + i);
                }
            }
            writer.finish();
        }
        Golden.check("row-file-3.row", store.readFully(PATH));
        checkGolden("row-file-3.row");
    }

    @Test
    void theVersionBeforeIsRead() throws IOException {
        checkGolden("row-file-2.row");
    }

    private void checkGolden(String name) throws IOException {
        byte[] golden = Golden.load(name);
        store.put("golden.row", golden);
        SstFileReader reader = SstFileReader.open(store, "golden.row", golden.length, cache);
        assertThat(reader.entryCount()).isEqualTo(11);
        assertThat(reader.get("key-3".getBytes(UTF_8), 60))
                .hasValueSatisfying(row -> assertThat(row.deleted()).isTrue());
        assertThat(
                        new String(
                                reader.get("key-7".getBytes(UTF_8), 107)
                                        .orElseThrow()
                                        .toByteArray(),
                                UTF_8))
                .startsWith("row 7 xxx");
    }

    @Test
    void earlierVersionIsRefusedByName() throws IOException {
        byte[] golden = Golden.load("row-file-1.row");
        store.put(PATH, golden);
        assertThatThrownBy(() -> SstFileReader.open(store, PATH, golden.length, cache))
                .hasMessageContaining("Expected row shard file version 3, found 1 in " + PATH);
    }

    private static BlockCache newCache() {
        return new BlockCache("once", 1 << 20, () -> 0);
    }

    private static BlockFileOptions randomOptions(Random random) {
        return new BlockFileOptions(
                64 << random.nextInt(10),
                64 << random.nextInt(10),
                1 + random.nextInt(20),
                1 + random.nextInt(16),
                Compression.values()[random.nextInt(3)]);
    }

    private void fillModel(Random random, int keys) {
        for (byte[] key : RandomKeys.keys(random, keys)) {
            NavigableMap<Long, Optional<byte[]>> versions =
                    new TreeMap<>(Comparator.reverseOrder());
            int count = random.nextInt(50) == 0 ? 1 + random.nextInt(80) : 1 + random.nextInt(3);
            for (int i = 0; i < count; i++) {
                byte[] row = new byte[random.nextInt(60)];
                random.nextBytes(row);
                versions.put(
                        (long) random.nextInt(100),
                        random.nextInt(6) == 0 ? Optional.empty() : Optional.of(row));
            }
            model.put(key, versions);
        }
    }

    private SstFileSummary write(BlockFileOptions options) throws IOException {
        try (SstFileWriter writer = SstFileWriter.create(store, PATH, options)) {
            for (Map.Entry<byte[], NavigableMap<Long, Optional<byte[]>>> entry : model.entrySet()) {
                for (Map.Entry<Long, Optional<byte[]>> version : entry.getValue().entrySet()) {
                    if (version.getValue().isPresent()) {
                        writer.add(entry.getKey(), version.getKey(), version.getValue().get());
                    } else {
                        writer.addDeleted(entry.getKey(), version.getKey());
                    }
                }
            }
            SstFileSummary summary = writer.finish();
            assertThat(summary.sizeBytes()).isEqualTo(store.size(PATH));
            assertThat(summary.keyCount()).isEqualTo(model.size());
            return summary;
        }
    }

    private void checkScan(SstFileCursor cursor) throws IOException {
        for (Map.Entry<byte[], NavigableMap<Long, Optional<byte[]>>> entry : model.entrySet()) {
            for (Map.Entry<Long, Optional<byte[]>> version : entry.getValue().entrySet()) {
                assertThat(cursor.advance()).isTrue();
                assertThat(cursor.key()).isEqualTo(entry.getKey());
                assertThat(cursor.lsn()).isEqualTo(version.getKey());
                assertThat(cursor.deleted()).isEqualTo(version.getValue().isEmpty());
                byte[] row =
                        java.util.Arrays.copyOfRange(
                                cursor.rowArray(),
                                cursor.rowOffset(),
                                cursor.rowOffset() + cursor.rowLength());
                assertThat(row).isEqualTo(version.getValue().orElse(new byte[0]));
            }
        }
        assertThat(cursor.advance()).isFalse();
    }

    private void checkGet(SstFileReader reader, byte[] key, long readLsn) throws IOException {
        NavigableMap<Long, Optional<byte[]>> versions = model.get(key);
        // Descending order: the first at or after readLsn is the newest at or below it.
        Map.Entry<Long, Optional<byte[]>> expected =
                versions == null ? null : versions.ceilingEntry(readLsn);
        Optional<RowVersion> found = reader.get(key, readLsn);
        assertThat(found.isPresent()).isEqualTo(expected != null);
        if (expected != null) {
            assertThat(found.orElseThrow().lsn()).isEqualTo(expected.getKey());
            assertThat(found.orElseThrow().deleted()).isEqualTo(expected.getValue().isEmpty());
            assertThat(found.orElseThrow().toByteArray())
                    .isEqualTo(expected.getValue().orElse(new byte[0]));
        }
    }
}
