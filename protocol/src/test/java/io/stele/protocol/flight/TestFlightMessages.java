package io.stele.protocol.flight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.SteleException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The golden bytes are protobuf's for Flight.proto. */
final class TestFlightMessages {
    @Test
    void testLongMessagesFitIntoHeaders() {
        String plain = "Expected a name of 1 to 128 characters, found 100%";
        assertThat(FlightErrors.shortened(plain)).isEqualTo(plain);
        assertThat(FlightErrors.shortened("z".repeat(4_000))).hasSize(4_000);
        assertThat(FlightErrors.shortened("z".repeat(70_000)))
                .startsWith("z".repeat(4_000) + "... (70000 characters, cut here)");
        assertThat(FlightErrors.shortened("\uD83D\uDE00".repeat(1_000)))
                .startsWith("\uD83D\uDE00".repeat(222) + "... (2000 characters, cut here)");
    }

    @Test
    void testGoldenBytes() throws IOException {
        assertThat(hex(new Ticket(new byte[] {1, 2}).encode())).isEqualTo("0a020102");
        assertThat(hex(new FlightAction("ab", new byte[] {3}).encode()))
                .isEqualTo("0a026162" + "120103");
        assertThat(hex(new Handshake(300, new byte[] {1}).encode())).isEqualTo("08ac02" + "120101");
        assertThat(hex(new BasicAuth("u", "p").encode())).isEqualTo("120175" + "1a0170");
        assertThat(hex(FlightDescriptor.path("s", "t").encode()))
                .isEqualTo("0801" + "1a0173" + "1a0174");
        assertThat(hex(FlightDescriptor.command(new byte[] {7}).encode()))
                .isEqualTo("0802" + "120107");
        FlightData data =
                new FlightData(
                        Optional.of(FlightDescriptor.command(new byte[] {7})),
                        ByteBuffer.wrap(new byte[] {1}),
                        ByteBuffer.wrap(new byte[] {2}),
                        List.of(
                                ByteBuffer.wrap(new byte[] {3}),
                                ByteBuffer.wrap(new byte[] {4, 5})));
        assertThat(hex(bytes(data)))
                .isEqualTo("0a050802120107" + "120101" + "1a0102" + "c23e03030405");
        FlightInfo info =
                new FlightInfo(
                        new byte[] {1},
                        Optional.empty(),
                        List.of(new FlightEndpoint(new Ticket(new byte[] {2}), List.of("x"))),
                        -1,
                        5,
                        true,
                        new byte[0]);
        assertThat(hex(info.encode()))
                .isEqualTo(
                        "0a0101"
                                + "1a0a"
                                + "0a030a0102"
                                + "12030a0178"
                                + "20ffffffffffffffffff01"
                                + "2805"
                                + "3001");
    }

    @Test
    void testUnknownFieldsAreSkipped() {
        byte[] message =
                HexFormat.of()
                        .parseHex(
                                "0a0161"
                                        + "2a0162"
                                        + "3005"
                                        + "390102030405060708"
                                        + "4501020304"
                                        + "120163");
        FlightAction action = FlightAction.decode(ByteBuffer.wrap(message));
        assertThat(action.type()).isEqualTo("a");
        assertThat(action.body()).containsExactly('c');
    }

    @Test
    void testDataComesBackWithoutCopyingItsBody() throws IOException {
        byte[] body = new byte[100_000];
        new Random(1).nextBytes(body);
        FlightData sent =
                FlightData.of(ByteBuffer.wrap(new byte[] {1}), List.of(ByteBuffer.wrap(body)));
        byte[] message = bytes(sent);
        FlightData received = FlightDataCodec.decode(ByteBuffer.wrap(message));
        assertThat(received.bodyBuffer()).isEqualTo(ByteBuffer.wrap(body));
        assertThat(received.bodyBuffer().array()).isSameAs(message);
        assertThat(received.descriptor()).isEmpty();
        ByteArrayOutputStream drained = new ByteArrayOutputStream();
        try (InputStream stream = FlightDataCodec.encode(sent)) {
            assertThat(stream.available()).isEqualTo(message.length);
            ((BufferStream) stream).drainTo(drained);
        }
        assertThat(drained.toByteArray()).isEqualTo(message);
        assertThat(bytes(sent)).as("again").isEqualTo(message);
    }

    @Test
    void testDamagedMessagesAreRefusedAndNothingElse() throws IOException {
        Random random = new Random(5);
        byte[] message =
                bytes(
                        new FlightData(
                                Optional.of(FlightDescriptor.path("schema", "table")),
                                ByteBuffer.wrap(new byte[20]),
                                ByteBuffer.wrap("metadata".getBytes(StandardCharsets.UTF_8)),
                                List.of(ByteBuffer.wrap(new byte[40]))));
        for (int round = 0; round < 5_000; round++) {
            byte[] damaged = Arrays.copyOf(message, 1 + random.nextInt(message.length));
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            try {
                FlightData data = FlightDataCodec.decode(ByteBuffer.wrap(damaged));
                assertThat(data.bodySizeBytes()).isLessThanOrEqualTo(damaged.length);
            } catch (SteleException e) {
                assertThat(e).hasMessageContaining("Malformed Flight message");
            }
        }
    }

    @Test
    void testEncapsulatedMessages() {
        byte[] message = IpcMessages.encapsulate(ByteBuffer.wrap(new byte[] {1, 2, 3}));
        assertThat(hex(message)).isEqualTo("ffffffff" + "08000000" + "0102030000000000");
        assertThat(IpcMessages.decapsulate(message).remaining()).isEqualTo(8);
        assertThatThrownBy(() -> IpcMessages.decapsulate(Arrays.copyOf(message, 12)))
                .isInstanceOf(SteleException.class);
        assertThatThrownBy(() -> IpcMessages.decapsulate(new byte[8]))
                .isInstanceOf(SteleException.class);
    }

    private static byte[] bytes(FlightData data) throws IOException {
        try (InputStream stream = FlightDataCodec.encode(data)) {
            return stream.readAllBytes();
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
