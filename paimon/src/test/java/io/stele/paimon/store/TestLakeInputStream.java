package io.stele.paimon.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ReadTally;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The requests that a stream over a data file sends. */
final class TestLakeInputStream {
    private static final int KILOBYTE = 1 << 10;
    private static final int MEGABYTE = 1 << 20;

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(1).nextBytes(content);
        return content;
    }

    /** A file in memory that remembers which ranges were read: offset, length. */
    private static final class RecordingReader implements ObjectReader {
        private final byte[] content;
        private final List<List<Long>> ranges = new ArrayList<>();

        RecordingReader(byte[] content) {
            this.content = content;
        }

        @Override
        public void read(long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            if (offset + length > content.length) {
                throw new EOFException("Expected an offset in the file, found " + offset);
            }
            ranges.add(List.of(offset, (long) length));
            System.arraycopy(content, (int) offset, buffer, bufferOffset, length);
        }

        @Override
        public ReadTally tally() {
            return ReadTally.NONE;
        }
    }

    @Test
    void singleBytesAreReadFromAWindowThatGrows() throws Exception {
        byte[] content = content(300 * KILOBYTE);
        RecordingReader reader = new RecordingReader(content);
        try (LakeInputStream stream = new LakeInputStream(reader, content.length)) {
            for (byte expected : content) {
                assertThat((byte) stream.read()).isEqualTo(expected);
            }
            assertThat(stream.read()).isEqualTo(-1);
        }
        assertThat(reader.ranges)
                .containsExactly(
                        range(0, 64 * KILOBYTE),
                        range(64 * KILOBYTE, 128 * KILOBYTE),
                        range(192 * KILOBYTE, 108 * KILOBYTE));
    }

    @Test
    void windowsAreBounded() throws Exception {
        byte[] content = content(20 * MEGABYTE);
        RecordingReader reader = new RecordingReader(content);
        try (LakeInputStream stream = new LakeInputStream(reader, content.length)) {
            byte[] buffer = new byte[8 * KILOBYTE];
            while (stream.read(buffer, 0, buffer.length) >= 0) {
                // to the end
            }
        }
        assertThat(reader.ranges).allMatch(range -> range.get(1) <= 4 * MEGABYTE);
        assertThat(reader.ranges.stream().mapToLong(range -> range.get(1)).sum())
                .as("each byte once")
                .isEqualTo(content.length);
        assertThat(reader.ranges).hasSizeLessThan(13);
    }

    @Test
    void aJumpReadsLittle() throws Exception {
        byte[] content = content(10 * MEGABYTE);
        RecordingReader reader = new RecordingReader(content);
        try (LakeInputStream stream = new LakeInputStream(reader, content.length)) {
            stream.read(new byte[100], 0, 100);
            stream.seek(5 * MEGABYTE);
            stream.read(new byte[100], 0, 100);
            stream.seek(50); // back, and out of the window
            stream.read(new byte[100], 0, 100);
        }
        assertThat(reader.ranges)
                .containsExactly(
                        range(0, 64 * KILOBYTE),
                        range(5 * MEGABYTE, 64 * KILOBYTE),
                        range(50, 64 * KILOBYTE));
    }

    @Test
    void seeksInTheWindowSendNothing() throws Exception {
        byte[] content = content(MEGABYTE);
        RecordingReader reader = new RecordingReader(content);
        try (LakeInputStream stream = new LakeInputStream(reader, content.length)) {
            for (int position : new int[] {0, 60_000, 1, 30_000}) {
                stream.seek(position);
                assertThat((byte) stream.read()).isEqualTo(content[position]);
            }
            assertThat(stream.skip(100)).isEqualTo(100);
            assertThat(stream.getPos()).isEqualTo(30_101);
            assertThat((byte) stream.read()).isEqualTo(content[30_101]);
        }
        assertThat(reader.ranges).hasSize(1);
    }

    @Test
    void largeReadsAndReadsAtPositionsTakeWhatTheyAskFor() throws Exception {
        byte[] content = content(2 * MEGABYTE);
        RecordingReader reader = new RecordingReader(content);
        try (LakeInputStream stream = new LakeInputStream(reader, content.length)) {
            byte[] large = new byte[MEGABYTE];
            assertThat(stream.read(large, 0, large.length)).isEqualTo(MEGABYTE);
            assertThat(Arrays.equals(large, 0, MEGABYTE, content, 0, MEGABYTE)).isTrue();
            byte[] some = new byte[10];
            assertThat(stream.pread(1_500_000, some, 0, 10)).isEqualTo(10);
            assertThat(some).isEqualTo(Arrays.copyOfRange(content, 1_500_000, 1_500_010));
            assertThat(stream.getPos()).as("not moved").isEqualTo(MEGABYTE);
        }
        assertThat(reader.ranges).containsExactly(range(0, MEGABYTE), range(1_500_000, 10));
    }

    @Test
    void emptyFilesEnd() throws Exception {
        RecordingReader reader = new RecordingReader(new byte[0]);
        try (LakeInputStream stream = new LakeInputStream(reader, 0)) {
            assertThat(stream.read()).isEqualTo(-1);
            assertThat(stream.read(new byte[1], 0, 1)).isEqualTo(-1);
            assertThat(stream.pread(0, new byte[1], 0, 1)).isEqualTo(-1);
            stream.seek(0);
        }
        assertThat(reader.ranges).isEmpty();
    }

    private static List<Long> range(long offset, long length) {
        return List.of(offset, length);
    }
}
