package io.stele.engine.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.InitialValue;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.SchemaHistory;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.testing.Golden;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

final class TestCatalogService {
    private long now = 5_000_000L << 16;
    private final ObjectStore store = new InMemoryObjectStore();
    private CatalogService service = open(1);

    @Test
    void schemasComeAndGo() {
        service.createSchema("sales");
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'sales'", () -> service.createSchema("sales"));
        refuses(ErrorCode.INVALID_ARGUMENT, "lower case", () -> service.createSchema("Sales"));
        refuses(ErrorCode.INVALID_ARGUMENT, "1 to 128", () -> service.createSchema(""));
        refuses(
                ErrorCode.SCHEMA_NOT_FOUND,
                "'nothing'",
                () -> service.dropSchema("nothing", false));
        assertThat(open(2).current().schemas()).containsExactly("sales");
        service.dropSchema("sales", false);
        assertThat(service.current().schemas()).isEmpty();
    }

    @Test
    void schemaWithTablesIsDroppedOnlyInCascade() {
        service.createSchema("sales");
        service.createTable(table("sales", "orders").build(), "", TableState.PUBLIC);
        refuses(ErrorCode.SCHEMA_NOT_EMPTY, "'orders'", () -> service.dropSchema("sales", false));
        service.dropSchema("sales", true);
        assertThat(service.current().tables()).isEmpty();
        refuses(ErrorCode.SCHEMA_NOT_FOUND, "'sales'", () -> service.current().listTables("sales"));
    }

