package io.stele.protocol.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.AlterTableRequest;
import io.stele.protocol.api.catalog.CreateSchemaRequest;
import io.stele.protocol.api.catalog.CreateTableRequest;
import io.stele.protocol.api.catalog.DropSchemaRequest;
import io.stele.protocol.api.catalog.ListSchemasReply;
import io.stele.protocol.api.catalog.ListTablesReply;
import io.stele.protocol.api.catalog.ListTablesRequest;
import io.stele.protocol.api.catalog.NodeAddress;
import io.stele.protocol.api.catalog.RenameTableRequest;
import io.stele.protocol.api.catalog.SetCommentRequest;
import io.stele.protocol.api.catalog.SetOptionsRequest;
import io.stele.protocol.api.catalog.ShardRouting;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.catalog.TableRequest;
import io.stele.protocol.api.catalog.TableStatistics;
import io.stele.protocol.api.maintenance.ListFilesReply;
import io.stele.protocol.api.maintenance.ListPartitionsReply;
import io.stele.protocol.api.maintenance.PartitionFiles;
import io.stele.protocol.api.maintenance.TableFile;
import io.stele.protocol.api.maintenance.TableShardFiles;
import io.stele.protocol.api.scan.ColumnFields;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.HiddenColumns;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.scan.PlanScanRequest;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ScanPlan;
import io.stele.protocol.api.scan.ScanTicket;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.api.snapshot.CloseSnapshotRequest;
import io.stele.protocol.api.snapshot.OpenSnapshotRequest;
import io.stele.protocol.api.snapshot.RenewLeasesReply;
import io.stele.protocol.api.snapshot.RenewLeasesRequest;
import io.stele.protocol.api.snapshot.RenewSnapshotRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.snapshot.SnapshotReply;
import io.stele.protocol.api.status.AggregateCacheReply;
import io.stele.protocol.api.status.CachedResultUse;
import io.stele.protocol.api.status.DamagedObject;
import io.stele.protocol.api.status.ResultCacheUse;
import io.stele.protocol.api.status.StatusReply;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionReply;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionReply;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.DeletePartitionsRequest;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.api.write.TransactionOutcomeRequest;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.ScalarType;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class TestApiJson {
    private static final TableId TABLE = new TableId(7);
    private static final TableSchema SCHEMA =
            TableSchema.builder("s", "t")
                    .id(TABLE)
                    .columns(
                            List.of(
                                    new ColumnSchema(
                                            1, "id", ScalarType.BIGINT, false, Optional.empty())))
                    .primaryKey(List.of(1))
                    .shardCount(2)
                    .build();

    @Test
    void testEveryMessageComesBack() {
        NodeAddress node = new NodeAddress("node-1", "", 4001, 4002);
        List<Object> messages =
                List.of(
                        Done.DONE,
                        new CachedResultUse(1, 2, 3, 4),
                        new AggregateCacheReply(
                                "node-1",
                                List.of(
                                        new ResultCacheUse(
                                                Optional.of("s.t"),
                                                1,
                                                2,
                                                3,
                                                4,
                                                5,
                                                6,
                                                7,
                                                8,
                                                9,
                                                10,
                                                11,
                                                12))),
                        new CreateSchemaRequest("s", true),
                        new DropSchemaRequest("s", false),
                        new ListSchemasReply(List.of("a", "b")),
                        new CreateTableRequest(SCHEMA, "", true, false),
                        TableRequest.of("s", "t"),
                        new TableRequest(new TableName("s", "t"), Optional.of(TABLE)),
                        new RenameTableRequest(TABLE, new TableName("s", "u")),
                        new ListTablesRequest(Optional.empty()),
                        new ListTablesReply(List.of(new TableName("s", "t"))),
                        new TableDescription(
                                SCHEMA, TableStatistics.EMPTY, ShardRouting.single(node, 2)),
                        new SetCommentRequest(TABLE, Optional.of(1), Optional.of("c")),
                        new SetOptionsRequest(
                                TABLE,
                                List.of(TableOption.RETENTION, TableOption.BITMAP_COLUMNS),
                                TableOptions.NONE
                                        .withRetentionMillis(OptionalLong.of(5))
                                        .withBitmapColumns(List.of(1))),
                        new AlterTableRequest(
                                TABLE,
                                3,
                                ColumnChange.addField(
                                        List.of("a", "b"), "c", DataType.parse("bigint"))),
                        new AlterTableRequest(TABLE, 4, ColumnChange.dropNotNull("a")),
                        new OpenSnapshotRequest(List.of(TABLE), Optional.of(new Lsn(9)), 1000),
                        new OpenSnapshotRequest(
                                List.of(TABLE), Optional.empty(), 1000, Optional.of(new Lsn(8))),
                        new RenewSnapshotRequest("r", 5),
                        new CloseSnapshotRequest("r"),
                        new SnapshotReply("r", new Lsn(9), 5),
                        new PlanScanRequest("r", TABLE, ScanPredicate.ALL, List.of(1), true),
                        new PlanScanRequest(
                                "r",
                                TABLE,
                                ScanPredicate.ALL,
                                List.of(1),
                                false,
                                OptionalInt.of(3)),
                        new BeginTransactionRequest(TABLE, Optional.empty(), Optional.empty()),
                        new BeginTransactionRequest(TABLE, Optional.empty(), Optional.of(60_000L)),
                        new TransactionOutcomeRequest("1-a"),
                        new RenewLeasesRequest(List.of("r1", "r2"), 60_000, List.of("1-a"), 90_000),
                        new RenewLeasesReply(List.of("r2"), List.of()),
                        new BeginTransactionReply("x", "data/7"),
                        new CommitTransactionRequest(
                                "x",
                                List.of(),
                                Optional.of(TABLE),
                                Optional.empty(),
                                Optional.of(List.of(new UUID(3, 4)))),
                        new CommitTransactionReply(new Lsn(Long.MAX_VALUE)),
                        new AbortTransactionRequest("x"),
                        new DeletePartitionsRequest(TABLE, ScanPredicate.ALL, Optional.empty()),
                        new DeletePartitionsRequest(TABLE, ScanPredicate.ALL, Optional.of("1-a")),
                        new ListPartitionsReply(
                                List.of(new PartitionFiles(new byte[] {1, 2}, 3, 4, 5))),
                        new ListFilesReply(
                                "n",
                                List.of(
                                        new TableShardFiles(
                                                new ShardId(1, 2),
                                                new Lsn(3),
                                                4,
                                                5,
                                                List.of(
                                                        new TableFile(
                                                                "data/1",
                                                                true,
                                                                OptionalInt.of(6),
                                                                7,
                                                                Optional.of(new byte[] {8}),
                                                                9,
                                                                10,
                                                                11,
                                                                new Lsn(12),
                                                                new Lsn(13),
                                                                14))))),
                        new StatusReply(
                                "n",
                                "1",
                                true,
                                Lsn.MIN,
                                0,
                                0,
                                List.of(),
                                List.of(
                                        new DamagedObject(
                                                "data/1/0/a.orc",
                                                Optional.of("shop.orders"),
                                                Optional.of(new ShardId(1, 0)),
                                                DamagedObject.TABLE_SET_ASIDE,
                                                "it is gone",
                                                1))),
                        PutTarget.of(new TableName("s", "t"), PutMode.UPSERT),
                        new PutTarget(
                                Optional.empty(),
                                Optional.of(TABLE),
                                PutMode.DELETE,
                                Optional.of("x"),
                                Optional.of(1),
                                Optional.of(new UUID(1, 2)),
                                3,
                                Optional.of(new UUID(5, 6))),
                        new PutReply(new Lsn(4), 5, 6, 2),
                        ScanTicket.of(TABLE, ScanMode.LIVE, List.of(1, HiddenColumns.LSN))
                                .at("r", new Lsn(9))
                                .in(new ShardId(0, 1))
                                .limit(OptionalLong.of(10))
                                .build(),
                        ScanTicket.of(TABLE, ScanMode.SNAPSHOT, List.of(3))
                                .ofVersion(4)
                                .in(new ShardId(0, 1))
                                .fields(
                                        Optional.of(
                                                new ColumnFields(
                                                        Map.of(
                                                                3,
                                                                List.of(
                                                                        List.of(4),
                                                                        List.of(5, 6))))))
                                .build(),
                        changesTicket(ScanMode.CHANGES, Optional.of(new Lsn(5))));
        for (Object message : messages) {
            assertThat((Object) ApiJson.read(ApiJson.write(message), message.getClass()))
                    .isEqualTo(message);
        }
    }

    private static ScanTicket changesTicket(ScanMode mode, Optional<Lsn> after) {
        return ScanTicket.of(TABLE, mode, List.of(3))
                .at("r", new Lsn(9))
                .ofVersion(4)
                .in(new ShardId(0, 1))
                .changesAfter(after)
                .changesUpTo(new Lsn(8))
                .build();
    }

    @Test
    void testOnlyChangesAreAfterAnLsn() {
        assertThatThrownBy(() -> changesTicket(ScanMode.CHANGES, Optional.empty()))
                .hasMessageContaining("Expected changesAfter in a ticket of mode CHANGES only");
        assertThatThrownBy(
                        () ->
                                ScanTicket.of(TABLE, ScanMode.LIVE, List.of(3))
                                        .in(new ShardId(0, 1))
                                        .changesUpTo(new Lsn(5))
                                        .build())
                .hasMessageContaining("Expected changesUpTo with changesAfter only, found 5");
        assertThatThrownBy(() -> changesTicket(ScanMode.LIVE, Optional.of(new Lsn(5))))
                .hasMessageContaining("found mode LIVE and 5");
    }

    @Test
    void testBytesAreBase64() {
        FileScan file =
                new FileScan(
                        "data/7/0/f.orc",
                        100,
                        10,
                        1,
                        2,
                        3,
                        OptionalLong.empty(),
                        OptionalLong.of(4),
                        new byte[] {1, 2, 3},
                        3,
                        Map.of(),
                        List.of(1),
                        OptionalLong.empty(),
                        OptionalInt.of(32_768),
                        Optional.of(new IndexedMetadata(9_000, 800)),
                        true);
        ScanPlan plan =
                new ScanPlan(
                        5,
                        3,
                        List.of(
                                new ShardScan(
                                        new ShardId(0, 1), List.of(file), true, ScanMode.LIVE, 6)));
        byte[] json = ApiJson.write(plan);
        assertThat(new String(json, StandardCharsets.UTF_8)).contains("\"deletedRows\":\"AQID\"");
        FileScan read = ApiJson.read(json, ScanPlan.class).shards().get(0).files().get(0);
        assertThat(read.deletedRows()).containsExactly(1, 2, 3);
        assertThat(read.firstRowId()).hasValue(4);
        assertThat(read.ingestLsn()).isEmpty();
        assertThat(read.checksumBlockBytes()).hasValue(32_768);
        assertThat(read.indexedMetadata()).contains(new IndexedMetadata(9_000, 800));
        String before =
                new String(json, StandardCharsets.UTF_8)
                        .replace(
                                "\"indexedMetadata\":{\"keyIndexBytes\":9000,\"metadataBytes\":800},",
                                "");
        FileScan older =
                ApiJson.read(before.getBytes(StandardCharsets.UTF_8), ScanPlan.class)
                        .shards()
                        .get(0)
                        .files()
                        .get(0);
        assertThat(before).doesNotContain("indexedMetadata");
        assertThat(older.indexedMetadata()).isEmpty();
        assertThat(read.fresh()).isTrue();
    }

    @Test
    void testNamesOfActionsAndFieldsStayAsTheyAre() {
        assertThat(SnapshotActions.OPEN_SNAPSHOT.name()).isEqualTo("open-snapshot");
        assertThat(
                        new String(
                                ApiJson.write(
                                        PutTarget.of(new TableName("s", "t"), PutMode.APPEND)),
                                StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"table\":{\"schemaName\":\"s\",\"tableName\":\"t\"},\"tableId\":null,"
                                + "\"mode\":\"APPEND\",\"transactionId\":null,\"shard\":null,"
                                + "\"writerId\":null,\"firstSequence\":0,\"part\":null}");
    }

    @Test
    void testLeavesOutWhatIsOptional() {
        PutTarget target =
                ApiJson.read(
                        "{\"table\":{\"schemaName\":\"s\",\"tableName\":\"t\"},\"mode\":\"APPEND\",\"firstSequence\":0,\"newer\":1}"
                                .getBytes(StandardCharsets.UTF_8),
                        PutTarget.class);
        assertThat(target).isEqualTo(PutTarget.of(new TableName("s", "t"), PutMode.APPEND));
    }

    @Test
    void testRefusesWhatIsNoMessage() {
        for (String json : List.of("", "null", "[1]", "{", "{\"schemaName\":null}")) {
            assertThatThrownBy(
                            () ->
                                    ApiJson.read(
                                            json.getBytes(StandardCharsets.UTF_8),
                                            CreateSchemaRequest.class))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining("CreateSchemaRequest");
        }
    }

    @Test
    void anOlderClientAsksForNoLsnInParticular() {
        byte[] json = "{\"tableIds\":[],\"lsn\":null,\"ttlMillis\":5}".getBytes(UTF_8);
        assertThat(ApiJson.read(json, OpenSnapshotRequest.class).atLeast()).isEmpty();
    }
}
