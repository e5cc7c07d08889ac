package io.stele.objectstore.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.ObjectWriter;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Encrypted objects beside their plain content, and after all that may happen to their bytes. */
final class TestEncryptedObjects {
    private static final String PATH = "data/7/0/1-a.orc";
    private static final int CHUNK = EncryptedLayout.CHUNK_BYTES;

    private final Requests memory = new Requests();
    private final ObjectStore store = TestKeys.encryption("new", "old").over(memory);

    /** Counts what is asked for. */
    private static final class Requests extends ForwardingObjectStore {
        private int count;

        Requests() {
            super(new InMemoryObjectStore());
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            count++;
            super.read(path, offset, buffer, bufferOffset, length);
        }

        @Override
        public long size(String path) throws IOException {
            count++;
            return super.size(path);
        }
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    private byte[] write(String path, int length) throws IOException {
        byte[] content = content(length);
        try (ObjectWriter writer = store.create(path)) {
            int position = 0;
            for (int step = 1; position < length; step = step * 3 % 100_003) {
                int count = Math.min(step, length - position);
                writer.write(content, position, count);
                position += count;
            }
            assertThat(writer.position()).isEqualTo(length);
            writer.commit();
        }
        return content;
    }

    private static final int[] LENGTHS = {
        0,
        1,
        100,
        CHUNK - 1,
        CHUNK,
        CHUNK + 1,
        2 * CHUNK,
        5 * CHUNK + 17,
        40 * CHUNK,
        77 * CHUNK + 1
    };

    @Test
    void everyRangeIsAsItWasWritten() throws IOException {
        Random random = new Random(3);
        for (int length : LENGTHS) {
            String path = "data/7/0/" + length;
            byte[] content = write(path, length);
            assertThat(store.size(path)).isEqualTo(length);
            assertThat(memory.size(path)).isEqualTo(EncryptedLayout.storedBytes(length));
            assertThat(store.list(path)).containsExactly(new ObjectEntry(path, length));
            assertThat(store.readFully(path)).isEqualTo(content);
            for (ObjectStore reading :
                    new ObjectStore[] {store, TestKeys.encryption("new").over(memory)}) {
                ObjectReader reader = reading.open(path, length);
                for (int i = 0; i < 50; i++) {
                    int offset = random.nextInt(length + 1);
                    int count = random.nextInt(length - offset + 1);
                    byte[] expected = Arrays.copyOfRange(content, offset, offset + count);
                    assertThat(reader.read(offset, count)).isEqualTo(expected);
                    if (i < 3) {
                        assertThat(reading.read(path, offset, count)).isEqualTo(expected);
                    }
                }
                assertThat(reader.read(0, length)).isEqualTo(content);
                assertThatThrownBy(() -> reader.read(length, 1))
                        .isInstanceOf(EOFException.class)
                        .hasMessageContaining(path);
            }
        }
    }

    @Test
    void lengthsFollowFromEachOther() {
        for (int length : LENGTHS) {
            assertThat(EncryptedLayout.sizeBytes(EncryptedLayout.storedBytes(length)))
                    .hasValue(length);
        }
        assertThat(EncryptedLayout.sizeBytes(135)).isEmpty();
        assertThat(EncryptedLayout.sizeBytes(EncryptedLayout.storedBytes(CHUNK) + 16)).isEmpty();
    }

    /** What is read near its end first, as files are, costs no request for its key. */
    @Test
    void theKeyComesWithTheEnd() throws IOException {
        byte[] content = write(PATH, 40 * CHUNK + 5);
        ObjectReader reader = TestKeys.encryption("new").over(memory).open(PATH, content.length);
        memory.count = 0;
        reader.read(content.length - 16_384, 16_384);
        assertThat(memory.count).isEqualTo(1);
        reader.read(0, 100);
        assertThat(memory.count).isEqualTo(2);
    }

    @Test
    void equalContentsNeverLookAlike() throws IOException {
        store.put("a", content(1_000));
        store.put("b", content(1_000));
        assertThat(memory.readFully("a")).isNotEqualTo(memory.readFully("b"));
        byte[] first = memory.readFully("a");
        store.put("a", content(1_000));
        assertThat(memory.readFully("a")).isNotEqualTo(first);
    }

    @Test
    void nothingOfTheContentIsStored() throws IOException {
        byte[] secret = "the quick brown fox".repeat(10_000).getBytes(UTF_8);
        try (ObjectWriter writer = store.create(PATH)) {
            writer.write(secret);
            writer.commit();
        }
        store.put("b", secret);
        store.createIfAbsent("c", secret);
        store.compareAndSwap("c", secret, secret);
        for (ObjectEntry entry : memory.list("")) {
            assertThat(
                            new String(
                                    memory.readFully(entry.path()),
                                    java.nio.charset.StandardCharsets.ISO_8859_1))
                    .doesNotContain("quick")
                    .doesNotContain("fox");
        }
    }

