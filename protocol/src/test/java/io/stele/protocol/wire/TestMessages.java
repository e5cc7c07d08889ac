package io.stele.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

final class TestMessages {
    @Test
    void testHello() {
        Hello hello = new Hello(1, "a.b.c", "flink", Optional.empty());
        assertThat(hex(hello.encode()))
                .isEqualTo("53544c45" + "00000001" + "05612e622e63" + "05666c696e6b");
        assertThat(Hello.decode(frame(FrameType.HELLO, hello.encode()))).isEqualTo(hello);
        assertThat(hello.toString()).doesNotContain("a.b.c");
        Hello tagged =
                new Hello(1, "a.b.c", "flink", Optional.of(new QueryIdentity("ann", "", "etl")));
        assertThat(hex(tagged.encode()))
                .isEqualTo(hex(hello.encode()) + "03616e6e" + "00" + "0365746c");
        assertThat(Hello.decode(frame(FrameType.HELLO, tagged.encode()))).isEqualTo(tagged);
        assertThatThrownBy(
                        () ->
                                Hello.decode(
                                        frame(
                                                FrameType.HELLO,
                                                "GET / HTTP/1.1\r\n"
                                                        .getBytes(StandardCharsets.UTF_8))))
                .hasMessageContaining("53544c45");
        HelloReply reply = new HelloReply(1, "node", 1000, 64, 512);
        assertThat(hex(reply.encode()))
                .isEqualTo("00000001" + "046e6f6465" + "000003e8" + "00000040" + "00000200");
        assertThat(HelloReply.decode(frame(FrameType.HELLO_REPLY, reply.encode())))
                .isEqualTo(reply);
        byte[] old = Arrays.copyOf(reply.encode(), reply.encode().length - 4);
        assertThat(HelloReply.decode(frame(FrameType.HELLO_REPLY, old)).maxUnansweredBatches())
                .isEqualTo(256);
    }

    @Test
    void testGetTable() {
        GetTable message = new GetTable("shöp", "orders");
        assertThat(hex(message.encode())).isEqualTo("0573" + "68c3b670" + "066f7264657273");
        assertThat(GetTable.decode(frame(FrameType.GET_TABLE, message.encode())))
                .isEqualTo(message);
        assertThatThrownBy(
                        () -> new GetTable("s".repeat(WireLimits.MAX_TEXT_BYTES + 1), "t").encode())
                .hasMessageContaining("schema name");
    }

