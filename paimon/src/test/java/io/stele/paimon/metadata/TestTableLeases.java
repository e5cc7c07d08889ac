package io.stele.paimon.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.TestingLake;
import io.stele.paimon.lease.LeaseOptions;
import io.stele.paimon.lease.ManualChecks;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.SchemaTableName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestTableLeases {
    private static final SchemaTableName NAME = new SchemaTableName("d", "t");
    private static final Identifier IDENTIFIER = Identifier.create("d", "t");
    private static final Duration BOUND = Duration.ofMillis(200);

    @TempDir Path folder;

    private final ManualChecks checks = new ManualChecks();
    private TestingLake lake;
    private TableLeases leases;

    @BeforeEach
    void create() throws Exception {
        lake = new TestingLake(folder);
        lake.create("d", "t", schema("first"));
        leases =
                new TableLeases(
                        new TableNames(lake::catalog),
                        true,
                        new LeaseOptions(BOUND, BOUND),
                        checks,
                        Runnable::run,
                        checks::nanos);
    }

    @AfterEach
    void close() throws Exception {
        leases.close();
        lake.close();
    }

    private static Schema schema(String column) {
        return Schema.newBuilder().column(column, DataTypes.INT()).build();
    }

    private Optional<String> lastColumn(Duration maxStaleness) {
        return leases.find(NAME, maxStaleness)
                .map(table -> table.rowType().getFieldNames().getLast());
    }

    private void addColumn(String name) throws Exception {
        lake.catalog().alterTable(IDENTIFIER, SchemaChange.addColumn(name, DataTypes.INT()), false);
    }

    private void pass(Duration time) {
        checks.passWithoutChecks(time);
    }

    @Test
    void aChangeIsSeenWithinTheBound() throws Exception {
        assertThat(lastColumn(BOUND)).contains("first");
        addColumn("second");
        assertThat(lastColumn(BOUND)).as("still within the bound").contains("first");
        assertThat(lastColumn(Duration.ZERO)).contains("second");
        addColumn("third");
        pass(BOUND.plusNanos(1));
        assertThat(lastColumn(BOUND)).contains("third");
    }

    @Test
    void checksInTheBackgroundProlongTheLease() throws Exception {
        Table found = leases.find(NAME, BOUND).orElseThrow();
        checks.pass(BOUND.multipliedBy(5));
        // Without a request: there is nothing to ask any more
        Files.move(folder.resolve("d.db"), folder.resolve("away"));
        assertThat(leases.find(NAME, BOUND)).containsSame(found);
    }

    @Test
    void checksInTheBackgroundSeeChanges() throws Exception {
        assertThat(lastColumn(BOUND)).contains("first");
        addColumn("second");
        check();
        assertThat(lastColumn(BOUND)).contains("second");
    }

    @Test
    void aDroppedTableIsGone() throws Exception {
        assertThat(lastColumn(BOUND)).contains("first");
        lake.catalog().dropTable(IDENTIFIER, false);
        pass(BOUND.plusNanos(1));
        assertThat(lastColumn(BOUND)).isEmpty();
        lake.create("d", "t", schema("again"));
        assertThat(lastColumn(BOUND)).contains("again");
    }

    @Test
    void aTableThatReplacesAnotherIsSeen() throws Exception {
        assertThat(lastColumn(BOUND)).contains("first");
        lake.catalog().dropTable(IDENTIFIER, false);
        lake.create("d", "t", schema("other"));
        check();
        assertThat(lastColumn(BOUND)).contains("other");
    }

    @Test
    void aFailedCheckProlongsNothing() throws Exception {
        assertThat(lastColumn(BOUND)).contains("first");
        Path schema = folder.resolve("d.db/t/schema/schema-0");
        Files.writeString(schema, "no schema");
        check();
        assertThat(lastColumn(BOUND)).contains("first");
        pass(BOUND.plusNanos(1));
        assertThatThrownBy(() -> lastColumn(BOUND))
                .isInstanceOf(TrinoException.class)
                .hasMessageContaining("Cannot read the schema of");
    }

    @Test
    void aTableThatNobodyUsesIsNotChecked() {
        assertThat(lastColumn(BOUND)).contains("first");
        checks.pass(Duration.ofMinutes(2));
        assertThat(checks.hasTasks()).isFalse();
    }

    /** At least one check of each table in the background. */
    private void check() {
        checks.pass(BOUND.minusMillis(1));
    }

    @Test
    void aChangeByThisNodeIsSeenAtOnce() throws Exception {
        assertThat(lastColumn(BOUND)).contains("first");
        addColumn("second");
        assertThat(lastColumn(BOUND)).contains("first");
        leases.forget(NAME);
        assertThat(lastColumn(BOUND)).contains("second");
        lake.catalog().dropTable(IDENTIFIER, false);
        leases.forgetSchema("d");
        assertThat(lastColumn(BOUND)).isEmpty();
    }
}
