package io.stele.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.MetadataChanges;
import io.stele.protocol.api.catalog.MetadataVersion;
import io.stele.protocol.api.catalog.RelationReply;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.scan.CachedPlan;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.scan.TablePlan;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.predicate.ColumnStats;
import io.stele.protocol.schema.ViewSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

final class TestOpenTable {
    private static final RelationReply NOTHING =
            new RelationReply(Optional.empty(), Optional.empty());

    @Test
    void testGoldenRequest() {
        assertThat(hex(OpenTable.encode(request(0))))
                .isEqualTo("01" + "00" + "0473686f70" + "066f7264657273" + "000000000000ea60");
        assertThat(hex(OpenTable.encode(request(63))))
                .isEqualTo(
                        "01"
                                + "3f"
                                + "0473686f70"
                                + "066f7264657273"
                                + "000000000000ea60"
                                + "0000000000000007" // table id
                                + "0000000000000009" // at least
                                + "000000000000000a" // known
                                + "000000000000000b"
                                + "000000000000000c"
                                + "02" // ended
                                + "026131"
                                + "026132"
                                + "02" // plans
                                + "0000000000000007"
                                + "00000003"
                                + "00000fa0"
                                + "0174"
                                + "0000000000000008"
                                + "00000001"
                                + "00000000"
                                + "00");
    }

    @Test
    void testGoldenReply() {
        assertThat(
                        hex(
                                OpenTableResult.encode(
                                        new OpenTableReply(
                                                NOTHING,
                                                Optional.empty(),
                                                Optional.empty(),
                                                Optional.empty()),
                                        WireLimits.VERSION)))
                .isEqualTo("01" + "00");
        OpenTableReply warm =
                new OpenTableReply(
                        NOTHING,
                        Optional.of(new SnapshotReply("a3", new Lsn(9), 60_000)),
                        Optional.of(
                                new MetadataChanges(
                                        new MetadataVersion(10, 11, 12),
                                        true,
                                        List.of(new TableName("s", "t")))),
                        Optional.of(
                                List.of(
                                        new TablePlan(
                                                new TableId(7),
                                                3,
                                                Optional.of("t"),
                                                5,
                                                2,
                                                Optional.empty()))));
        assertThat(hex(OpenTableResult.encode(warm, WireLimits.VERSION)))
                .isEqualTo(
                        "01"
                                + "1e"
                                + "026133" // snapshot
                                + "0000000000000009"
                                + "000000000000ea60"
                                + "000000000000000a" // changes
                                + "000000000000000b"
                                + "000000000000000c"
                                + "01"
                                + "0173"
                                + "0174"
                                + "01" // plans
                                + "0000000000000007"
                                + "00000003"
                                + "0174"
                                + "0000000000000005"
                                + "00000002"
                                + "00");
    }

    @Test
    void testGoldenPlan() {
        FileScan file =
                new FileScan(
                        "f",
                        1,
                        2,
                        3,
                        4,
                        5,
                        OptionalLong.of(6),
                        OptionalLong.of(7),
                        new byte[] {8, 9},
                        10,
                        Map.of(
                                11,
                                new ColumnStats(
                                        Optional.of(new byte[] {1}),
                                        Optional.of(new byte[] {2, 3}),
                                        -1,
                                        true)),
                        List.of(12),
                        OptionalLong.of(13),
                        OptionalInt.of(14),
                        Optional.of(new IndexedMetadata(18, 17)),
                        true);
        List<ShardScan> shards =
                List.of(
                        new ShardScan(
                                new ShardId(15, 16), List.of(file), true, ScanMode.LOOKUP, 17));
        assertThat(planned(shards, WireLimits.VERSION))
                .isEqualTo(goldenPlan("3f", "0000000000000012" + "00000011"));
        assertThat(planned(shards, WireLimits.INDEXED_METADATA_VERSION - 1))
                .as("a reader of the version without it gets none")
                .isEqualTo(goldenPlan("1f", ""));
    }

