package io.stele.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class TestFrames {
    @Test
    void testGoldenBytes() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FrameWriter writer = new FrameWriter(out);
        writer.write(FrameType.WRITE, 0x01020304, new byte[] {7}, 1, new byte[] {8, 9}, 1, 1);
        writer.write(FrameType.PING, -1, new byte[0]);
        writer.flush();
        assertThat(HexFormat.of().formatHex(out.toByteArray()))
                .isEqualTo(
                        "00000007" + "05" + "01020304" + "0709" + "00000005" + "09" + "ffffffff");
    }

    @Test
    void testTypesKeepTheirCodes() {
        StringBuilder codes = new StringBuilder();
        for (FrameType type : FrameType.values()) {
            codes.append(type.code()).append(' ').append(type).append('\n');
            assertThat(FrameType.of(type.code())).isEqualTo(type);
        }
        assertThat(codes)
                .hasToString(
                        """
                        1 HELLO
                        2 HELLO_REPLY
                        3 GET_TABLE
                        4 GET_TABLE_REPLY
                        5 WRITE
                        6 WRITE_REPLY
                        7 MULTI_GET
                        8 MULTI_GET_REPLY
                        9 PING
                        10 PING_REPLY
                        11 ERROR
                        12 ACTION
                        13 ACTION_REPLY
                        14 OPEN_TABLE
                        15 OPEN_TABLE_REPLY
                        16 SCAN
                        17 SCAN_REPLY
                        """);
    }

    @Test
    void testFramesOfAllSizesComeBackHoweverTheStreamIsCut() throws IOException {
        Random random = new Random(3);
        int[] sizes = {
            0, 1, 100, 30_000, 32_767, 32_768, 65_527, 65_536, 70_000, 200_000, 5, 0, 1_000_000
        };
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FrameWriter writer = new FrameWriter(out);
        byte[][] payloads = new byte[sizes.length][];
        for (int i = 0; i < sizes.length; i++) {
            payloads[i] = new byte[sizes[i]];
            random.nextBytes(payloads[i]);
            int head = sizes[i] / 3;
            byte[] body = new byte[sizes[i] - head + 10];
            System.arraycopy(payloads[i], head, body, 10, sizes[i] - head);
            writer.write(FrameType.WRITE, i, payloads[i], head, body, 10, sizes[i] - head);
        }
        writer.flush();
        for (int chunk : new int[] {1, 3, 9, 1000, 65_536, Integer.MAX_VALUE}) {
            FrameReader reader =
                    new FrameReader(
                            new Chunked(out.toByteArray(), chunk), WireLimits.MAX_FRAME_BYTES);
            for (int i = 0; i < sizes.length; i++) {
                Frame frame = reader.read();
                assertThat(frame.requestId()).isEqualTo(i);
                assertThat(Arrays.equals(frame.payload(), payloads[i])).isTrue();
            }
            assertThat(reader.read()).isNull();
        }
    }

    /** As of a request for which there is no room: the ones behind it are read all the same. */
    @Test
    void testFramesOfWhichTheStartIsReadAreSkipped() throws IOException {
        int[] sizes = {0, 1, 31, 32, 33, 40_000, 65_536, 65_600, 300_000, 10};
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FrameWriter writer = new FrameWriter(out);
        for (int i = 0; i < sizes.length; i++) {
            byte[] payload = new byte[sizes[i]];
            new Random(i).nextBytes(payload);
            writer.write(FrameType.WRITE, i, payload);
        }
        writer.flush();
        for (int chunk : new int[] {1, 9, 1000, 65_536, Integer.MAX_VALUE}) {
            FrameReader reader =
                    new FrameReader(
                            new Chunked(out.toByteArray(), chunk), WireLimits.MAX_FRAME_BYTES);
            for (int i = 0; i < sizes.length; i++) {
                FrameHead head = reader.readHead();
                assertThat(head).isEqualTo(new FrameHead(FrameType.WRITE, i, sizes[i]));
                byte[] payload = new byte[sizes[i]];
                new Random(i).nextBytes(payload);
                byte[] expected =
                        i % 2 == 0 ? payload : Arrays.copyOf(payload, Math.min(32, sizes[i]));
                Frame frame = i % 2 == 0 ? reader.readPayload(head) : reader.readStart(head, 32);
                assertThat(Arrays.equals(frame.payload(), expected)).isTrue();
            }
            assertThat(reader.read()).isNull();
        }
        FrameReader cut = reader(Arrays.copyOf(out.toByteArray(), out.size() - 20), 400_000);
        for (int i = 0; i < sizes.length - 2; i++) {
            cut.read();
        }
        FrameHead head = cut.readHead();
        assertThatThrownBy(() -> cut.readStart(head, 32)).isInstanceOf(EOFException.class);
    }

    @Test
    void testEveryCutIsAnEndOfFile() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FrameWriter writer = new FrameWriter(out);
        writer.write(FrameType.PING, 1, new byte[20]);
        writer.flush();
        byte[] bytes = out.toByteArray();
        for (int length = 1; length < bytes.length; length++) {
            FrameReader reader = reader(Arrays.copyOf(bytes, length), 100);
            assertThatThrownBy(reader::read).isInstanceOf(EOFException.class);
        }
        assertThat(reader(new byte[0], 100).read()).isNull();
    }

    @Test
    void testLengthsAndTypesOutOfBoundsAreRefusedBeforeMemoryIsTaken() {
        assertRefused("00000004" + "09" + "00000001", 100, "found 4");
        assertRefused("00000000" + "09" + "00000001", 100, "found 0");
        assertRefused("00000065" + "09" + "00000001", 100, "from 5 to 100, found 101");
        assertRefused(
                "ffffffff" + "09" + "00000001", WireLimits.MAX_FRAME_BYTES, "found 4294967295");
        assertRefused("04000001" + "09" + "00000001", WireLimits.MAX_FRAME_BYTES, "found 67108865");
        assertRefused("00000005" + "00" + "00000001", 100, "frame type from 1 to 17, found 0");
        assertRefused("00000005" + "12" + "00000001", 100, "frame type from 1 to 17, found 18");
        assertRefused("00000005" + "ff" + "00000001", 100, "found 255");
    }

    @Test
    void testTooLargeFramesAreNotWritten() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        FrameWriter writer = new FrameWriter(out);
        byte[] payload = new byte[WireLimits.MAX_FRAME_BYTES];
        assertThatThrownBy(() -> writer.write(FrameType.WRITE, 1, payload))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("at most 67108864");
        writer.flush();
        assertThat(out.size()).isZero();
    }

    private static void assertRefused(String hex, int maxFrameBytes, String message) {
        assertThatThrownBy(() -> reader(HexFormat.of().parseHex(hex), maxFrameBytes).read())
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }

    private static FrameReader reader(byte[] bytes, int maxFrameBytes) {
        return new FrameReader(new ByteArrayInputStream(bytes), maxFrameBytes);
    }

    /** Returns at most so many bytes a read, as a network does. */
    private static final class Chunked extends InputStream {
        private final ByteArrayInputStream bytes;
        private final int chunk;

        Chunked(byte[] bytes, int chunk) {
            this.bytes = new ByteArrayInputStream(bytes);
            this.chunk = chunk;
        }

        @Override
        public int read() {
            return bytes.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            return bytes.read(target, offset, Math.min(chunk, length));
        }
    }
}
