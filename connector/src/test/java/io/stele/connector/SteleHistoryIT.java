package io.stele.connector;

import static io.trino.spi.StandardErrorCode.INVALID_PROCEDURE_ARGUMENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.trino.testing.MaterializedRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What tables say of their past, and how it is forgotten. */
@ExtendWith(SteleCluster.Shared.class)
final class SteleHistoryIT {
    private final SteleCluster cluster;
    private final SteleQueries queries;

    SteleHistoryIT(SteleCluster cluster) {
        this.cluster = cluster;
        this.queries = new SteleQueries(cluster);
    }

    @Test
    void everySchemaVersionSaysWhatChanged() {
        String table = SteleQueries.newTable("history");
        queries.run(
                "CREATE TABLE %s (id bigint NOT NULL, a integer, r row(x integer, y varchar), list array(row(z integer)))"
                        .formatted(table));
        List<String> changes =
                List.of(
                        "ADD COLUMN b varchar",
                        "ALTER COLUMN a SET DATA TYPE bigint",
                        "RENAME COLUMN a TO c",
                        "DROP COLUMN b",
                        "ALTER COLUMN id DROP NOT NULL",
                        "ADD COLUMN r.w date",
                        "RENAME COLUMN r.x TO v",
                        "ALTER COLUMN r.v SET DATA TYPE bigint",
                        "DROP COLUMN r.y",
                        "ADD COLUMN list.element.u boolean");
        for (String change : changes) {
            queries.run("ALTER TABLE %s %s".formatted(table, change));
        }
        List<MaterializedRow> rows =
                queries.run(
                                "SELECT schema_version, change, is_readable, version, made_current_at FROM \"%s$history\" ORDER BY schema_version"
                                        .formatted(table))
                        .getMaterializedRows();
        assertThat(rows.getFirst().getField(1)).isEqualTo("CREATE TABLE");
        assertThat(rows.stream().skip(1).map(row -> row.getField(1)).toList()).isEqualTo(changes);
        assertThat(rows).allMatch(row -> row.getField(2).equals(true));
        assertThat(rows.stream().map(row -> (long) row.getField(3)).toList()).isSorted();
        // Each is a moment that a reader may name
        assertThat(
                        queries.run(
                                        "SELECT * FROM %s FOR VERSION AS OF %s"
                                                .formatted(table, rows.get(2).getField(3)))
                                .getRowCount())
                .isZero();
    }

    @Test
    void snapshotsCanBeRead() {
        SidecarFixture own =
                cluster.newSidecar("snapshots", Map.of("stele.write.direct-threshold", "0B"));
        try {
            queries.run("CREATE TABLE snapshots.s.t (id bigint)");
            queries.update("INSERT INTO snapshots.s.t VALUES 1, 2, 3");
            queries.update("INSERT INTO snapshots.s.t VALUES 4, 5");
            queries.run("ALTER TABLE snapshots.s.t ADD COLUMN v bigint");
            List<MaterializedRow> rows =
                    queries.run(
                                    "SELECT version, operation, added_records, added_files FROM snapshots.s.\"t$snapshots\" ORDER BY version")
                            .getMaterializedRows();
            assertThat(rows.stream().map(row -> row.getField(1) + " " + row.getField(2)).toList())
                    .containsSubsequence("oldest 0", "write 3", "write 2", "alter 0");
            for (MaterializedRow row : rows) {
                long expected =
                        rows.stream()
                                .filter(one -> (long) one.getField(0) <= (long) row.getField(0))
                                .mapToLong(one -> (long) one.getField(2))
                                .sum();
                assertThat(
                                queries.count(
                                        "SELECT count(*) FROM snapshots.s.t FOR VERSION AS OF "
                                                + row.getField(0)))
                        .as("%s", row)
                        .isEqualTo(expected);
            }
        } finally {
            queries.run("DROP CATALOG snapshots");
            own.close();
        }
    }

    @Test
    void historyIsForgottenOnRequest() {
        String table = SteleQueries.newTable("history");
        queries.run(
                "CREATE TABLE %s (id bigint, v bigint) WITH (primary_key = ARRAY['id'])"
                        .formatted(table));
        queries.update("INSERT INTO %s VALUES (1, 1)".formatted(table));
        long lsn = (long) queries.value("SELECT max(\"$lsn\") FROM " + table);
        queries.update("INSERT INTO %s VALUES (1, 2)".formatted(table));
        String past = "SELECT v FROM %s FOR VERSION AS OF %s".formatted(table, lsn);
        assertThat(queries.value(past)).isEqualTo(1L);

        String expire = "ALTER TABLE %s EXECUTE expire_snapshots(retention_threshold => '%s')";
        queries.run(expire.formatted(table, "10m"));
        queries.run("ALTER TABLE %s EXECUTE expire_snapshots".formatted(table));
        assertThat(queries.value(past)).isEqualTo(1L);
        queries.assertFails(
                expire.formatted(table, "9m"),
                INVALID_PROCEDURE_ARGUMENT,
                "Retention specified (9.00m) is shorter than the minimum retention configured in the system (10.00m)");

        cluster.runner()
                .execute(
                        queries.with("expire_snapshots_min_retention", "0s"),
                        expire.formatted(table, "0s"));
        assertThat(queries.failure(past))
                .hasMessageContaining("the end of the retained history of table s." + table);
        assertThat(queries.value("SELECT v FROM " + table)).isEqualTo(2L);
        assertThat(
                        queries.column(
                                "SELECT DISTINCT is_readable FROM \"%s$history\"".formatted(table)))
                .containsExactly("false");
    }

    @Test
    void filesThatBelongToNothingAreRemovedOnRequest() throws IOException {
        String table = SteleQueries.newTable("orphans");
        queries.run("CREATE TABLE %s AS SELECT BIGINT '1' id".formatted(table));
        cluster.sidecar().flush("s", table);
        String path = (String) queries.value("SELECT \"$path\" FROM " + table);
        Path file =
                cluster.sidecar().dataFiles().stream()
                        .filter(found -> found.endsWith(path))
                        .findFirst()
                        .orElseThrow();
        List<Path> old = new ArrayList<>();
        for (String name : List.of("1-2.orc", "1-2.idx", "1-3_w.orc", "anything")) {
            old.add(Files.write(file.resolveSibling(name), new byte[] {1}));
        }
        FileTime eightDaysAgo = FileTime.from(Instant.now().minus(Duration.ofDays(8)));
        for (Path any : List.of(file, old.get(0), old.get(1), old.get(2), old.get(3))) {
            Files.setLastModifiedTime(any, eightDaysAgo);
        }
        Path young = Files.write(file.resolveSibling("1-4.orc"), new byte[] {1});

        String remove = "ALTER TABLE %s EXECUTE remove_orphan_files".formatted(table);
        assertThat(queries.run(remove).getMaterializedRows())
                .extracting(MaterializedRow::getFields)
                .containsExactly(List.of("deleted_files_count", 4L));
        assertThat(old).noneMatch(Files::exists);
        assertThat(List.of(file, young)).allMatch(Files::exists);
        queries.assertFails(
                remove + "(retention_threshold => '6d')",
                INVALID_PROCEDURE_ARGUMENT,
                "Retention specified (6.00d) is shorter than the minimum retention configured in the system (7.00d)");
        cluster.runner()
                .execute(
                        queries.with("remove_orphan_files_min_retention", "0s"),
                        remove + "(retention_threshold => '0s')");
        assertThat(young).doesNotExist();
        assertThat(queries.value("SELECT id FROM " + table)).isEqualTo(1L);
    }
}
