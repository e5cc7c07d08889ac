package io.stele.engine.catalog;

import static io.stele.engine.catalog.CatalogFixture.refuses;
import static io.stele.engine.catalog.CatalogFixture.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.objectstore.ByteFlips;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.encryption.Encryption;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.SchemaHistory;
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
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The files of a catalog: golden ones, damaged or given up ones, and encrypted ones. */
final class TestCatalogFiles {
    private final CatalogFixture catalogs = new CatalogFixture();
    private final ObjectStore store = catalogs.store();
    private final CatalogService service = catalogs.open(1);

    @Test
    void everyDamagedByteIsNoticed() throws Exception {
        service.createSchema("s");
        service.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        ByteFlips.everyFlipIsRefused(
                store,
                "catalog/00000000000000000002",
                path -> {
                    CatalogService opened = catalogs.open(4);
                    if (opened.damage().isEmpty()) {
                        return;
                    }
                    assertThat(opened.damage().get().object()).isEqualTo(path);
                    opened.own(10, List.of());
                    assertThat(store.list("catalog/")).hasSize(2);
                    opened.createSchema("refused");
                });
        assertThat(catalogs.open(4).damage()).isEmpty();
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
        CatalogService opened = catalogs.open(2);
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
        CatalogDamage damage = catalogs.open(2).damage().orElseThrow();
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
        CatalogService opened = catalogs.open(2);
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
        CatalogFixture.open(TestKeys.encryption("old").over(store)).createSchema("s");
        CatalogFixture.open(both.over(store)).createSchema("t");
        assertThat(CatalogFixture.open(both.over(store)).current().schemas())
                .containsExactly("s", "t");
        refuses(
                ErrorCode.CORRUPT_DATA,
                "Expected master key 'new', found only [old]",
                () -> CatalogFixture.open(TestKeys.encryption("old").over(store)));
        refuses(
                ErrorCode.CORRUPT_DATA,
                "no master keys",
                () -> CatalogFixture.open(Encryption.NONE.over(store)));

        // What does not look encrypted any more is damage where a version before is
        Encryption strict = Encryption.of(TestKeys.of("new", "old"), new Random(1), true);
        store.put("catalog/00000000000000000002", new byte[0]);
        assertThat(CatalogFixture.open(strict.over(store)).damage()).isPresent();
        store.put("catalog/00000000000000000001", new byte[0]);
        refuses(
                ErrorCode.CORRUPT_DATA,
                "refuse-plain",
                () -> CatalogFixture.open(strict.over(store)));
    }

    @Test
    void whatWasEncryptedForAnotherPlaceIsDamageIfItsMasterKeyFitsElsewhere() throws IOException {
        Encryption encryption = TestKeys.encryption("old");
        CatalogService encrypted = CatalogFixture.open(encryption.over(store));
        encrypted.createSchema("s");
        encrypted.createSchema("t");
        byte[] first = store.readFully("catalog/00000000000000000001");
        store.put("catalog/00000000000000000002", first);
        // Keys as another process has them, which have opened nothing yet
        CatalogDamage damage =
                CatalogFixture.open(TestKeys.encryption("old").over(store)).damage().orElseThrow();
        assertThat(damage.object()).isEqualTo("catalog/00000000000000000002");
        assertThat(damage.refusal()).hasMessageContaining("or the bytes were changed");
        store.put("catalog/00000000000000000001", new byte[0]);
        refuses(
                ErrorCode.CORRUPT_DATA,
                "is not the one that it was written with",
                () -> CatalogFixture.open(TestKeys.encryption("old").over(store)));
    }

    @Test
    void idsOfVersionsThatAreGivenUpAreNotGivenAgain() {
        service.createSchema("s");
        service.own(10, List.of());
        CatalogService older = catalogs.open(2);
        older.own(11, List.of(3L, 5L, 4L));
        assertThat(older.current().version()).isEqualTo(6);
        TableSchema first = older.createTable(table("s", "a").build(), "", TableState.PUBLIC);
        // Versions 3 to 5 may have had a start that left out ids itself, and tables after it
        CatalogService again = catalogs.open(3);
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
        CatalogService second = catalogs.open(2);
        second.own(11, List.of());
        refuses(ErrorCode.CORRUPT_DATA, newest, () -> second.createSchema("t"));
        service.createSchema("u");
        refuses(
                ErrorCode.INVALID_ARGUMENT,
                "restart the sidecar",
                () -> second.checkCanBeGivenUp(newest));
        CatalogService third = catalogs.open(3);
        third.own(12, List.of());
        assertThat(third.current().schemas()).containsExactly("s", "u");
        assertThatThrownBy(() -> service.createSchema("too_late"))
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("epoch 12");
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
        assertThat(catalogs.open(2).current().toSnapshot())
                .isEqualTo(service.current().toSnapshot());
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
}