    private static String planned(List<ShardScan> shards, int version) {
        PayloadWriter writer = new PayloadWriter(16);
        ShardScans.put(writer, shards, version);
        return hex(writer.toByteArray());
    }

    private static String goldenPlan(String flags, String indexedMetadata) {
        return ("01"
                + "0000000f" // shard
                + "00000010"
                + "01"
                + "03"
                + "0000000000000011"
                + "01" // files
                + "0166"
                + "0000000000000001"
                + "0000000000000002"
                + "00000003"
                + "0000000000000004"
                + "0000000000000005"
                + flags
                + "0000000000000006"
                + "0000000000000007"
                + "000000000000000d"
                + "0000000e"
                + indexedMetadata
                + "020809"
                + "000000000000000a"
                + "01" // certain columns
                + "0000000c"
                + "01" // columns
                + "0000000b"
                + "ffffffffffffffff"
                + "07"
                + "0101"
                + "020203");
    }

    @Test
    void testRequestsComeBack() {
        for (int parts = 0; parts < 64; parts++) {
            OpenTableRequest request = request(parts);
            assertThat(decodeRequest(OpenTable.encode(request))).isEqualTo(request);
        }
        OpenTableRequest silent =
                new OpenTableRequest(TableRequest.of("s", "t"), 1, Optional.empty());
        assertThat(decodeRequest(OpenTable.encode(silent)).described()).contains(false);
    }

    @Test
    void testRepliesComeBack() {
        Random random = new Random(11);
        for (int i = 0; i < 300; i++) {
            OpenTableReply reply = reply(random);
            OpenTableReply found = decodeReply(OpenTableResult.encode(reply, WireLimits.VERSION));
            // Arrays in records are compared by what JSON says of them
            assertThat(ApiJson.write(found)).isEqualTo(ApiJson.write(reply));
            assertThat(found.relation()).isEqualTo(reply.relation());
            assertThat(found.snapshot()).isEqualTo(reply.snapshot());
            assertThat(found.changes()).isEqualTo(reply.changes());
        }
    }

    @Test
    void testEveryCutIsRefused() {
        byte[] request = OpenTable.encode(request(63));
        for (int length = 0; length < request.length; length++) {
            assertRefused(TestOpenTable::decodeRequest, Arrays.copyOf(request, length), "");
        }
        byte[] reply = OpenTableResult.encode(fullReply(new Random(5)), WireLimits.VERSION);
        for (int length = 0; length < reply.length; length++) {
            assertRefused(TestOpenTable::decodeReply, Arrays.copyOf(reply, length), "");
        }
    }

    @Test
    void testWhatIsTooMuchIsRefused() {
        byte[] request = OpenTable.encode(request(63));
        assertRefused(
                TestOpenTable::decodeRequest,
                Arrays.copyOf(request, request.length + 1),
                "expected the end of the payload, found 1");
        byte[] reply = OpenTableResult.encode(fullReply(new Random(5)), WireLimits.VERSION);
        assertRefused(
                TestOpenTable::decodeReply,
                Arrays.copyOf(reply, reply.length + 2),
                "expected the end of the payload, found 2");
    }

    @Test
    void testOtherLayoutsAndFlagsAreRefused() {
        byte[] request = OpenTable.encode(request(0));
        request[0] = 2;
        assertRefused(
                TestOpenTable::decodeRequest,
                request,
                "Malformed OPEN_TABLE: expected layout 1, found 2");
        request[0] = 1;
        request[1] = 64;
        assertRefused(TestOpenTable::decodeRequest, request, "flags among the bits 63, found 64");
        assertRefused(
                TestOpenTable::decodeReply,
                bytes("02" + "00"),
                "Malformed OPEN_TABLE_REPLY: expected layout 1, found 2");
        assertRefused(TestOpenTable::decodeReply, bytes("01" + "20"), "the bits 31, found 32");
        assertThatThrownBy(
                        () ->
                                OpenTable.decode(
                                        new Frame(FrameType.PING, 1, OpenTable.encode(request(0)))))
                .hasMessageContaining("Expected a OPEN_TABLE frame, found PING");
    }