    @Test
    void testWrite() {
        UUID writer = new UUID(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
        byte[] head = Write.encodeHead(new ShardId(2, 5), writer, 77);
        assertThat(hex(head))
                .isEqualTo(
                        "00000002"
                                + "00000005"
                                + "0102030405060708"
                                + "090a0b0c0d0e0f10"
                                + "000000000000004d");
        byte[] payload = Arrays.copyOf(head, head.length + 3);
        Write write = Write.decode(frame(FrameType.WRITE, payload));
        assertThat(write.shard()).isEqualTo(new ShardId(2, 5));
        assertThat(write.writerId()).isEqualTo(writer);
        assertThat(write.sequence()).isEqualTo(77);
        assertThat(write.batchOffset()).isEqualTo(Write.HEAD_BYTES);
        assertThat(write.batchLength()).isEqualTo(3);
        payload[0] = -1;
        assertThatThrownBy(() -> Write.decode(frame(FrameType.WRITE, payload)))
                .isInstanceOf(SteleException.class);
        WriteReply reply = new WriteReply(new Lsn(0x1122334455667788L), 3);
        assertThat(hex(reply.encode())).isEqualTo("112233445566778803");
        assertThat(WriteReply.decode(frame(FrameType.WRITE_REPLY, reply.encode())))
                .isEqualTo(reply);
    }

    @Test
    void testMultiGet() {
        MultiGet message =
                new MultiGet(
                        new TableId(3),
                        4,
                        Optional.of(new Lsn(5)),
                        List.of(new byte[] {1, 2}, new byte[200]));
        byte[] encoded = message.encode();
        assertThat(hex(encoded))
                .isEqualTo(
                        "0000000000000003"
                                + "00000004"
                                + "01"
                                + "0000000000000005"
                                + "00000002"
                                + "020102"
                                + "c801"
                                + "00".repeat(200));
        MultiGet decoded = MultiGet.decode(frame(FrameType.MULTI_GET, encoded));
        assertThat(decoded.readLsn()).contains(new Lsn(5));
        assertThat(decoded.keys())
                .usingElementComparator(Arrays::compare)
                .isEqualTo(message.keys());
        assertThatThrownBy(() -> new MultiGet(new TableId(3), 4, Optional.empty(), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void testScan() throws IOException {
        Scan message =
                new Scan(
                        new TableId(3),
                        4,
                        2,
                        Optional.of(new Lsn(5)),
                        new byte[] {1, 2},
                        Optional.of(new byte[] {1, 3}),
                        true,
                        100,
                        1 << 16);
        byte[] encoded = message.encode();
        assertThat(hex(encoded))
                .isEqualTo(
                        "0000000000000003"
                                + "00000004"
                                + "00000002"
                                + "07"
                                + "0000000000000005"
                                + "020102"
                                + "020103"
                                + "00000064"
                                + "00010000");
        Scan decoded = Scan.decode(frame(FrameType.SCAN, encoded));
        assertThat(decoded.encode()).isEqualTo(encoded);
        assertThat(decoded.readLsn()).contains(new Lsn(5));
        assertThat(decoded.isDescending()).isTrue();
        Scan all =
                new Scan(
                        new TableId(3),
                        4,
                        0,
                        Optional.empty(),
                        new byte[0],
                        Optional.empty(),
                        false,
                        WireLimits.MAX_SCANNED_ROWS,
                        1);
        assertThat(Scan.decode(frame(FrameType.SCAN, all.encode())).encode())
                .isEqualTo(all.encode());
        byte[] tooMany = all.encode();
        tooMany[tooMany.length - 6] = 2; // 131,072 rows
        assertThatThrownBy(() -> Scan.decode(frame(FrameType.SCAN, tooMany)))
                .hasMessageContaining("Expected from 1 to 65536 rows, found");
    }

    @Test
    void testScanReply() throws IOException {
        ScanReply more =
                new ScanReply(
                        4,
                        new Lsn(9),
                        List.of(new byte[] {7}, new byte[0]),
                        Optional.of(new byte[] {1, 2}));
        assertThat(hex(bytes(more.payload())))
                .isEqualTo(
                        "00000004"
                                + "0000000000000009"
                                + "00000002"
                                + "0107"
                                + "00"
                                + "01"
                                + "020102");
        ScanReply decoded = ScanReply.decode(frame(FrameType.SCAN_REPLY, bytes(more.payload())));
        assertThat(bytes(decoded.payload())).isEqualTo(bytes(more.payload()));
        ScanReply none = new ScanReply(1, new Lsn(0), List.of(), Optional.empty());
        assertThat(bytes(none.payload())).hasSize(17);
        assertThat(ScanReply.decode(frame(FrameType.SCAN_REPLY, bytes(none.payload()))).next())
                .isEmpty();
    }

    private static byte[] bytes(FramePayload payload) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        payload.writeTo(out::write);
        assertThat(out.size()).isEqualTo(payload.sizeBytes());
        return out.toByteArray();
    }

    @Test
    void testActionCall() {
        byte[] encoded = new ActionCall("plan", new byte[] {'{', '}'}).encode();
        assertThat(hex(encoded)).isEqualTo("04706c616e" + "7b7d");
        ActionCall decoded = ActionCall.decode(frame(FrameType.ACTION, encoded));
        assertThat(decoded.type()).isEqualTo("plan");
        assertThat(decoded.request()).containsExactly('{', '}');
        assertThatThrownBy(
                        () -> ActionCall.decode(frame(FrameType.ACTION, new byte[] {4, 'p', 'l'})))
                .hasMessageContaining("Malformed ACTION")
                .hasMessageContaining("4 bytes of action");
    }

    @Test
    void testMultiGetReplyAnswersWhatFits() {
        MultiGetReply reply =
                new MultiGetReply(
                        4,
                        List.of(
                                Optional.of(new byte[] {9}),
                                Optional.empty(),
                                Optional.of(new byte[0]),
                                Optional.of(new byte[50])));
        assertThat(hex(reply.encode(20 + 8)))
                .isEqualTo("00000004" + "00000003" + "0209" + "00" + "01");
        MultiGetReply all =
                MultiGetReply.decode(frame(FrameType.MULTI_GET_REPLY, reply.encode(1000)));
        assertThat(all.rows()).hasSize(4);
        assertThat(all.rows().get(0).orElseThrow()).containsExactly(9);
        assertThat(all.rows().get(1)).isEmpty();
        assertThat(all.rows().get(2).orElseThrow()).isEmpty();
        assertThat(all.rows().get(3).orElseThrow()).hasSize(50);
        MultiGetReply one = MultiGetReply.decode(frame(FrameType.MULTI_GET_REPLY, reply.encode(1)));
        assertThat(one.rows()).hasSize(1);
    }

    @Test
    void testError() {
        ErrorReply error = new ErrorReply(ErrorCode.STALE_TABLE, "Expected 2, found 1");
        assertThat(hex(error.encode()))
                .startsWith("0b" + hex("STALE_TABLE".getBytes(StandardCharsets.UTF_8)) + "13");
        assertThat(ErrorReply.decode(frame(FrameType.ERROR, error.encode()))).isEqualTo(error);
        SteleException busy = SteleException.busy("full", 300);
        ErrorReply later = ErrorReply.of(busy, true);
        assertThat(hex(later.encode()))
                .isEqualTo(
                        "04"
                                + hex("BUSY".getBytes(StandardCharsets.UTF_8))
                                + "0466756c6c"
                                + "000000000000012c");
        assertThat(ErrorReply.decode(frame(FrameType.ERROR, later.encode())).toException())
                .extracting(failure -> failure.retryAfterMillis())
                .isEqualTo(OptionalLong.of(300));
        assertThat(ErrorReply.of(busy, false)).isEqualTo(new ErrorReply(ErrorCode.BUSY, "full"));
        ErrorReply cut =
                ErrorReply.decode(
                        frame(
                                FrameType.ERROR,
                                new ErrorReply(
                                                ErrorCode.INTERNAL,
                                                "ü".repeat(WireLimits.MAX_TEXT_BYTES))
                                        .encode()));
        assertThat(cut.message()).startsWith("üüü").endsWith("ü...");
        byte[] unknown =
                new PayloadWriter(16)
                        .putText("code", "NEW_CODE")
                        .putText("message", "m")
                        .toByteArray();
        assertThat(ErrorReply.decode(frame(FrameType.ERROR, unknown)))
                .isEqualTo(new ErrorReply(ErrorCode.INTERNAL, "NEW_CODE: m"));
    }

    @Test
    void testDamagedMessagesAreRefusedAndNothingElse() throws IOException {
        check(
                FrameType.HELLO,
                new Hello(1, "token", "client", Optional.empty()).encode(),
                Hello::decode);
        byte[] greeting = new HelloReply(1, "node", 1, 1, 1).encode();
        check( // of an earlier sidecar, whose greeting is shorter
                FrameType.HELLO_REPLY,
                Arrays.copyOf(greeting, greeting.length - 4),
                HelloReply::decode);
        check(FrameType.GET_TABLE, new GetTable("s", "t").encode(), GetTable::decode);
        check(
                FrameType.WRITE,
                Write.encodeHead(new ShardId(0, 1), new UUID(1, 2), 3),
                Write::decode);
        check(FrameType.WRITE_REPLY, new WriteReply(new Lsn(5), 0).encode(), WriteReply::decode);
        check(
                FrameType.MULTI_GET,
                new MultiGet(new TableId(3), 4, Optional.empty(), List.of(new byte[3])).encode(),
                MultiGet::decode);
        check(
                FrameType.MULTI_GET_REPLY,
                new MultiGetReply(4, List.of(Optional.of(new byte[3]))).encode(1000),
                MultiGetReply::decode);
        check(
                FrameType.SCAN,
                new Scan(
                                new TableId(3),
                                4,
                                0,
                                Optional.of(new Lsn(1)),
                                new byte[] {1},
                                Optional.of(new byte[] {2, 3}),
                                false,
                                10,
                                1000)
                        .encode(),
                Scan::decode);
        check(
                FrameType.SCAN_REPLY,
                bytes(
                        new ScanReply(
                                        4,
                                        new Lsn(5),
                                        List.of(new byte[3], new byte[1]),
                                        Optional.of(new byte[] {1}))
                                .payload()),
                ScanReply::decode);
        check(FrameType.ERROR, new ErrorReply(ErrorCode.BUSY, "m").encode(), ErrorReply::decode);
    }

    private static void check(FrameType type, byte[] payload, Function<Frame, ?> decoder) {
        for (int length = 0; length < payload.length; length++) {
            Frame cut = frame(type, Arrays.copyOf(payload, length));
            assertThatThrownBy(() -> decoder.apply(cut)).isInstanceOf(SteleException.class);
        }
        assertThatThrownBy(() -> decoder.apply(frame(FrameType.PING, payload)))
                .isInstanceOf(SteleException.class)
                .hasMessageContaining("Expected a " + type);
        Random random = new Random(type.code());
        for (int round = 0; round < 2_000; round++) {
            byte[] damaged = payload.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            try {
                assertThat((Object) decoder.apply(frame(type, damaged))).isNotNull();
            } catch (SteleException e) {
                assertThat(e.getMessage()).containsPattern("xpected|UTF-8");
            }
        }
    }

    private static Frame frame(FrameType type, byte[] payload) {
        return new Frame(type, 1, payload);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
