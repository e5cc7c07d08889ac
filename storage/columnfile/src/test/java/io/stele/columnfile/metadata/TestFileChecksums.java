package io.stele.columnfile.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.retrieval.ByteRange;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.testing.Golden;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TestFileChecksums {
    private static final String PATH = "data/1/0/f.orc";
    private static final String SUMS = WrittenFile.checksumsPath(PATH);
    private static final int BLOCK = FileChecksums.BLOCK_BYTES;

    private final InMemoryObjectStore store = new InMemoryObjectStore();

    @ParameterizedTest
    @ValueSource(ints = {1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK, 40 * BLOCK + 77})
    void anyRangeIsRead(int size) throws IOException {
        byte[] content = write(size, size);
        ChecksummedFile file = ChecksummedFile.open(store, PATH, size, OptionalInt.of(BLOCK));
        Random random = new Random(size);
        for (int i = 0; i < 2_000; i++) {
            int from = random.nextInt(size);
            int length = random.nextInt(Math.min(size - from, 1 << random.nextInt(22)) + 1);
            check(file, content, from, length);
        }
        for (int from = 0; from < size; from += BLOCK) {
            check(file, content, from, Math.min(BLOCK, size - from));
            check(file, content, from, size - from);
        }
    }

    /** Over a network a read costs more than the copy of some megabytes. */
    @Test
    void aReadOfARemoteFileIsOneRequest() throws IOException {
        int size = 40 * BLOCK + 77;
        byte[] content = write(size, 1);
        List<Integer> requests = new ArrayList<>();
        ObjectStore remote = new RemoteStore(requests);
        ChecksummedFile file = ChecksummedFile.open(remote, PATH, size, OptionalInt.of(BLOCK));
        int sums = Math.toIntExact(FileChecksums.sizeBytes(size, BLOCK));
        check(file, content, 100, 38 * BLOCK);
        assertThat(requests).containsExactly(sums, 39 * BLOCK);
    }

    /** What takes longer to come than to ask for comes by several requests, none twice. */
    @Test
    void longRangesAreReadInPiecesSideBySide() throws Exception {
        int size = 160 * BLOCK + 77;
        byte[] content = write(size, 1);
        RoundsStore far = new RoundsStore(store);
        ChecksummedFile file = ChecksummedFile.open(far, PATH, size, OptionalInt.of(BLOCK));
        List<ByteRange> ranges =
                List.of(
                        new ByteRange(140 * BLOCK, 20 * BLOCK + 77),
                        new ByteRange(100, 130 * BLOCK),
                        new ByteRange(3, 40));
        RoundsStore.Recorded<List<ByteBuffer>> read = far.record(() -> file.readAll(ranges));
        for (int i = 0; i < ranges.size(); i++) {
            byte[] found = new byte[ranges.get(i).length()];
            read.result().get(i).get(found);
            int from = (int) ranges.get(i).offset();
            assertThat(found).isEqualTo(Arrays.copyOfRange(content, from, from + found.length));
        }
        assertThat(read.requests()).hasSizeBetween(5, 8);
        assertThat(read.bytes()).isLessThan(153L * BLOCK);
        assertThat(read.requests()).allMatch(request -> request.length() < 5 << 20);
        assertThat(read.requests().stream().filter(request -> request.round() == 1).count())
                .as("a slow machine may count some of another round")
                .isGreaterThan(1);
    }

    /** The store of this test as if it were over a network; notes the lengths of reads. */
    private final class RemoteStore extends ForwardingObjectStore {
        private final List<Integer> requests;

        RemoteStore(List<Integer> requests) {
            super(store);
            this.requests = requests;
        }

        @Override
        public boolean isRemote() {
            return true;
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            requests.add(length);
            super.read(path, offset, buffer, bufferOffset, length);
        }
    }

    private static void check(ChecksummedFile file, byte[] content, int from, int length)
            throws IOException {
        byte[] found = new byte[length + 2];
        file.read(from, found, 1, length);
        assertThat(Arrays.equals(found, 1, length + 1, content, from, from + length))
                .as("bytes %s to %s", from, from + length)
                .isTrue();
        assertThat(found[0] | found[length + 1]).as("bytes around").isZero();
    }

    @Test
    void aFlippedByteIsFoundByEveryReadThatTouchesItsBlock() throws IOException {
        int size = 12 * BLOCK + 100;
        byte[] good = write(size, 1);
        Random random = new Random(2);
        for (int i = 0; i < 300; i++) {
            int flipped = random.nextInt(size);
            byte[] bad = good.clone();
            bad[flipped] ^= (byte) (1 << random.nextInt(8));
            store.put(PATH, bad);
            ChecksummedFile file = ChecksummedFile.open(store, PATH, size, OptionalInt.of(BLOCK));
            int from = random.nextInt(size);
            int length = 1 + random.nextInt(size - from);
            byte[] buffer = new byte[length];
            int block = flipped / BLOCK;
            if (block < from / BLOCK || block > (from + length - 1) / BLOCK) {
                file.read(from, buffer, 0, length);
                assertThat(buffer).isEqualTo(Arrays.copyOfRange(good, from, from + length));
                continue;
            }
            assertThatThrownBy(() -> file.read(from, buffer, 0, length))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                    .hasMessageMatching(
                            "Expected checksum [0-9a-f]{8}, found [0-9a-f]{8} in "
                                    + PATH
                                    + " at offset "
                                    + (long) block * BLOCK);
        }
    }

    @Test
    void damagedChecksumsAreRefused() throws Exception {
        write(3 * BLOCK, 1);
        ByteFlips.everyFlipIsRefused(
                store, SUMS, path -> FileChecksums.load(store, PATH, 3L * BLOCK, BLOCK));
        byte[] good = store.readFully(SUMS);
        for (int length = 0; length < good.length; length++) {
            store.put(SUMS, Arrays.copyOf(good, length));
            assertThatThrownBy(() -> FileChecksums.load(store, PATH, 3L * BLOCK, BLOCK))
                    .hasMessage(
                            "Expected size %d, found %d in %s at offset %d",
                            good.length, length, SUMS, length);
        }
    }

    @Test
    void checksumsOfAnotherFileAreRefused() throws IOException {
        write(3 * BLOCK, 1);
        assertThatThrownBy(() -> FileChecksums.load(store, PATH, 3L * BLOCK - 1, BLOCK))
                .hasMessage(
                        "Expected size of the column file %d, found %d in %s at offset 16",
                        3 * BLOCK - 1, 3 * BLOCK, SUMS);
    }

    @Test
    void readsBeyondTheEndAreRefused() throws IOException {
        write(BLOCK, 1);
        ChecksummedFile file = ChecksummedFile.open(store, PATH, BLOCK, OptionalInt.of(BLOCK));
        assertThatThrownBy(() -> file.read(BLOCK - 1, new byte[2], 0, 2))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining(PATH);
    }

    @Test
    void anAbandonedFileLeavesNothing() throws IOException {
        try (ChecksummingWriter writer = ChecksummingWriter.create(store, PATH)) {
            writer.write(new byte[BLOCK]);
        }
        assertThat(store.list("")).isEmpty();
    }

    @Test
    void withoutChecksumsAFileIsReadAsItIs() throws IOException {
        store.put(PATH, new byte[] {1, 2, 3});
        byte[] found = new byte[2];
        new ChecksummedFile(store, PATH, 3, Optional.empty()).read(1, found, 0, 2);
        assertThat(found).containsExactly(2, 3);
    }

    @Test
    void goldenFile() throws IOException {
        write(2 * BLOCK + 5, 11);
        Golden.check("checksums-1.sums", store.readFully(SUMS));
    }

    /** In pieces, as the ORC libraries write. */
    private byte[] write(int size, long seed) throws IOException {
        Random random = new Random(seed);
        byte[] content = new byte[size];
        random.nextBytes(content);
        try (ChecksummingWriter writer = ChecksummingWriter.create(store, PATH)) {
            for (int from = 0; from < size; ) {
                int length = Math.min(size - from, 1 + random.nextInt(3 * BLOCK));
                writer.write(content, from, length);
                from += length;
            }
            writer.commit();
        }
        return content;
    }
}
