package io.stele.engine.datafile;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.columnfile.index.BlockCache;
import io.stele.columnfile.index.BlockFileOptions;
import io.stele.columnfile.index.Compression;
import io.stele.columnfile.index.KeyIndexReader;
import io.stele.columnfile.index.KeyIndexWriter;
import io.stele.engine.manifest.FileKind;
import io.stele.engine.row.ProbeKeys;
import io.stele.engine.row.TableVersions;
import io.stele.objectstore.FarObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ParallelReads;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Whatever is fetched together and whatever cannot be read, it finds what each file has. */
final class TestKeyIndexSearch {
    private static final int FILES = 7;
    private static final int KEYS = 5_000;
    private static final long LSN = 200;

    /** Parts of a few blocks, so that keys of a fetch are of several. */
    private static final BlockFileOptions SMALL =
            new BlockFileOptions(128, 256, 16, 10, Compression.LZ4);

    private static final TableVersions VERSIONS =
            TableVersions.of(
                    TableSchema.builder("test", "t")
                            .columns(
                                    List.of(
                                            new ColumnSchema(1, "id", DataType.parse("integer"))
                                                    .notNull()))
                            .primaryKey(List.of(1))
                            .build());

    private final AtomicInteger untilFailure = new AtomicInteger(Integer.MAX_VALUE);
    private final InMemoryObjectStore memory = new InMemoryObjectStore();

    /** Fails one read, when it is its turn. */
    private final class FailingStore extends ForwardingObjectStore {
        private FailingStore(ObjectStore store) {
            super(store);
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            if (untilFailure.decrementAndGet() == 0) {
                throw new IOException("The store is away");
            }
            super.read(path, offset, buffer, bufferOffset, length);
        }
    }

    private final ObjectStore far =
            new FarObjectStore(
                    new FailingStore(memory),
                    task -> Thread.ofPlatform().daemon().start(task),
                    System::nanoTime);

    @Test
    void findsWhatEachFileHas() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        write(random);
        for (int round = 0; round < 60; round++) {
            long cacheBytes = round % 3 == 0 ? 1 : round % 3 == 1 ? 20_000 : 10 << 20;
            List<ColumnFile> files = open(far, cacheBytes);
            ProbeKeys keys = keys(random, 1 + random.nextInt(1_500));
            Set<String> expected = new TreeSet<>();
            find(new KeyIndexSearch(ParallelReads.of(memory)), open(memory, 1), keys, expected);
            KeyIndexSearch search =
                    new KeyIndexSearch(ParallelReads.of(far), 1 + random.nextInt(30_000));
            for (int again = 0; again < 2; again++) { // the second time blocks are in memory
                untilFailure.set(round % 2 == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(20));
                Set<String> found = new TreeSet<>();
                find(search, files, keys, found);
                assertThat(found).as("round %s", round).isEqualTo(expected);
            }
        }
    }

    /** A read of many keys fails, is done again for those that need it, and does not fail then. */
    private static void find(
            KeyIndexSearch search, List<ColumnFile> files, ProbeKeys keys, Set<String> found)
            throws IOException {
        search.find(
                files,
                keys,
                LSN,
                (file, key, ordinal) ->
                        assertThat(found.add(file + " " + key + " " + ordinal)).isTrue());
    }

    private void write(SplittableRandom random) throws IOException {
        for (int file = 0; file < FILES; file++) {
            try (KeyIndexWriter index = KeyIndexWriter.byRank(memory, path(file), SMALL)) {
                for (int key = 0; key < KEYS; key++) {
                    if (random.nextInt(FILES) == 0 || key == 0 || key == KEYS - 1) {
                        index.add(Descriptors.key(key));
                    }
                }
                index.finish();
            }
        }
    }

    private static String path(int file) {
        return "data/" + file + ".idx";
    }

    private List<ColumnFile> open(ObjectStore store, long cacheBytes) throws IOException {
        untilFailure.set(Integer.MAX_VALUE);
        BlockCache cache = new BlockCache("test", cacheBytes, () -> 0);
        List<ColumnFile> files = new ArrayList<>();
        for (int file = 0; file < FILES; file++) {
            KeyIndexReader index =
                    KeyIndexReader.open(store, path(file), memory.size(path(file)), cache);
            files.add(
                    new ColumnFile(
                            Descriptors.file(
                                    FileKind.COLUMN,
                                    Integer.toString(file),
                                    0,
                                    0,
                                    KEYS - 1,
                                    10 * index.entryCount()),
                            Optional.of(LazyReader.of(index)),
                            new DeletionVector(),
                            VERSIONS));
        }
        return files;
    }

    private static ProbeKeys keys(SplittableRandom random, int count) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(Descriptors.key(random.nextInt(KEYS + 100)));
        }
        return ProbeKeys.ofEach(keys);
    }
}