    private static void refused(ThrowingRead read, String path) {
        assertThatThrownBy(read::run)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining("xpected")
                .hasMessageContaining("found")
                .hasMessageContaining(path);
    }

    private interface ThrowingRead {
        void run() throws IOException;
    }

    /** Reads as a new process does, in every way that there is. */
    private void assertRefused(String path, int length) {
        ObjectStore fresh = TestKeys.encryption("new", "old").over(memory);
        refused(() -> fresh.open(path, length).read(0, length), path);
        refused(() -> fresh.readFully(path), path);
        refused(
                () -> {
                    ObjectReader reader = fresh.open(path, length);
                    for (int offset = length; offset > 0; offset -= CHUNK) {
                        reader.read(Math.max(0, offset - CHUNK), Math.min(offset, CHUNK));
                    }
                },
                path);
    }

    @Test
    void aFlippedBitAnywhereIsFound() throws IOException {
        int length = 2 * CHUNK + 50;
        byte[] content = write(PATH, length);
        byte[] good = memory.readFully(PATH);
        Random random = new Random(5);
        for (int i = 0; i < 400; i++) {
            int position =
                    i < 128
                            ? good.length - 1 - i
                            : EncryptedLayout.HEADER_BYTES
                                    + random.nextInt(good.length - EncryptedLayout.HEADER_BYTES);
            byte[] bad = good.clone();
            bad[position] ^= (byte) (1 << random.nextInt(8));
            memory.put(PATH, bad);
            assertRefused(PATH, length);
        }
        byte[] bad = good.clone();
        bad[3] ^= 1;
        memory.put(PATH, bad);
        refused(() -> store.readFully(PATH), PATH);
        assertThat(store.open(PATH, length).read(0, length))
                .isEqualTo(content); // it reads no magic
    }

    @Test
    void aCutObjectIsFound() throws IOException {
        int length = 2 * CHUNK + 50;
        write(PATH, length);
        byte[] good = memory.readFully(PATH);
        for (int cut :
                new int[] {
                    8,
                    20,
                    136,
                    200,
                    length,
                    CHUNK,
                    good.length - 1,
                    good.length - 128,
                    good.length - 129
                }) {
            memory.put(PATH, Arrays.copyOf(good, cut));
            assertRefused(PATH, length);
            if (EncryptedLayout.sizeBytes(cut).isEmpty()) {
                refused(() -> store.size(PATH), PATH);
            }
        }
    }

    @Test
    void chunksFitTheirPlaceOnly() throws IOException {
        int length = 3 * CHUNK;
        write(PATH, length);
        write("data/7/0/2-b.orc", length);
        byte[] good = memory.readFully(PATH);
        byte[] other = memory.readFully("data/7/0/2-b.orc");
        int stored = EncryptedLayout.STORED_CHUNK_BYTES;
        int at = EncryptedLayout.HEADER_BYTES;

        byte[] swapped = good.clone();
        System.arraycopy(good, at, swapped, at + stored, stored);
        System.arraycopy(good, at + stored, swapped, at, stored);
        memory.put(PATH, swapped);
        assertRefused(PATH, length);

        byte[] mixed = good.clone();
        System.arraycopy(other, at + stored, mixed, at + stored, stored);
        memory.put(PATH, mixed);
        assertRefused(PATH, length);

        // Without its last chunk, under its own trailer
        byte[] shorter = Arrays.copyOf(good, good.length - stored);
        System.arraycopy(good, good.length - 128, shorter, shorter.length - 128, 128);
        memory.put(PATH, shorter);
        assertRefused(PATH, length - CHUNK);

        // A whole object in the place of another
        memory.put(PATH, other);
        assertRefused(PATH, length);
    }

    @Test
    void keysAreRotated() throws IOException {
        ObjectStore before = TestKeys.encryption("old").over(memory);
        before.put("a", content(100));
        ObjectStore between = TestKeys.encryption("old", "new").over(memory);
        between.put("b", content(100));
        ObjectStore after = TestKeys.encryption("new", "old").over(memory);
        after.put("c", content(100));
        for (String path : new String[] {"a", "b", "c"}) {
            assertThat(after.readFully(path)).isEqualTo(content(100));
            assertThat(after.open(path, 100).read(0, 100)).isEqualTo(content(100));
        }
        ObjectStore withoutOld = TestKeys.encryption("new").over(memory);
        assertThat(withoutOld.readFully("c")).isEqualTo(content(100));
        for (String path : new String[] {"a", "b"}) {
            refused(() -> withoutOld.readFully(path), "'old', found only [new]");
            refused(() -> withoutOld.open(path, 100).read(0, 100), path);
        }
    }

