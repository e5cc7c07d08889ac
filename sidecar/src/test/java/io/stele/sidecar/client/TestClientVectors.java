package io.stele.sidecar.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.stele.protocol.Lsn;
import io.stele.protocol.QueryIdentity;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.auth.SharedSecretToken;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.row.Rows;
import io.stele.protocol.row.ValueCodec;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.ShardRouter;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.XxHash64;
import io.stele.protocol.wire.ActionCall;
import io.stele.protocol.wire.ErrorReply;
import io.stele.protocol.wire.Frame;
import io.stele.protocol.wire.FrameType;
import io.stele.protocol.wire.FrameWriter;
import io.stele.protocol.wire.GetTable;
import io.stele.protocol.wire.Hello;
import io.stele.protocol.wire.HelloReply;
import io.stele.protocol.wire.MultiGet;
import io.stele.protocol.wire.MultiGetReply;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.Scan;
import io.stele.protocol.wire.ScanReply;
import io.stele.protocol.wire.Write;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The bytes that clients of other languages are tested with are those that the Java classes make.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TestClientVectors {
    private JsonNode vectors = MissingNode.getInstance();

    @BeforeAll
    void load() throws IOException {
        vectors = ClientVectors.load();
    }

    @Test
    void hashesAndShards() {
        for (JsonNode entry : entries("hashes")) {
            byte[] bytes = hex(entry.get("bytes"));
            assertThat(HexFormat.of().toHexDigits(XxHash64.hash(bytes, 0, bytes.length)))
                    .isEqualTo(entry.get("hash").textValue());
        }
        for (JsonNode entry : entries("shards")) {
            byte[] key = hex(entry.get("key"));
            assertThat(ShardRouter.shard(entry.get("shardCount").intValue(), key, 0, key.length))
                    .isEqualTo(entry.get("shard").intValue());
        }
    }

    @Test
    void valuesOfEveryType() {
        for (JsonNode entry : entries("types")) {
            DataType type = DataType.parse(entry.get("type").textValue());
            assertThat(type.text()).isEqualTo(entry.get("type").textValue());
            RowLayout layout = RowLayout.of(List.of(new ColumnSchema(1, "c", type)));
            for (JsonNode vector : entry.get("values")) {
                @Nullable Object value = ClientVectors.value(type, vector.get("value"));
                byte[] row = Rows.toBytes(layout, value);
                assertThat(row).as("%s", vector).isEqualTo(hex(vector.get("row")));
                layout.validate(row, 0, row.length);
                assertThat(
                                Rows.toBytes(
                                        layout,
                                        Rows.toObjects(new BinaryRow(layout).wrap(row)).toArray()))
                        .isEqualTo(row);
                assertThat(vector.has("key")).isEqualTo(type.isOrderable());
                if (type.isOrderable() && value != null) {
                    assertThat(ValueCodec.of(type).encodeObject(value))
                            .as("%s", vector)
                            .isEqualTo(hex(vector.get("key")));
                }
            }
        }
    }

    @Test
    void rows() {
        for (JsonNode entry : entries("rows")) {
            RowLayout layout = RowLayout.of(columns(entry));
            assertThat(Rows.toBytes(layout, values(entry).toArray()))
                    .isEqualTo(hex(entry.get("row")));
        }
    }

    @Test
    void keysAndTheirShards() {
        for (JsonNode entry : entries("keys")) {
            TableSchema schema = table(entry);
            RowLayout layout = RowLayout.of(schema.columns());
            BinaryRow row =
                    new BinaryRow(layout).wrap(Rows.toBytes(layout, values(entry).toArray()));
            RowRouter router = RowRouter.of(schema);
            assertThat(router.shardOfRow(row)).isEqualTo(entry.get("shard").intValue());
            if (schema.hasPrimaryKey()) {
                byte[] key = KeyEncoder.forPrimaryKey(schema).encode(row);
                assertThat(key).isEqualTo(hex(entry.get("key")));
                assertThat(router.shardOfKey(key)).isEqualTo(entry.get("shard").intValue());
            }
        }
    }

    @Test
    void partialRows() {
        for (JsonNode entry : entries("partialRows")) {
            TableSchema schema = table(entry);
            List<Integer> ids = new ArrayList<>();
            List<@Nullable Object> values = new ArrayList<>();
            for (Iterator<String> names = entry.get("values").fieldNames(); names.hasNext(); ) {
                String id = names.next();
                ids.add(Integer.valueOf(id));
                DataType type = schema.columns().get(Integer.parseInt(id) - 1).type();
                values.add(ClientVectors.value(type, entry.get("values").get(id)));
            }
            PartialRowLayout layout = PartialRowLayout.of(schema, ids);
            byte[] row = Rows.toBytes(layout.layout(), values.toArray());
            byte[] partial = new byte[layout.headBytes() + row.length];
            layout.writeHead(partial, 0);
            System.arraycopy(row, 0, partial, layout.headBytes(), row.length);
            assertThat(partial).isEqualTo(hex(entry.get("row")));
            layout.validate(partial, 0, partial.length);
        }
    }

    @Test
    void frames() throws IOException {
        for (JsonNode entry : entries("frames")) {
            FrameType type = FrameType.valueOf(entry.get("frame").textValue());
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            FrameWriter writer = new FrameWriter(out);
            writer.write(type, (int) entry.get("requestId").longValue(), payload(type, entry));
            writer.flush();
            assertThat(out.toByteArray()).as("%s", entry).isEqualTo(hex(entry.get("bytes")));
        }
    }

    private static byte[] payload(FrameType type, JsonNode entry) {
        return switch (type) {
            case HELLO ->
                    new Hello(
                                    entry.get("version").intValue(),
                                    entry.get("token").textValue(),
                                    entry.get("client").textValue(),
                                    Optional.of(
                                            new QueryIdentity(
                                                    entry.get("user").textValue(),
                                                    entry.get("source").textValue(),
                                                    entry.get("resourceGroup").textValue())))
                            .encode();
            case GET_TABLE ->
                    new GetTable(entry.get("schema").textValue(), entry.get("table").textValue())
                            .encode();
            case WRITE -> write(entry);
            case MULTI_GET -> {
                List<byte[]> keys = new ArrayList<>();
                entry.get("keys").forEach(key -> keys.add(hex(key)));
                yield new MultiGet(tableId(entry), version(entry), readLsn(entry), keys).encode();
            }
            case SCAN ->
                    new Scan(
                                    tableId(entry),
                                    version(entry),
                                    entry.get("shard").intValue(),
                                    readLsn(entry),
                                    hex(entry.get("lower")),
                                    optionalHex(entry.get("upper")),
                                    entry.get("descending").booleanValue(),
                                    entry.get("maxRows").intValue(),
                                    entry.get("maxBytes").intValue())
                            .encode();
            case PING -> new byte[0];
            case ACTION ->
                    new ActionCall(
                                    entry.get("action").textValue(),
                                    entry.get("request")
                                            .textValue()
                                            .getBytes(StandardCharsets.UTF_8))
                            .encode();
            default -> fail("Expected a request, found %s", type);
        };
    }

    private static byte[] write(JsonNode entry) {
        byte[] head =
                Write.encodeHead(
                        new ShardId(
                                entry.get("tableGroup").intValue(), entry.get("shard").intValue()),
                        UUID.fromString(entry.get("writer").textValue()),
                        entry.get("sequence").longValue());
        WriteBatchBuilder batch = new WriteBatchBuilder(tableId(entry), version(entry));
        for (JsonNode operation : entry.get("operations")) {
            byte[] key = hex(operation.get("key"));
            byte[] row = hex(operation.get("row"));
            batch.add(
                    OperationKind.valueOf(operation.get("kind").textValue()),
                    key,
                    0,
                    key.length,
                    row,
                    0,
                    row.length);
        }
        byte[] bytes = batch.toByteArray();
        byte[] payload = Arrays.copyOf(head, head.length + bytes.length);
        System.arraycopy(bytes, 0, payload, head.length, bytes.length);
        return payload;
    }

    @Test
    void replies() {
        for (JsonNode entry : entries("replies")) {
            FrameType type = FrameType.valueOf(entry.get("frame").textValue());
            byte[] payload = hex(entry.get("payload"));
            Frame frame = new Frame(type, 1, payload);
            switch (type) {
                case HELLO_REPLY ->
                        assertThat(HelloReply.decode(frame))
                                .isEqualTo(
                                        new HelloReply(
                                                entry.get("version").intValue(),
                                                entry.get("node").textValue(),
                                                entry.get("maxFrameBytes").intValue(),
                                                entry.get("maxRequests").intValue(),
                                                entry.get("maxUnansweredBatches").intValue()));
                case WRITE_REPLY ->
                        assertThat(WriteReply.decode(frame))
                                .isEqualTo(
                                        new WriteReply(
                                                new Lsn(entry.get("lsn").longValue()),
                                                entry.get("skipped").intValue()));
                case MULTI_GET_REPLY ->
                        assertThat(
                                        new MultiGetReply(version(entry), rows(entry))
                                                .encode(Integer.MAX_VALUE))
                                .isEqualTo(payload);
                case SCAN_REPLY -> {
                    ScanReply reply = ScanReply.decode(frame);
                    assertThat(reply.schemaVersion()).isEqualTo(version(entry));
                    assertThat(reply.lsn().value()).isEqualTo(entry.get("lsn").longValue());
                    assertThat(reply.rows())
                            .usingElementComparator(Arrays::compare)
                            .isEqualTo(rows(entry).stream().map(Optional::orElseThrow).toList());
                    assertThat(reply.next().map(HexFormat.of()::formatHex))
                            .isEqualTo(Optional.ofNullable(entry.get("next").textValue()));
                }
                case ERROR -> {
                    ErrorReply error = ErrorReply.decode(frame);
                    assertThat(error.code().name()).isEqualTo(entry.get("code").textValue());
                    assertThat(error.encode()).isEqualTo(payload);
                }
                default -> fail("Expected a reply, found %s", type);
            }
        }
    }

    private static List<Optional<byte[]>> rows(JsonNode entry) {
        List<Optional<byte[]>> rows = new ArrayList<>();
        entry.get("rows")
                .forEach(row -> rows.add(row.isNull() ? Optional.empty() : Optional.of(hex(row))));
        return rows;
    }

    @Test
    void tokens() {
        for (JsonNode entry : entries("tokens")) {
            Clock clock =
                    Clock.fixed(
                            Instant.ofEpochSecond(entry.get("issuedAt").longValue()),
                            ZoneOffset.UTC);
            SharedSecretToken tokens =
                    new SharedSecretToken(entry.get("secret").textValue(), clock);
            assertThat(tokens.issue(entry.get("subject").textValue()))
                    .isEqualTo(entry.get("token").textValue());
        }
    }

    private JsonNode entries(String name) {
        assertThat(vectors.get(name)).as(name).isNotEmpty();
        return vectors.get(name);
    }

    private static TableId tableId(JsonNode entry) {
        return new TableId(entry.get("tableId").longValue());
    }

    private static int version(JsonNode entry) {
        return entry.get("schemaVersion").intValue();
    }

    private static Optional<Lsn> readLsn(JsonNode entry) {
        return entry.get("readLsn").isNull()
                ? Optional.empty()
                : Optional.of(new Lsn(entry.get("readLsn").longValue()));
    }

    private static Optional<byte[]> optionalHex(JsonNode text) {
        return text.isNull() ? Optional.empty() : Optional.of(hex(text));
    }

    private static byte[] hex(JsonNode text) {
        return HexFormat.of().parseHex(text.textValue());
    }

    private static List<@Nullable Object> values(JsonNode entry) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < entry.get("types").size(); i++) {
            DataType type = DataType.parse(entry.get("types").get(i).textValue());
            values.add(ClientVectors.value(type, entry.get("values").get(i)));
        }
        return values;
    }

    private static List<ColumnSchema> columns(JsonNode entry) {
        List<Integer> key = ids(entry, "primaryKey");
        List<ColumnSchema> columns = new ArrayList<>();
        for (JsonNode type : entry.get("types")) {
            int id = columns.size() + 1;
            columns.add(
                    new ColumnSchema(
                            id,
                            "c" + id,
                            DataType.parse(type.textValue()),
                            !key.contains(id),
                            Optional.empty()));
        }
        return columns;
    }

    private static List<Integer> ids(JsonNode entry, String name) {
        List<Integer> ids = new ArrayList<>();
        entry.path(name).forEach(id -> ids.add(id.intValue()));
        return ids;
    }

    private static TableSchema table(JsonNode entry) {
        return TableSchema.builder("s", "t")
                .id(new TableId(7))
                .schemaVersion(3)
                .columns(columns(entry))
                .primaryKey(ids(entry, "primaryKey"))
                .distributionKey(ids(entry, "distributionKey"))
                .orientation(Orientation.ROW)
                .tableGroup(2)
                .shardCount(entry.path("shardCount").asInt(4))
                .build();
    }
}