    @Test
    void testValuesThatCannotBeAreRefused() {
        String name = "0473686f70" + "066f7264657273";
        String ttl = "000000000000ea60";
        assertRefused(
                TestOpenTable::decodeRequest,
                bytes("0100" + name + "0000000000000000"),
                "Malformed OPEN_TABLE: Expected ttlMillis > 0, found 0");
        assertRefused(
                TestOpenTable::decodeRequest,
                bytes("0101" + name + ttl + "0000000000000000"),
                "a table id > 0, found 0");
        assertRefused(
                TestOpenTable::decodeRequest,
                bytes("0102" + name + ttl + "8000000000000000"),
                "a at least >= 0");
        assertRefused(
                TestOpenTable::decodeRequest,
                bytes("0120" + name + ttl + "01" + "0000000000000007" + "00000001" + "ffffffff00"),
                "Expected maxCells from 0 to");
        // More than there can be: refused before memory is taken for them
        assertRefused(
                TestOpenTable::decodeRequest,
                bytes("0110" + name + ttl + "ffffffff07"),
                "2147483647 bytes of ended, found 0");
        assertRefused(
                TestOpenTable::decodeReply,
                bytes("0110" + "ffffffff07"),
                "bytes of plans, found 0");
        // A plan whose one shard has mode 9
        assertRefused(
                TestOpenTable::decodeReply,
                bytes(
                        "0110"
                                + "01"
                                + "0000000000000007"
                                + "00000001"
                                + "00"
                                + "0000000000000000"
                                + "00000000"
                                + "01"
                                + "01"
                                + "00000000"
                                + "00000000"
                                + "00"
                                + "09"
                                + "0000000000000000"
                                + "00"),
                "a mode from 1 to 5, found 9");
        // A relation that is no JSON
        assertRefused(TestOpenTable::decodeReply, bytes("0101" + "0178"), "RelationReply");
    }