    @Test
    void tablesGetIdsGroupsAndVersionOne() {
        service.createSchema("s");
        TableSchema first =
                service.createTable(table("s", "a").shards(4).build(), "", TableState.PUBLIC);
        TableSchema second =
                service.createTable(table("s", "b").shards(4).build(), "", TableState.PUBLIC);
        TableSchema third =
                service.createTable(table("s", "c").shards(2).build(), "other", TableState.PUBLIC);
        assertThat(first.id()).isNotEqualTo(second.id());
        assertThat(first.tableGroup())
                .isEqualTo(second.tableGroup())
                .isNotEqualTo(third.tableGroup());
        assertThat(first.schemaVersion()).isEqualTo(1);
        assertThat(service.current().tableGroup(third.tableGroup()))
                .isEqualTo(new TableGroup(third.tableGroup(), "other", 2));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "shard_count 2 of the existing table group 'other', found 3",
                () ->
                        service.createTable(
                                table("s", "d").shards(3).build(), "other", TableState.PUBLIC));
        service.dropTable(third.id());
        assertThat(open(2).current().findTableGroup("other")).isPresent();
        TableSchema fourth =
                service.createTable(table("s", "c").shards(2).build(), "other", TableState.PUBLIC);
        assertThat(fourth.id().value())
                .as("ids are never used twice")
                .isGreaterThan(third.id().value());
    }

    @Test
    void indexesKeepTheirIdsAndNewOnesAreToBeBuilt() {
        service.createSchema("s");
        TableSchema plain = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        int column = plain.primaryKey().getFirst();
        IndexSchema one = new IndexSchema(1, "one", List.of(column), false, true);
        IndexSchema two = new IndexSchema(2, "two", List.of(column), false, true);
        TableSchema table = setIndexes(plain, List.of(one));
        IndexSchema first = table.options().indexes().getFirst();
        assertThat(first.ready()).as("rows from before have no entries").isFalse();
        table = service.setIndexReady(table.id(), first.id());
        table = setIndexes(table, List.of(two, one));
        assertThat(table.options().indexes().get(1)).isEqualTo(first.built());
        int second = table.options().indexes().getFirst().id();
        assertThat(second).isGreaterThan(first.id());
        table = setIndexes(table, List.of(one));
        table = setIndexes(table, List.of(one, two));
        assertThat(table.options().indexes().get(1).id())
                .as("ids are never used twice")
                .isGreaterThan(second);
        assertThat(service.truncateTable(table.id()).options().indexes())
                .as("an empty table's indexes are complete")
                .allMatch(IndexSchema::ready);
    }

    private TableSchema setIndexes(TableSchema table, List<IndexSchema> indexes) {
        return service.setOptions(
                table.id(), List.of(TableOption.INDEXES), TableOptions.NONE.withIndexes(indexes));
    }

    @Test
    void rowsThatExpiredNeverComeBack() {
        service.createSchema("s");
        TableSchema table =
                service.createTable(
                        table("s", "a")
                                .build()
                                .withOptions(
                                        TableOptions.NONE.withTimeToLiveMillis(
                                                OptionalLong.of(1000))),
                        "",
                        TableState.PUBLIC);
        long changed = now;
        assertThat(table.options().firstVisibleLsn(changed)).isEqualTo(changed - (1000L << 16));
        assertThat(table.options().firstVisibleLsn(1 << 16)).isZero();

        table = setTimeToLive(table, OptionalLong.of(5000));
        TableOptions longer = table.options();
        assertThat(longer.firstVisibleLsn(changed - 1))
                .as("readers below the change")
                .isEqualTo(changed - 1 - (1000L << 16));
        assertThat(longer.firstVisibleLsn(changed + (2000L << 16)))
                .as("what had expired")
                .isEqualTo(changed - (1000L << 16));
        assertThat(longer.firstVisibleLsn(changed + (9000L << 16)))
                .isEqualTo(changed + (4000L << 16));

        now += 9000L << 16;
        table = setTimeToLive(table, OptionalLong.empty());
        assertThat(table.options().firstVisibleLsn(now + (99_000L << 16)))
                .isEqualTo(changed + (4000L << 16));
        for (int i = 0; i < 40; i++) {
            now += 1000L << 16;
            long before = table.options().firstVisibleLsn(now);
            table = setTimeToLive(table, OptionalLong.of(1 + i % 7 * 700L));
            assertThat(table.options().firstVisibleLsn(now)).isGreaterThanOrEqualTo(before);
        }
        assertThat(table.options().timeToLiveSteps()).hasSize(TableOptions.MAX_TIME_TO_LIVE_STEPS);
        assertThat(open(2).current().table(table.id())).isEqualTo(table);
    }

    private TableSchema setTimeToLive(TableSchema table, OptionalLong millis) {
        return service.setOptions(
                table.id(),
                List.of(TableOption.TIME_TO_LIVE),
                TableOptions.NONE.withTimeToLiveMillis(millis));
    }

    @Test
    void optionsAreChangedOneByOne() {
        service.createSchema("s");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        int column = table.columns().getFirst().id();
        service.setOptions(
                table.id(),
                List.of(TableOption.RETENTION, TableOption.BITMAP_COLUMNS),
                TableOptions.NONE
                        .withRetentionMillis(OptionalLong.of(5))
                        .withBitmapColumns(List.of(column)));
        service.setOptions(
                table.id(),
                List.of(TableOption.SEGMENT_KEY),
                TableOptions.NONE
                        .withRetentionMillis(OptionalLong.of(9))
                        .withSegmentKey(List.of(column)));
        TableOptions expected =
                TableOptions.NONE
                        .withRetentionMillis(OptionalLong.of(5))
                        .withSegmentKey(List.of(column))
                        .withBitmapColumns(List.of(column));
        assertThat(open(2).current().table(table.id()).options()).isEqualTo(expected);
        refuses(
                ErrorCode.COLUMN_NOT_FOUND,
                "segment_key",
                () ->
                        service.setOptions(
                                table.id(),
                                List.of(TableOption.SEGMENT_KEY),
                                TableOptions.NONE.withSegmentKey(List.of(99))));
        service.setOptions(table.id(), List.of(TableOption.BITMAP_COLUMNS), TableOptions.NONE);
        assertThat(service.current().table(table.id()).options())
                .isEqualTo(expected.withBitmapColumns(List.of()));
        assertThat(service.current().table(table.id()).schemaVersion()).isEqualTo(1);
    }

    @Test
    void rulesOfTables() {
        service.createSchema("s");
        service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'s.a'",
                () -> service.createTable(table("s", "a").build(), "", TableState.PUBLIC));
        refuses(
                ErrorCode.SCHEMA_NOT_FOUND,
                "'t'",
                () -> service.createTable(table("t", "a").build(), "", TableState.PUBLIC));
        for (Orientation orientation : List.of(Orientation.ROW, Orientation.ROW_COLUMN)) {
            refuses(
                    ErrorCode.INVALID_ARGUMENT,
                    "primary_key for orientation '" + orientation.text() + "'",
                    () ->
                            service.createTable(
                                    table("s", "b").primaryKey().orientation(orientation).build(),
                                    "",
                                    TableState.PUBLIC));
        }
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "'Upper'",
                () -> service.createTable(table("s", "Upper").build(), "", TableState.PUBLIC));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "column name in lower case, found 'BIG'",
                () ->
                        service.createTable(
                                table("s", "b").column("BIG").build(), "", TableState.PUBLIC));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "clustering_key",
                () ->
                        service.createTable(
                                table("s", "b")
                                        .orientation(Orientation.ROW)
                                        .clusteringKey(2)
                                        .build(),
                                "",
                                TableState.PUBLIC));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "comment",
                () ->
                        service.createTable(
                                table("s", "b").comment("x".repeat(10_001)).build(),
                                "",
                                TableState.PUBLIC));
        assertThat(service.current().listTables("s")).hasSize(1);
    }

    @Test
    void stagedTablesAreSeenByIdOnlyUntilPublished() {
        service.createSchema("s");
        TableSchema staged = service.createTable(table("s", "a").build(), "", TableState.STAGED);
        assertThat(service.current().findTable("s", "a")).isEmpty();
        assertThat(service.current().table(staged.id())).isEqualTo(staged);
        refuses(ErrorCode.SCHEMA_NOT_EMPTY, "being created", () -> service.dropSchema("s", false));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "being created",
                () -> service.renameTable(staged.id(), "s", "z"));
        TableSchema rival = service.createTable(table("s", "a").build(), "", TableState.STAGED);
        service.publishTable(rival.id(), Lsn.MIN);
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'s.a'",
                () -> service.publishTable(staged.id(), Lsn.MIN));
        Catalog published = service.current();
        service.publishTable(rival.id(), Lsn.MIN);
        assertThat(service.current()).as("published again").isSameAs(published);
        CatalogService restarted = open(2);
        assertThat(restarted.dropStagedTables()).isEqualTo(1);
        assertThat(restarted.dropStagedTables()).isZero();
        assertThat(restarted.current().table("s", "a").id()).isEqualTo(rival.id());
        refuses(
                ErrorCode.STALE_TABLE,
                "dropped, truncated or replaced",
                () -> restarted.publishTable(staged.id(), Lsn.MIN));
    }

    @Test
    void truncateGivesANewId() {
        service.createSchema("s");
        TableSchema before =
                service.createTable(table("s", "a").comment("keep").build(), "", TableState.PUBLIC);
        TableSchema after = service.truncateTable(before.id());
        assertThat(after.id()).isNotEqualTo(before.id());
        assertThat(after.columns()).isEqualTo(before.columns());
        assertThat(after.comment()).contains("keep");
        assertThat(service.current().table("s", "a")).isEqualTo(after);
        refuses(
                ErrorCode.STALE_TABLE,
                "dropped, truncated or replaced",
                () -> service.current().table(before.id()));
        TableEntry kept = open(1).current().findTable(before.id()).orElseThrow();
        assertThat(kept.state()).isEqualTo(TableState.REPLACED);
        assertThat(kept.successor().orElseThrow().tableId()).isEqualTo(after.id());
        refuses(
                ErrorCode.STALE_TABLE,
                "dropped, truncated or replaced",
                () -> service.dropTable(before.id()));
        service.dropSchema("s", true);
        assertThat(service.current().tables()).isEmpty();
    }

    @Test
    void renameAndComments() {
        service.createSchema("s");
        service.createSchema("t");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        service.createTable(table("t", "taken").build(), "", TableState.PUBLIC);
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'t.taken'",
                () -> service.renameTable(table.id(), "t", "taken"));
        refuses(ErrorCode.SCHEMA_NOT_FOUND, "'u'", () -> service.renameTable(table.id(), "u", "a"));
        service.renameTable(table.id(), "t", "b");
        assertThat(service.current().findTable("s", "a")).isEmpty();
        assertThat(service.current().table("t", "b").id()).isEqualTo(table.id());
        service.setTableComment(table.id(), Optional.of("all orders"));
        service.setColumnComment(table.id(), 2, Optional.of("in cents"));
        refuses(
                ErrorCode.COLUMN_NOT_FOUND,
                "found id 9",
                () -> service.setColumnComment(table.id(), 9, Optional.of("x")));
        TableSchema stored = open(2).current().table("t", "b");
        assertThat(stored.comment()).contains("all orders");
        assertThat(stored.column(2).comment()).contains("in cents");
        assertThat(stored.schemaVersion()).as("comments do not make writers stale").isEqualTo(1);
        service.setTableComment(table.id(), Optional.empty());
        assertThat(service.current().table(table.id()).comment()).isEmpty();
    }

    @Test
    void listenersSeeEveryVersionInOrderAndOnlyDurableOnes() {
        List<Long> versions = new ArrayList<>();
        service.addListener(
                (before, after) -> {
                    assertThat(after.version()).isEqualTo(before.version() + 1);
                    assertThat(open(3).current().version()).isEqualTo(after.version());
                    versions.add(after.version());
                });
        service.createSchema("a");
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'a'", () -> service.createSchema("a"));
        service.createSchema("b");
        assertThat(versions).containsExactly(1L, 2L);
    }

    @Test
    void listenersAreNotifiedBeforeADurableVersionIsCurrentAndAfterwards() {
        FaultInjectingObjectStore faulty =
                new FaultInjectingObjectStore(
                        CrashPoint.never(), StoreFaults.NONE, new SplittableRandom(1), nanos -> {});
        CatalogService watched = open(faulty, 1, Assertions::fail);
        List<String> steps = new ArrayList<>();
        CatalogListener listener =
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        assertThat(watched.current()).isSameAs(before);
                        assertThat(open(faulty).current().version()).isEqualTo(after.version());
                        steps.add("changing " + after.version());
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        assertThat(watched.current()).isSameAs(after);
                        steps.add("changed " + after.version());
                    }
                };
        watched.addListener(listener);
        watched.addListener(listener);
        watched.createSchema("a");
        assertThat(steps).containsExactly("changing 1", "changing 1", "changed 1", "changed 1");

        steps.clear();
        faulty.setFaults(StoreFaults.OUTAGE);
        refusesUnknown(() -> watched.createSchema("b"));
        assertThat(steps).as("of unknown outcome").isEmpty();
        faulty.setFaults(StoreFaults.NONE);
        assertThat(watched.settle()).isTrue();
        assertThat(steps).containsExactly("changing 2", "changing 2", "changed 2", "changed 2");

        steps.clear();
        open(faulty).createSchema("theirs");
        watched.createSchema("c");
        assertThat(steps)
                .containsExactly(
                        "changing 3",
                        "changing 3",
                        "changed 3",
                        "changed 3",
                        "changing 4",
                        "changing 4",
                        "changed 4",
                        "changed 4");
    }

    @Test
    void aListenerThatFailsKeepsNothingFromTheOthers() {
        List<String> steps = new ArrayList<>();
        SteleException changing = new SteleException(ErrorCode.BUSY, "changing");
        SteleException changed = new SteleException(ErrorCode.BUSY, "changed");
        List<Throwable> failures = new ArrayList<>();
        CatalogService service = open(store, 1, failures::add);
        service.addListener(
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        throw changing;
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        throw changed;
                    }
                });
        service.addListener(
                new CatalogListener() {
                    @Override
                    public void catalogChanging(Catalog before, Catalog after) {
                        steps.add("changing " + after.version());
                    }

                    @Override
                    public void catalogChanged(Catalog before, Catalog after) {
                        steps.add("changed " + after.version());
                    }
                });
        service.createSchema("a");
        assertThat(failures).containsExactly(changing, changed);
        assertThat(steps).containsExactly("changing 1", "changed 1");
        assertThat(service.current().schemas()).containsExactly("a");
        assertThat(open(2).current().schemas()).containsExactly("a");
    }

    @Test
    void loserOfARaceReadsAgainAndDoesTheStatementOnWhatIsThere() {
        CatalogService other = open(2);
        List<String> seen = new ArrayList<>();
        service.addListener((before, after) -> seen.addAll(after.schemas()));
        other.createSchema("theirs");
        service.createSchema("mine");
        assertThat(seen).containsExactly("theirs", "mine", "theirs");
        assertThat(service.current().schemas()).containsExactly("mine", "theirs");
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'mine'", () -> other.createSchema("mine"));
        assertThat(other.current().schemas()).containsExactly("mine", "theirs");
    }

    @Test
    void namesOfMetadataTablesAreRefused() {
        service.createSchema("s");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        for (String name : List.of("a$files", "$", "storage$7")) {
            refuses(
                    ErrorCode.INVALID_ARGUMENT,
                    "without '$'",
                    () -> service.createTable(table("s", name).build(), "", TableState.PUBLIC));
            refuses(
                    ErrorCode.INVALID_ARGUMENT,
                    "without '$'",
                    () -> service.renameTable(table.id(), "s", name));
        }
    }

    @Test
    void everyDamagedByteIsNoticed() throws Exception {
        service.createSchema("s");
        service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        ByteFlips.everyFlipIsRefused(
                store,
                "catalog/00000000000000000002",
                path -> {
                    CatalogService opened = open(4);
                    if (opened.damage().isEmpty()) {
                        return;
                    }
                    assertThat(opened.damage().get().object()).isEqualTo(path);
                    opened.own(10, List.of());
                    assertThat(store.list("catalog/")).hasSize(2);
                    opened.createSchema("refused");
                });
        assertThat(open(4).damage()).isEmpty();
    }

    @Test
    void aVersionOfALaterReleaseIsNotGivenUp() throws IOException {
        service.createSchema("s");
        service.createSchema("t");
        String newest = "catalog/00000000000000000002";
        byte[] good = store.readFully(newest);
        byte[] later = good.clone();
        ByteBuffer.wrap(later).order(ByteOrder.LITTLE_ENDIAN).putInt(8, 1_000);
        store.put(newest, withChecksum(later));
        CatalogService opened = open(2);
        assertThat(opened.damage().orElseThrow().refusal()).hasMessageContaining("found 1000");
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "of a later release",
                () -> opened.checkCanBeGivenUp(newest));

        // Put back while it runs, and then another version after it
        store.put(newest, good);
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "restart the sidecar",
                () -> opened.checkCanBeGivenUp(newest));
        store.put(newest, new byte[0]);
        opened.checkCanBeGivenUp(newest);
        store.put("catalog/00000000000000000003", new byte[0]);
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "restart the sidecar",
                () -> opened.checkCanBeGivenUp(newest));
    }

    @Test
    void aVersionWhosePartsDoNotFitTogetherIsDamaged() throws IOException {
        service.createSchema("s");
        service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        String newest = "catalog/00000000000000000002";
        String body = new String(store.readFully(newest), StandardCharsets.ISO_8859_1);
        String other = body.replace("\"nextTableId\":2", "\"nextTableId\":1");
        assertThat(other).isNotEqualTo(body);
        store.put(newest, withChecksum(other.getBytes(StandardCharsets.ISO_8859_1)));
        CatalogDamage damage = open(2).damage().orElseThrow();
        assertThat(damage.object()).isEqualTo(newest);
        assertThat(damage.refusal())
                .hasMessageContaining("Expected a new table id, found 1")
                .hasMessageContaining(newest);
    }

    @Test
    void namesThatNoVersionHasArePassedOver() throws IOException {
        service.createSchema("s");
        for (String name :
                List.of(
                        "99999999999999999999",
                        "09223372036854775807",
                        "x",
                        "0000000000000000000x")) {
            store.put("catalog/" + name, new byte[0]);
        }
        CatalogService opened = open(2);
        assertThat(opened.current().version()).isEqualTo(1);
        // Nor do ids run out because somebody gave such a thing up
        opened.own(10, List.of(2L, 1L << 40, Long.MAX_VALUE - 1));
        assertThat(opened.current().version()).isEqualTo(3);
        assertThat(opened.current().nextTableId()).isEqualTo(1_001);
    }

    private static byte[] withChecksum(byte[] frame) {
        CRC32C checksum = new CRC32C();
        int length = frame.length - Integer.BYTES;
        checksum.update(frame, 0, length);
        ByteBuffer.wrap(frame)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length, (int) checksum.getValue());
        return frame;
    }

    @Test
    void masterKeysThatAreWrongOrMissingAreNoDamage() throws IOException {
        Encryption both = TestKeys.encryption("new", "old");
        open(TestKeys.encryption("old").over(store)).createSchema("s");
        open(both.over(store)).createSchema("t");
        assertThat(open(both.over(store)).current().schemas()).containsExactly("s", "t");
        refuses(
                ErrorCode.CORRUPT_DATA,
                "Expected master key 'new', found only [old]",
                () -> open(TestKeys.encryption("old").over(store)));
        refuses(ErrorCode.CORRUPT_DATA, "no master keys", () -> open(Encryption.NONE.over(store)));

        // What does not look encrypted any more is damage where a version before is
        Encryption strict = Encryption.of(TestKeys.of("new", "old"), new Random(1), true);
        store.put("catalog/00000000000000000002", new byte[0]);
        assertThat(open(strict.over(store)).damage()).isPresent();
        store.put("catalog/00000000000000000001", new byte[0]);
        refuses(ErrorCode.CORRUPT_DATA, "refuse-plain", () -> open(strict.over(store)));
    }

    @Test
    void whatWasEncryptedForAnotherPlaceIsDamageIfItsMasterKeyFitsElsewhere() throws IOException {
        Encryption encryption = TestKeys.encryption("old");
        CatalogService encrypted = open(encryption.over(store));
        encrypted.createSchema("s");
        encrypted.createSchema("t");
        byte[] first = store.readFully("catalog/00000000000000000001");
        store.put("catalog/00000000000000000002", first);
        // Keys as another process has them, which have opened nothing yet
        CatalogDamage damage = open(TestKeys.encryption("old").over(store)).damage().orElseThrow();
        assertThat(damage.object()).isEqualTo("catalog/00000000000000000002");
        assertThat(damage.refusal()).hasMessageContaining("or the bytes were changed");
        store.put("catalog/00000000000000000001", new byte[0]);
        refuses(
                ErrorCode.CORRUPT_DATA,
                "is not the one that it was written with",
                () -> open(TestKeys.encryption("old").over(store)));
    }

    @Test
    void idsOfVersionsThatAreGivenUpAreNotGivenAgain() {
        service.createSchema("s");
        service.own(10, List.of());
        CatalogService older = open(2);
        older.own(11, List.of(3L, 5L, 4L));
        assertThat(older.current().version()).isEqualTo(6);
        TableSchema first = older.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        // Versions 3 to 5 may have had a start that left out ids itself, and tables after it
        CatalogService again = open(3);
        assertThat(again.current().version()).isEqualTo(7);
        again.own(12, List.of(3L, 5L, 4L));
        assertThat(again.current().version()).isEqualTo(8);
        TableSchema next = again.createTable(table("s", "b").build(), "", TableState.PUBLIC);
        assertThat(first.id().value()).isEqualTo(3_001);
        assertThat(next.id().value()).as("nothing is above").isEqualTo(3_002);
        // Both are given up: what comes then is above them, from the same version before
        CatalogEdit edit = new CatalogEdit(service.current(), Lsn.MIN, 13, 3_600_000);
        edit.passOver(List.of(9L));
        assertThat(edit.build().version()).isEqualTo(10);
        assertThat(edit.build().nextTableId()).isGreaterThan(next.id().value());
    }

    @Test
    void schemaVersionsAndIndexesOfVersionsThatAreGivenUpAreNotTakenForOthers() {
        service.createSchema("s");
        TableOptions indexed =
                TableOptions.NONE.withIndexes(
                        List.of(new IndexSchema(1, "by_v", List.of(2), true, false)));
        TableSchema before =
                service.createTable(
                        table("s", "a").build().withOptions(indexed), "", TableState.PUBLIC);
        assertThat(before.options().indexes()).allMatch(IndexSchema::ready);
        service.createTable(table("s", "other").build(), "", TableState.PUBLIC);
        Catalog known = service.current();
        TableSchema lost = before;
        for (int change = 0; change < 3; change++) {
            lost =
                    service.alterTable(
                            before.id(),
                            lost.schemaVersion(),
                            ColumnChange.rename(
                                    List.of(lost.columns().getLast().name()), "c" + change));
        }
        long newest = service.current().version();

        CatalogEdit edit = new CatalogEdit(known, Lsn.MIN, 13, 3_600_000);
        edit.passOver(List.of(newest));
        Catalog after = edit.build();
        TableEntry entry = after.findTable(before.id()).orElseThrow();
        TableSchema schema = entry.schema();
        assertThat(schema.schemaVersion()).isGreaterThan(lost.schemaVersion());
        assertThat(schema.columns()).isEqualTo(before.columns());
        assertThat(entry.history().columns(schema, before.schemaVersion()))
                .isEqualTo(before.columns());
        for (int version = before.schemaVersion() + 1;
                version < schema.schemaVersion();
                version++) {
            int given = version;
            refuses(
                    ErrorCode.CORRUPT_DATA,
                    "found " + given,
                    () -> entry.history().columns(schema, given));
        }
        // Rows may have come while the lost version had no such index
        IndexSchema index = schema.options().indexes().getFirst();
        assertThat(index.name()).isEqualTo("by_v");
        assertThat(index.unique()).isTrue();
        assertThat(index.ready()).isFalse();
        assertThat(index.id()).isNotEqualTo(before.options().indexes().getFirst().id());
    }

    @Test
    void anEngineThatIsAliveStillAndKnowsTheCatalogGoesOn() throws IOException {
        service.own(10, List.of());
        service.createSchema("s");
        String newest = "catalog/00000000000000000002";
        store.put(newest, new byte[0]);
        CatalogService second = open(2);
        second.own(11, List.of());
        refuses(ErrorCode.CORRUPT_DATA, newest, () -> second.createSchema("t"));
        service.createSchema("u");
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "restart the sidecar",
                () -> second.checkCanBeGivenUp(newest));
        CatalogService third = open(3);
        third.own(12, List.of());
        assertThat(third.current().schemas()).containsExactly("s", "u");
        assertThatThrownBy(() -> service.createSchema("too_late"))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("epoch 12");
    }

    private static CatalogService open(ObjectStore over) {
        return CatalogService.open(
                new CatalogStore(over, new UUID(0, 7)),
                3_600_000,
                () -> new Lsn(1),
                millis -> {},
                Assertions::fail);
    }

    @Test
    void goldenFile() throws IOException {
        service.createSchema("s");
        service.createTable(
                table("s", "a").comment("golden").shards(3).build(), "g", TableState.PUBLIC);
        service.createTable(table("s", "b").build(), "", TableState.STAGED);
        for (String golden : List.of("catalog-1", "catalog-2")) {
            ObjectStore other = new InMemoryObjectStore();
            other.put("catalog/00000000000000000003", Golden.load(golden));
            Catalog catalog = new CatalogStore(other, new UUID(0, 9)).loadLatest();
            assertThat(catalog.toSnapshot()).isEqualTo(undated(service.current()));
            assertThat(catalog.version()).isEqualTo(3);
        }
        TableSchema table = service.current().table("s", "a");
        service.alterTable(
                table.id(),
                1,
                ColumnChange.addColumn(
                        "place", DataType.parse("row(\"x\" integer)"), Optional.empty()));
        service.alterTable(
                table.id(),
                2,
                ColumnChange.addField(List.of("place"), "y", DataType.parse("integer")));
        service.alterTable(table.id(), 3, ColumnChange.drop(List.of("place", "x")));
        ObjectStore third = new InMemoryObjectStore();
        third.put("catalog/00000000000000000006", Golden.load("catalog-3"));
        assertThat(new CatalogStore(third, new UUID(0, 9)).loadLatest().toSnapshot())
                .isEqualTo(undated(service.current()));
        ObjectStore fifth = new InMemoryObjectStore();
        fifth.put("catalog/00000000000000000006", Golden.load("catalog-5"));
        assertThat(new CatalogStore(fifth, new UUID(0, 9)).loadLatest().toSnapshot())
                .isEqualTo(service.current().toSnapshot());
        DataType text = DataType.parse("varchar(9)");
        service.alterTable(
                table.id(),
                4,
                ColumnChange.addColumn("given", text, Optional.empty())
                        .withDefault(Optional.of("'before'"))
                        .withInitialValue(InitialRow.value(text, "before"))
                        .asNotNull());
        ObjectStore sixth = new InMemoryObjectStore();
        sixth.put("catalog/00000000000000000007", Golden.load("catalog-6"));
        assertThat(new CatalogStore(sixth, new UUID(0, 9)).loadLatest().toSnapshot())
                .isEqualTo(service.current().toSnapshot());
        service.own(0x1122334455667788L, List.of());
        Golden.check("catalog-7", store.readFully("catalog/00000000000000000008"));
        assertThat(open(2).current().toSnapshot()).isEqualTo(service.current().toSnapshot());
    }

    /** As catalogs were that did not say when their tables began and changed. */
    static CatalogSnapshot undated(Catalog catalog) {
        CatalogSnapshot snapshot = catalog.toSnapshot();
        List<TableEntry> tables = new ArrayList<>();
        for (TableEntry entry : snapshot.tables()) {
            SchemaHistory history = entry.history();
            tables.add(
                    new TableEntry(
                            entry.schema(),
                            entry.state(),
                            new SchemaHistory(
                                    history.nextColumnId(),
                                    history.earlier().stream()
                                            .map(
                                                    version ->
                                                            new SchemaHistory.Version(
                                                                    version.schemaVersion(),
                                                                    version.columns(),
                                                                    Optional.empty()))
                                            .toList(),
                                    Optional.empty())));
        }
        return new CatalogSnapshot(
                snapshot.schemas(),
                snapshot.tableGroups(),
                tables,
                snapshot.views(),
                snapshot.nextTableId(),
                snapshot.nextTableGroupId(),
                snapshot.epoch(),
                snapshot.givenUp(),
                snapshot.statements());
    }

    @Test
    void columnsChangeAndTheirHistoryIsKept() {
        service.createSchema("s");
        TableSchema first = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        TableSchema second =
                service.alterTable(
                        first.id(),
                        1,
                        ColumnChange.setType(List.of("amount"), DataType.parse("decimal(38,2)")));
        TableSchema third = service.alterTable(first.id(), 2, ColumnChange.drop(List.of("amount")));
        TableSchema fourth =
                service.alterTable(
                        first.id(),
                        3,
                        ColumnChange.addColumn(
                                "amount", DataType.parse("integer"), Optional.of("again")));
        assertThat(fourth.schemaVersion()).isEqualTo(4);
        assertThat(fourth.findColumn("amount").orElseThrow().id())
                .as("ids are never used twice")
                .isEqualTo(3);
        TableEntry entry = open(2).current().findTable(first.id()).orElseThrow();
        List<TableSchema> versions = List.of(first, second, third, fourth);
        for (TableSchema version : versions) {
            assertThat(entry.history().columns(entry.schema(), version.schemaVersion()))
                    .isEqualTo(version.columns());
        }
        refuses(
                ErrorCode.CORRUPT_DATA,
                "found 5",
                () -> entry.history().columns(entry.schema(), 5));
        refuses(
                ErrorCode.STALE_TABLE,
                "schema version 4",
                () -> service.alterTable(first.id(), 3, ColumnChange.drop(List.of("amount"))));
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "lower case",
                () ->
                        service.alterTable(
                                first.id(), 4, ColumnChange.rename(List.of("amount"), "Amount")));
        DataType text = DataType.parse("varchar(2)");
        refuses(
                ErrorCode.TYPE_MISMATCH,
                "3 characters",
                () ->
                        service.alterTable(
                                first.id(),
                                4,
                                ColumnChange.addColumn("given", text, Optional.empty())
                                        .withInitialValue(
                                                new InitialValue(
                                                        text,
                                                        InitialRow.value(
                                                                        DataType.parse("varchar"),
                                                                        "abc")
                                                                .row()))));
        service.renameTable(first.id(), "s", "b");
        assertThat(service.current().findTable(first.id()).orElseThrow().history())
                .isEqualTo(entry.history());
        TableId emptied = service.truncateTable(first.id()).id();
        assertThat(service.current().findTable(emptied).orElseThrow().history().earlier())
                .as("an empty table has no earlier rows")
                .isEmpty();
    }

    @Test
    void numberOfSchemaVersionsIsLimited() {
        service.createSchema("s");
        TableSchema table = service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        for (int version = 1; version < SchemaHistory.MAX_VERSIONS; version++) {
            table =
                    service.alterTable(
                            table.id(),
                            version,
                            ColumnChange.rename(
                                    List.of(table.columns().get(1).name()), "c" + version));
        }
        TableSchema last = table;
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "at most 1024 schema versions",
                () ->
                        service.alterTable(
                                last.id(),
                                last.schemaVersion(),
                                ColumnChange.rename(List.of("c1023"), "x")));
    }

    @Test
    void aStatementWaitsForItsOutcomeButNotForEver() {
        FaultInjectingObjectStore faulty =
                new FaultInjectingObjectStore(
                        CrashPoint.never(), StoreFaults.NONE, new SplittableRandom(1), nanos -> {});
        List<Long> pauses = new ArrayList<>();
        CatalogService waiting =
                CatalogService.open(
                        new CatalogStore(faulty, new UUID(0, 1)),
                        3_600_000,
                        () -> new Lsn(now),
                        millis -> {
                            now += millis << 16;
                            pauses.add(millis);
                            if (pauses.size() == 3) {
                                faulty.setFaults(StoreFaults.NONE);
                            }
                        },
                        Assertions::fail);
        faulty.setFaults(new StoreFaults(0, 1, 0, 0));
        waiting.createSchema("a");
        assertThat(waiting.isUnsettled()).isFalse();
        assertThat(waiting.current().schemas()).containsExactly("a");
        faulty.setFaults(StoreFaults.OUTAGE);
        refusesUnknown(() -> waiting.createSchema("b"));
        assertThat(pauses.stream().mapToLong(Long::longValue).sum()).isBetween(5_000L, 11_000L);
        assertThat(waiting.settle()).isFalse();
        assertThat(waiting.current().schemas()).containsExactly("a");
        faulty.setFaults(StoreFaults.NONE);
        assertThat(waiting.settle()).isTrue();
        assertThat(waiting.current().schemas()).containsExactly("a", "b");
    }

    @Test
    void aStatementThatIsSentAgainTakesEffectOnce() {
        UUID create = new UUID(1, 1);
        service.createSchema("s");
        TableSchema made = once(create, () -> create("s", "t"));
        assertThat(once(create, () -> create("s", "t")).id()).isEqualTo(made.id());
        refuses(
                ErrorCode.TABLE_ALREADY_EXISTS,
                "'s.t'",
                () -> once(new UUID(1, 2), () -> create("s", "t")));

        // Another process has it from the store
        service = open(2);
        assertThat(once(create, () -> create("s", "t")).id()).isEqualTo(made.id());
        UUID drop = new UUID(1, 3);
        for (int attempt = 0; attempt < 2; attempt++) {
            once(
                    drop,
                    () -> {
                        service.dropTable(service.current().table("s", "t").id());
                        return made;
                    });
        }
        assertThat(service.current().findTable("s", "t")).isEmpty();
        create("s", "t");
        once(drop, () -> fail("a second time"));
        assertThat(service.current().findTable("s", "t")).isPresent();
    }

    /** The first attempt goes on while the second one is there already. */
    @Test
    void anAttemptThatIsOvertakenFindsWhatTheOtherDid() {
        UUID drop = new UUID(1, 1);
        service.createSchema("s");
        TableSchema table = create("s", "t");
        once(
                drop,
                () -> {
                    once(
                            drop,
                            () -> {
                                service.dropTable(table.id());
                                return table;
                            });
                    service.current().table("s", "t"); // TABLE_NOT_FOUND by now
                    return fail("dropped");
                });
        UUID create = new UUID(1, 2);
        TableSchema again =
                once(
                        create,
                        () -> {
                            once(create, () -> create("s", "t"));
                            return create("s", "t");
                        });
        assertThat(service.current().table("s", "t").id()).isEqualTo(again.id());
    }

    @Test
    void theLastStatementsAreRemembered() {
        UUID first = new UUID(1, 0);
        for (int i = 0; i <= CatalogEdit.MIN_STATEMENTS; i++) {
            create(new UUID(1, i), "s" + i);
        }
        now += 600_000L << 16;
        create(first, "s0"); // not again
        create(new UUID(2, 0), "t"); // forgets none: the first is ten minutes old, and no older
        create(first, "s0");
        now += 1 << 16;
        create(new UUID(2, 1), "u");
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'s0'", () -> create(first, "s0"));
        create(new UUID(1, 3), "s3"); // three were old, and too many
        for (int i = 0; i < CatalogEdit.MAX_STATEMENTS; i++) {
            create(new UUID(3, i), "v" + i);
        }
        refuses(ErrorCode.SCHEMA_ALREADY_EXISTS, "'u'", () -> create(new UUID(2, 1), "u"));
    }

    @Test
    void aStatementWhoseStagedTableIsDroppedMakesItAnew() {
        service.createSchema("s");
        UUID id = new UUID(1, 1);
        TableSchema staged = once(id, () -> stage("t"));
        assertThat(once(id, () -> stage("t")).id()).isEqualTo(staged.id());
        service.dropStagedTables();
        assertThat(once(id, () -> stage("t")).id()).isNotEqualTo(staged.id());
    }

    private TableSchema stage(String tableName) {
        return service.createTable(table("s", tableName).build(), "", TableState.STAGED);
    }

    /** The store answers only after the statement has given up. */
    @Test
    void aStatementOfUnknownOutcomeIsFoundByItsId() {
        FaultInjectingObjectStore faulty =
                new FaultInjectingObjectStore(
                        CrashPoint.never(), StoreFaults.NONE, new SplittableRandom(1), nanos -> {});
        service = open(faulty, 1, Assertions::fail);
        faulty.setFaults(StoreFaults.OUTAGE);
        UUID id = new UUID(1, 1);
        refusesUnknown(() -> create(id, "a"));
        refuses(ErrorCode.BUSY, "has not answered yet", () -> create(id, "a"));
        faulty.setFaults(StoreFaults.NONE);
        create(id, "a");
        assertThat(service.current().schemas()).containsExactly("a");
    }

    private TableSchema create(String schemaName, String tableName) {
        return service.createTable(table(schemaName, tableName).build(), "", TableState.PUBLIC);
    }

    private void create(UUID id, String schemaName) {
        service.runOnce(
                id,
                () -> {
                    service.createSchema(schemaName);
                    return schemaName;
                },
                earlier -> schemaName);
    }

    private TableSchema once(UUID id, Supplier<TableSchema> statement) {
        return service.runOnce(
                id,
                statement,
                earlier ->
                        earlier.tableId()
                                .map(table -> service.current().table(table))
                                .orElse(null));
    }

    private static void refusesUnknown(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED))
                .hasMessageContaining("It is not known whether");
    }

    @Test
    void whoWasTakenOverChangesNothingAnyMore() {
        service.own(10, List.of());
        service.createSchema("of_the_first");
        CatalogService second = open(2);
        service.createSchema("meanwhile");
        second.own(11, List.of());
        assertThat(second.current().schemas()).containsExactly("meanwhile", "of_the_first");
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> service.createSchema("too_late"))
                    .isInstanceOfSatisfying(
                            SteleException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("owned in epoch 11");
        }
        for (int versions = 0; versions < 30; versions++) {
            second.createSchema("s" + versions);
        }
        CatalogService third = open(3);
        assertThat(third.current().schemas()).hasSize(32).doesNotContain("too_late");
        refuses(ErrorCode.UNAVAILABLE, "epoch 11", () -> third.own(11, List.of()));
    }

    @Test
    void aVersionThatWasDeletedIsNotCreatedAgain() {
        service.own(10, List.of());
        CatalogService second = open(2);
        second.own(11, List.of());
        for (int versions = 0; versions < 30; versions++) {
            second.createSchema("s" + versions);
        }
        // The next version of the first is long deleted, so that its name is free
        assertThatThrownBy(() -> service.createSchema("too_late"))
                .hasMessageContaining("owned in epoch 11");
    }

    private CatalogService open(long writer) {
        return open(store, writer, Assertions::fail);
    }

    private CatalogService open(ObjectStore over, long writer, Consumer<Throwable> failures) {
        return CatalogService.open(
                new CatalogStore(over, new UUID(0, writer)),
                3_600_000,
                () -> new Lsn(now),
                millis -> now += millis << 16,
                failures);
    }

    private static void refuses(ErrorCode code, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining("Expected")
                .hasMessageContaining("found")
                .hasMessageContaining(message);
    }

    private static TableBuilder table(String schemaName, String tableName) {
        return new TableBuilder(schemaName, tableName);
    }

    /** Definitions with a bigint key and a second column. */
    private static final class TableBuilder {
        private final String schemaName;
        private final String tableName;
        private List<Integer> primaryKey = List.of(1);
        private List<Integer> clusteringKey = List.of();
        private Orientation orientation = Orientation.COLUMN;
        private int shardCount = 1;
        private String secondColumn = "amount";
        private Optional<String> comment = Optional.empty();

        TableBuilder(String schemaName, String tableName) {
            this.schemaName = schemaName;
            this.tableName = tableName;
        }

        TableBuilder primaryKey(Integer... columnIds) {
            primaryKey = List.of(columnIds);
            return this;
        }

        TableBuilder clusteringKey(Integer... columnIds) {
            clusteringKey = List.of(columnIds);
            return this;
        }

        TableBuilder orientation(Orientation value) {
            orientation = value;
            return this;
        }

        TableBuilder shards(int count) {
            shardCount = count;
            return this;
        }

        TableBuilder column(String name) {
            secondColumn = name;
            return this;
        }

        TableBuilder comment(String text) {
            comment = Optional.of(text);
            return this;
        }

        TableSchema build() {
            return TableSchema.builder(schemaName, tableName)
                    .columns(
                            List.of(
                                    new ColumnSchema(1, "id", DataType.parse("bigint")).notNull(),
                                    new ColumnSchema(
                                            2, secondColumn, DataType.parse("decimal(12,2)"))))
                    .primaryKey(primaryKey)
                    .clusteringKey(clusteringKey)
                    .orientation(orientation)
                    .shardCount(shardCount)
                    .comment(comment)
                    .build();
        }
    }
}
