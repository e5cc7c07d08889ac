package io.stele.columnfile.index;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.SteleException;
import io.stele.testing.Golden;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestKeyIndex {
    private static final String PATH = "data/1/0-0/a.idx";
    private static final byte[] METADATA = "metadata of the column file".getBytes(UTF_8);

    private final ObjectStore store = new InMemoryObjectStore();
    private final BlockCache cache = new BlockCache("keys", 1 << 20, () -> 0);

    /** The oracle: each key to its ordinals, newest version first. */
    private final NavigableMap<byte[], List<Integer>> model = new TreeMap<>(RandomKeys.ORDER);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void ranksAreFoundAsInATreeMap(long seed) throws IOException {
        Random random = new Random(seed);
        int ordinal = 0;
        for (byte[] key : RandomKeys.keys(random, 1 + random.nextInt(5_000))) {
            List<Integer> ordinals = new ArrayList<>();
            for (int versions = random.nextInt(30) == 0 ? 40 : 1; versions > 0; versions--) {
                ordinals.add(ordinal++);
            }
            model.put(key, ordinals);
        }
        KeyIndexSummary summary;
        try (KeyIndexWriter writer = KeyIndexWriter.byRank(store, PATH, randomOptions(random))) {
            for (Map.Entry<byte[], List<Integer>> entry : model.entrySet()) {
                for (int i = 0; i < entry.getValue().size(); i++) {
                    writer.add(entry.getKey());
                }
            }
            summary = writer.finish();
        }
        assertThat(summary.entryCount()).isEqualTo(ordinal);
        check(KeyIndexReader.open(store, PATH, summary.sizeBytes(), cache), random);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void explicitOrdinalsAreFoundAsInATreeMap(long seed) throws IOException {
        Random random = new Random(seed);
        NavigableSet<byte[]> keys = RandomKeys.keys(random, 1 + random.nextInt(5_000));
        List<Integer> ordinals = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            ordinals.add(random.nextInt(3) == 0 ? Integer.MAX_VALUE - i : i * 5);
        }
        Collections.shuffle(ordinals, random);
        KeyIndexSummary summary;
        try (KeyIndexWriter writer = KeyIndexWriter.explicit(store, PATH, randomOptions(random))) {
            for (byte[] key : keys) {
                int ordinal = ordinals.removeLast();
                model.put(key, List.of(ordinal));
                writer.add(key, ordinal);
            }
            summary = writer.finish();
        }
        check(KeyIndexReader.open(store, PATH, summary.sizeBytes(), cache), random);
    }

    /** Probes go to blocks by a shorter way while the cache has them, and not a moment longer. */
    @Test
    void probesKeepNothingThatTheCacheDropped() throws IOException {
        Random random = new Random(1);
        KeyIndexSummary summary;
        try (KeyIndexWriter writer =
                KeyIndexWriter.byRank(
                        store, PATH, new BlockFileOptions(256, 512, 4, 10, Compression.LZ4))) {
            int ordinal = 0;
            for (byte[] key : RandomKeys.keys(random, 5_000)) {
                writer.add(key);
                model.put(key, List.of(ordinal++));
            }
            summary = writer.finish();
        }
        List<byte[]> keys = new ArrayList<>(model.keySet());
        for (long cacheBytes : new long[] {0, 3_000, 60_000, 1 << 20}) {
            BlockCache small = new BlockCache("small", cacheBytes, () -> 0);
            KeyIndexReader reader = KeyIndexReader.open(store, PATH, summary.sizeBytes(), small);
            for (int round = 0; round < 3; round++) {
                checkProbe(reader, keys);
                Collections.shuffle(keys, random);
                assertThat(small.statistics().weightBytes()).isLessThanOrEqualTo(cacheBytes);
            }
        }

        KeyIndexReader reader = KeyIndexReader.open(store, PATH, summary.sizeBytes(), cache);
        checkProbe(reader, keys);
        store.delete(PATH);
        checkProbe(reader, keys); // all from memory
        cache.forget(PATH);
        assertThatThrownBy(() -> checkProbe(reader, keys)).isInstanceOf(IOException.class);
    }

    @Test
    void emptyIndex() throws IOException {
        KeyIndexSummary summary;
        try (KeyIndexWriter writer = KeyIndexWriter.byRank(store, PATH, BlockFileOptions.DEFAULT)) {
            summary = writer.finish();
        }
        KeyIndexReader reader = KeyIndexReader.open(store, PATH, summary.sizeBytes(), cache);
        assertThat(reader.find(new byte[0])).isEqualTo(KeyIndexReader.ABSENT);
        assertThat(reader.cursor().advance()).isFalse();
    }

    @Test
    void oneKindOfOrdinalAnIndex() throws IOException {
        try (KeyIndexWriter writer = KeyIndexWriter.byRank(store, PATH, BlockFileOptions.DEFAULT)) {
            assertThatThrownBy(() -> writer.add(new byte[1], 1))
                    .isInstanceOf(IllegalStateException.class);
        }
        try (KeyIndexWriter writer =
                KeyIndexWriter.explicit(store, PATH, BlockFileOptions.DEFAULT)) {
            assertThatThrownBy(() -> writer.add(new byte[1]))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void everyDamagedByteIsNoticed() throws Exception {
        KeyIndexSummary summary = writeGolden();
        ByteFlips.everyFlipIsRefused(
                store,
                PATH,
                path -> {
                    KeyIndexReader reader =
                            KeyIndexReader.open(
                                    store,
                                    path,
                                    summary.sizeBytes(),
                                    new BlockCache("once", 1 << 20, () -> 0));
                    assertThat(reader.readMetadata()).contains(METADATA);
                    KeyIndexCursor cursor = reader.cursor();
                    int count = 0;
                    while (cursor.advance()) {
                        assertThat(cursor.ordinal()).isEqualTo(1000 - count);
                        count++;
                    }
                    assertThat(count).isEqualTo(20);
                });
    }

    @Test
    void goldenFile() throws IOException {
        writeGolden();
        Golden.check("key-index-4.idx", store.readFully(PATH));
        assertThat(checkGolden("key-index-4.idx").readMetadata()).contains(METADATA);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void versionsBeforeAreRead(int version) throws IOException {
        assertThat(checkGolden("key-index-" + version + ".idx").readMetadata()).isEmpty();
    }

    /** They come along as long as they are short enough, and are a read of their own otherwise. */
    @ParameterizedTest
    @ValueSource(ints = {1, 100, 50_000, 200_000})
    void metadataOfTheColumnFileLieAtTheEnd(int length) throws IOException {
        byte[] metadata = new byte[length];
        new Random(length).nextBytes(metadata);
        int ordinal = 0;
        for (byte[] key : RandomKeys.keys(new Random(1), 5_000)) {
            model.put(key, List.of(ordinal++));
        }
        KeyIndexSummary summary;
        try (KeyIndexWriter writer =
                KeyIndexWriter.byRank(store, PATH, BlockFileOptions.KEY_INDEX)) {
            for (byte[] key : model.keySet()) {
                writer.add(key);
            }
            summary = writer.finish(Optional.of(metadata));
        }
        List<byte[]> came = new ArrayList<>();
        KeyIndexReader reader =
                KeyIndexReader.open(
                        store, PATH, summary.sizeBytes(), cache, sink(came, new ArrayList<>()));
        assertThat(came)
                .hasSize(length <= 50_000 ? 1 : 0)
                .allSatisfy(bytes -> assertThat(bytes).isEqualTo(metadata));
        assertThat(reader.readMetadata()).contains(metadata);
        check(reader, new Random(2));
    }

    /** The column file has what they say. */
    @Test
    void damagedMetadataOfTheColumnFileLeaveTheIndexGood() throws IOException {
        KeyIndexSummary summary = writeGolden();
        byte[] bytes = store.readFully(PATH);
        int found = new String(bytes, ISO_8859_1).indexOf(new String(METADATA, ISO_8859_1));
        assertThat(found).isPositive();
        bytes[found + 3] ^= 1;
        store.put(PATH, bytes);
        List<byte[]> came = new ArrayList<>();
        List<SteleException> damaged = new ArrayList<>();
        KeyIndexReader reader =
                KeyIndexReader.open(store, PATH, summary.sizeBytes(), cache, sink(came, damaged));
        assertThat(came).isEmpty();
        assertThat(damaged)
                .singleElement()
                .satisfies(one -> assertThat(one).hasMessageContaining(PATH));
        assertThat(reader.find("key-07".getBytes(UTF_8))).isEqualTo(993);
        assertThatThrownBy(reader::readMetadata).isInstanceOf(SteleException.class);
    }

    private static KeyIndexReader.MetadataSink sink(
            List<byte[]> came, List<SteleException> damaged) {
        return new KeyIndexReader.MetadataSink() {
            @Override
            public void accept(byte[] encoded) {
                came.add(encoded);
            }

            @Override
            public void damaged(SteleException corrupt) {
                damaged.add(corrupt);
            }
        };
    }

    private KeyIndexReader checkGolden(String name) throws IOException {
        byte[] golden = Golden.load(name);
        store.put("golden.idx", golden);
        KeyIndexReader reader = KeyIndexReader.open(store, "golden.idx", golden.length, cache);
        assertThat(reader.find("key-07".getBytes(UTF_8))).isEqualTo(993);
        assertThat(reader.find("key-70".getBytes(UTF_8))).isEqualTo(KeyIndexReader.ABSENT);
        return reader;
    }

    /** As workers and flushes write them: what makes a key index small. */
    @Test
    void keysOfANumberTakeLittle() throws IOException {
        Random random = new Random(1);
        List<Integer> ordinals = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            ordinals.add(i);
        }
        Collections.shuffle(ordinals, random);
        KeyIndexSummary ranks;
        KeyIndexSummary explicit;
        try (KeyIndexWriter byRank =
                        KeyIndexWriter.byRank(store, "ranks", BlockFileOptions.KEY_INDEX);
                KeyIndexWriter writer =
                        KeyIndexWriter.explicit(store, PATH, BlockFileOptions.KEY_INDEX)) {
            long number = 1L << 63;
            for (int ordinal : ordinals) {
                number += 1 + random.nextInt(16);
                byte[] key = new byte[8];
                ByteBuffer.wrap(key).putLong(number);
                model.put(key, List.of(ordinal));
                byRank.add(key);
                writer.add(key, ordinal);
            }
            ranks = byRank.finish();
            explicit = writer.finish();
        }
        assertThat(ranks.sizeBytes() / 100_000.0).isBetween(1.5, 2.4); // 8 without being packed
        assertThat(explicit.sizeBytes() / 100_000.0).isBetween(3.5, 4.6); // 11
        check(KeyIndexReader.open(store, PATH, explicit.sizeBytes(), cache), random);
    }

    private KeyIndexSummary writeGolden() throws IOException {
        try (KeyIndexWriter writer =
                KeyIndexWriter.explicit(
                        store, PATH, new BlockFileOptions(256, 64, 2, 10, Compression.PACKED))) {
            for (int i = 0; i < 20; i++) {
                writer.add("key-%02d".formatted(i).getBytes(UTF_8), 1000 - i);
            }
            return writer.finish(Optional.of(METADATA));
        }
    }

    private static BlockFileOptions randomOptions(Random random) {
        return new BlockFileOptions(
                64 << random.nextInt(10),
                64 << random.nextInt(10),
                1 + random.nextInt(20),
                1 + random.nextInt(16),
                Compression.values()[random.nextInt(Compression.values().length)]);
    }

    private void check(KeyIndexReader reader, Random random) throws IOException {
        assertThat(reader.minKey()).isEqualTo(model.firstKey());
        assertThat(reader.maxKey()).isEqualTo(model.lastKey());
        KeyIndexCursor all = reader.cursor();
        for (Map.Entry<byte[], List<Integer>> entry : model.entrySet()) {
            assertThat(reader.find(entry.getKey())).isEqualTo(entry.getValue().getFirst());
            for (int ordinal : entry.getValue()) {
                assertThat(all.advance()).isTrue();
                assertThat(all.key()).isEqualTo(entry.getKey());
                assertThat(all.ordinal()).isEqualTo(ordinal);
            }
        }
        assertThat(all.advance()).isFalse();
        List<byte[]> probed = new ArrayList<>(model.keySet());
        probed.addAll(RandomKeys.keys(random, 500));
        probed.sort(RandomKeys.ORDER);
        checkProbe(reader, probed);
        Collections.shuffle(probed, random);
        checkProbe(reader, probed);
        KeyIndexCursor leaping = reader.cursor();
        for (byte[] key : RandomKeys.keys(random, 500)) {
            if (!model.containsKey(key)) {
                assertThat(reader.find(key)).isEqualTo(KeyIndexReader.ABSENT);
            }
            Map.Entry<byte[], List<Integer>> ceiling = model.ceilingEntry(key);
            assertThat(leaping.seek(key)).isEqualTo(ceiling != null);
            if (ceiling != null) {
                assertThat(leaping.key()).isEqualTo(ceiling.getKey());
                assertThat(leaping.ordinal()).isEqualTo(ceiling.getValue().getFirst());
            }
        }
    }

    private void checkProbe(KeyIndexReader reader, List<byte[]> keys) throws IOException {
        KeyIndexProbe probe = reader.probe();
        for (byte[] key : keys) {
            List<Integer> ordinals = model.getOrDefault(key, List.of(KeyIndexReader.ABSENT));
            assertThat(probe.find(key, BloomFilter.hash(key, 0, key.length)))
                    .isEqualTo(ordinals.getFirst());
        }
    }
}