    /** Whatever comes: an answer or a refusal, nothing else. */
    @Test
    void testChangedBytesAreReadOrRefused() {
        Random random = new Random(17);
        byte[] request = OpenTable.encode(request(63));
        byte[] reply = OpenTableResult.encode(fullReply(new Random(5)), WireLimits.VERSION);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            refused += isRefused(TestOpenTable::decodeRequest, changed(request, random)) ? 1 : 0;
            refused += isRefused(TestOpenTable::decodeReply, changed(reply, random)) ? 1 : 0;
        }
        assertThat(refused).isBetween(1_000, 39_999);
    }

    private static byte[] changed(byte[] bytes, Random random) {
        byte[] copy = bytes.clone();
        for (int i = 0; i <= random.nextInt(3); i++) {
            copy[random.nextInt(copy.length)] = (byte) random.nextInt();
        }
        return copy;
    }

    private static boolean isRefused(Function<byte[], ?> decode, byte[] payload) {
        try {
            Object unused = decode.apply(payload);
            return false;
        } catch (SteleException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            return true;
        }
    }

    private static void assertRefused(Function<byte[], ?> decode, byte[] payload, String message) {
        assertThatThrownBy(() -> decode.apply(payload))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }

    private static OpenTableRequest decodeRequest(byte[] payload) {
        return OpenTable.decode(new Frame(FrameType.OPEN_TABLE, 1, payload));
    }

    private static OpenTableReply decodeReply(byte[] payload) {
        return OpenTableResult.decode(new Frame(FrameType.OPEN_TABLE_REPLY, 1, payload));
    }

    /**
     * @param parts the bits of what it has
     */
    private static OpenTableRequest request(int parts) {
        return new OpenTableRequest(
                new TableRequest(new TableName("shop", "orders"), part(parts, 1, new TableId(7))),
                60_000,
                part(parts, 2, new Lsn(9)),
                part(parts, 4, new MetadataVersion(10, 11, 12)),
                Optional.of((parts & 8) != 0),
                part(parts, 16, List.of("a1", "a2")),
                part(
                        parts,
                        32,
                        List.of(
                                new CachedPlan(new TableId(7), 3, Optional.of("t"), 4_000),
                                new CachedPlan(new TableId(8), 1, Optional.empty(), 0))));
    }

    private static <T> Optional<T> part(int parts, int bit, T value) {
        return (parts & bit) != 0 ? Optional.of(value) : Optional.empty();
    }

    private static OpenTableReply reply(Random random) {
        OpenTableReply full = fullReply(random);
        return new OpenTableReply(
                random.nextBoolean() ? full.relation() : NOTHING,
                full.snapshot().filter(part -> random.nextBoolean()),
                full.changes().filter(part -> random.nextBoolean()),
                full.plans().filter(part -> random.nextBoolean()));
    }

    private static OpenTableReply fullReply(Random random) {
        List<TablePlan> plans = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            plans.add(
                    new TablePlan(
                            new TableId(1 + random.nextInt(5)),
                            random.nextInt(9),
                            random.nextBoolean() ? Optional.of("token" + i) : Optional.empty(),
                            random.nextLong(),
                            random.nextInt(100),
                            i > 0 ? Optional.of(shards(random)) : Optional.empty()));
        }
        ViewSchema view =
                new ViewSchema("shop", "oldest", 3, "select 1", Optional.empty(), Optional.empty());
        return new OpenTableReply(
                new RelationReply(Optional.empty(), Optional.of(view)),
                Optional.of(new SnapshotReply("böt" + random.nextInt(), new Lsn(8), 60_000)),
                Optional.of(
                        new MetadataChanges(
                                new MetadataVersion(
                                        random.nextLong(), random.nextLong(), random.nextLong()),
                                random.nextBoolean(),
                                List.of(new TableName("a", "b"), new TableName("c", "")))),
                Optional.of(plans));
    }

    private static List<ShardScan> shards(Random random) {
        List<ShardScan> shards = new ArrayList<>();
        for (ScanMode mode : ScanMode.values()) {
            List<FileScan> files = new ArrayList<>();
            for (int i = random.nextInt(3); i > 0; i--) {
                files.add(file(random));
            }
            shards.add(
                    new ShardScan(
                            new ShardId(random.nextInt(9), random.nextInt(9)),
                            files,
                            random.nextBoolean(),
                            mode,
                            random.nextLong()));
        }
        return shards;
    }

    private static FileScan file(Random random) {
        byte[] deleted = new byte[random.nextInt(200)];
        random.nextBytes(deleted);
        return new FileScan(
                "shard/" + random.nextLong() + ".orc",
                random.nextLong(),
                random.nextLong(),
                random.nextInt(),
                random.nextLong(),
                random.nextLong(),
                optional(random),
                optional(random),
                deleted,
                random.nextLong(),
                Map.of(
                        -1,
                        ColumnStats.UNKNOWN,
                        3,
                        new ColumnStats(
                                Optional.of(new byte[] {1, 2}),
                                Optional.of(new byte[0]),
                                random.nextInt(100),
                                random.nextBoolean())),
                random.nextBoolean() ? List.of(1, -2) : List.of(),
                optional(random),
                random.nextBoolean() ? OptionalInt.of(random.nextInt()) : OptionalInt.empty(),
                random.nextBoolean()
                        ? Optional.of(new IndexedMetadata(1L << 40, 1 + random.nextInt(1 << 20)))
                        : Optional.empty(),
                random.nextBoolean());
    }

    private static OptionalLong optional(Random random) {
        return random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty();
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