    @Test
    void aWrongKeyUnderTheSameIdIsNamed() throws IOException {
        store.put("a", content(100));
        MasterKeys wrong =
                MasterKeys.parse(
                        java.util.List.of(TestKeys.entry("other").replace("other:", "new:")),
                        "test");
        ObjectStore other = Encryption.of(wrong, new Random(1), false).over(memory);
        refused(() -> other.readFully("a"), "this 'new' is not the one that it was written with");
        refused(() -> other.open("a", 100).read(0, 100), "this 'new' is not");
        assertThat(wrong.fingerprints()).isNotEqualTo(TestKeys.of("new").fingerprints());
        assertThat(TestKeys.of("new").fingerprints()).isEqualTo(TestKeys.of("new").fingerprints());
    }

    /** A warehouse that was begun without keys. */
    @Test
    void plainObjectsOfBeforeAreRead() throws IOException {
        for (int length : LENGTHS) {
            String path = "data/7/0/" + length;
            memory.put(path, content(length));
            assertThat(store.readFully(path)).isEqualTo(content(length));
            assertThat(store.size(path)).isEqualTo(length);
            ObjectReader reader = store.open(path, length);
            assertThat(reader.read(0, length)).isEqualTo(content(length));
            assertThat(reader.read(length / 2, length - length / 2))
                    .isEqualTo(Arrays.copyOfRange(content(length), length / 2, length));
            assertThat(store.createIfAbsent(path, content(1))).isFalse();
        }
        memory.put("swap", content(10));
        assertThat(store.compareAndSwap("swap", content(10), content(11))).isTrue();
        assertThat(store.readFully("swap")).isEqualTo(content(11));
        assertThat(EncryptedTrailer.isMagic(memory.readFully("swap"), 0)).isTrue();
        // Of another length than its manifest says
        memory.put("short", content(99));
        refused(() -> store.open("short", 100).read(0, 100), "short");
        memory.put("long", content(300));
        refused(() -> store.open("long", 100).read(0, 100), "long");
    }

    @Test
    void plainObjectsAreRefusedIfAskedTo() throws IOException {
        ObjectStore strict = Encryption.of(TestKeys.of("new"), new Random(1), true).over(memory);
        for (int length : LENGTHS) {
            memory.put("a", content(length));
            refused(() -> strict.readFully("a"), "refuse-plain");
            if (length > 0) {
                refused(() -> strict.open("a", length).read(0, length), "a");
            }
        }
        strict.put("a", content(5_000));
        assertThat(strict.readFully("a")).isEqualTo(content(5_000));
        assertThat(strict.size("a")).isEqualTo(5_000);
    }

    @Test
    void whoHasNoKeysIsToldSo() throws IOException {
        store.put("a", content(100));
        refused(
                () -> Encryption.NONE.over(memory).readFully("a"),
                "no master keys (stele.encryption.*)");
        memory.put("b", content(100));
        assertThat(Encryption.NONE.over(memory).readFully("b")).isEqualTo(content(100));
    }

    /** Somebody replaces the object between the requests of one read. */
    @Test
    void readsOfReplacedObjectsAreOfOneVersion() throws IOException {
        byte[] first = content(3 * CHUNK);
        byte[] second = content(3 * CHUNK + 1);
        store.put("x", first);
        ObjectStore racing =
                TestKeys.encryption("new")
                        .over(
                                new ForwardingObjectStore(memory) {
                                    private int reads;

                                    @Override
                                    public void read(
                                            String path,
                                            long offset,
                                            byte[] buffer,
                                            int bufferOffset,
                                            int length)
                                            throws IOException {
                                        super.read(path, offset, buffer, bufferOffset, length);
                                        if (reads++ == 0) {
                                            store.put(path, second);
                                        }
                                    }
                                });
        assertThat(racing.read("x", CHUNK, CHUNK))
                .isEqualTo(Arrays.copyOfRange(second, CHUNK, 2 * CHUNK));
    }

    /** Every byte of the form, which never changes meaning. */
    @Test
    void goldenBytes() throws IOException {
        ObjectStore golden = Encryption.of(TestKeys.of("k1"), new Random(42), false).over(memory);
        golden.put("a/b", "golden".getBytes(UTF_8));
        String expected =
                "5354454c45454e43823b8820c1810905b55304f6550eb3491d80ad841cd8026b31000000"
                        + "0000000000000000000000000000000000000000000000000000be6a61aa9a0c6117bd67"
                        + "43e7661ed45785062eebb66d82cb84ae7c4de180a4baea57a32f653721376bf87223b9d8"
                        + "e4e3cc5b3845f76805aefcf01e9606000000000000000000000000000000000000000100"
                        + "00002f17fcdc5354454c45454e43";
        assertThat(HexFormat.of().formatHex(memory.readFully("a/b"))).isEqualTo(expected);
        memory.put("a/b", HexFormat.of().parseHex(expected));
        assertThat(store(TestKeys.encryption("k1")).readFully("a/b"))
                .isEqualTo("golden".getBytes(UTF_8));
    }

    private ObjectStore store(Encryption encryption) {
        return encryption.over(memory);
    }
}
