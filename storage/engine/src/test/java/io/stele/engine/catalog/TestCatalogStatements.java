package io.stele.engine.catalog;

import static io.stele.engine.catalog.CatalogFixture.refuses;
import static io.stele.engine.catalog.CatalogFixture.refusesUnknown;
import static io.stele.engine.catalog.CatalogFixture.table;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** Statements with an id: repeated, of unknown outcome, and remembered. */
final class TestCatalogStatements {
    private final CatalogFixture catalogs = new CatalogFixture();
    private CatalogService service = catalogs.open(1);

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
                        () -> new Lsn(catalogs.now()),
                        millis -> {
                            catalogs.advance(millis);
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
        service = catalogs.open(2);
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
        catalogs.advance(600_000);
        create(first, "s0"); // not again
        create(new UUID(2, 0), "t"); // forgets none: the first is ten minutes old, and no older
        create(first, "s0");
        catalogs.advance(1);
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
        service = catalogs.open(faulty, 1, Assertions::fail);
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
}
