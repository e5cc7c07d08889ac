package io.stele.paimon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.trino.testing.MaterializedResult;
import io.trino.testing.QueryRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.Split;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The procedures, each seen by the next query. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PaimonProceduresIT {
    private Path folder;
    private TestingLake lake;
    private QueryRunner trino;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        this.folder = folder;
        lake = new TestingLake(folder);
        trino = TestingTrino.over(folder, 0, Map.of("stele.paimon.snapshot.max-staleness", "1h"));
        query("CREATE SCHEMA d");
    }

    @AfterAll
    void stop() throws Exception {
        trino.close();
        lake.close();
    }

    private MaterializedResult query(String sql) {
        return trino.execute(sql);
    }

    private long count(String table) {
        return (long) query("SELECT count(*) FROM " + table).getOnlyValue();
    }

    private int files(String table) throws Exception {
        int files = 0;
        FileStoreTable found = lake.table("d", table);
        for (Split split : found.newReadBuilder().newScan().plan().splits()) {
            files += ((DataSplit) split).dataFiles().size();
        }
        return files;
    }

    private void create(String table, String properties) {
        query(
                "CREATE TABLE %s (id bigint, x varchar) WITH (options = ARRAY['write-only=true']%s)"
                        .formatted(table, properties));
        for (int i = 0; i < 4; i++) {
            query("INSERT INTO %s VALUES (%s, 'a'), (%s, 'b')".formatted(table, i, i + 1));
        }
    }

    @Test
    void compaction() throws Exception {
        for (Map.Entry<String, String> kind :
                Map.of(
                                "plain", "",
                                "bucketed", ", bucket = 1, bucket_key = ARRAY['id']",
                                "keyed", ", bucket = 1, primary_key = ARRAY['id']",
                                "dynamic", ", primary_key = ARRAY['id']")
                        .entrySet()) {
            String table = "compacted_" + kind.getKey();
            create(table, kind.getValue());
            long rows = count(table);
            assertThat(files(table)).as(table).isEqualTo(4);
            query("CALL system.compact(schema_name => 'd', table_name => '%s')".formatted(table));
            assertThat(files(table)).as(table).isEqualTo(1);
            assertThat(count(table)).isEqualTo(rows);
            assertThat(Texts.rows(query("SELECT * FROM " + table)))
                    .containsExactlyInAnyOrderElementsOf(TestingLake.rows(lake.table("d", table)));
            // There is nothing left to do
            query("CALL system.compact('d', '%s')".formatted(table));
            assertThat(count(table)).isEqualTo(rows);
        }
    }

    @Test
    void tagsAndBranches() {
        create("tagged", ", bucket = 1, primary_key = ARRAY['id']");
        query("CALL system.create_tag('d', 'tagged', 'second', 2)");
        query(
                "CALL system.create_tag(schema_name => 'd', table_name => 'tagged', tag_name =>"
                        + " 'latest')");
        assertThat(count("tagged FOR VERSION AS OF 'second'")).isEqualTo(3);
        assertThat(count("tagged FOR VERSION AS OF 'latest'")).isEqualTo(5);
        query("CALL system.create_branch('d', 'tagged', 'side', 'second')");
        query("CALL system.create_branch('d', 'tagged', 'bare')");
        assertThat(count("\"tagged$branch_side\"")).isEqualTo(3);
        assertThat(count("\"tagged$branch_bare\"")).isEqualTo(0);
        query("INSERT INTO \"tagged$branch_side\" VALUES (100, 'on the branch')");
        assertThat(count("\"tagged$branch_side\"")).isEqualTo(4);
        assertThat(count("tagged")).isEqualTo(5);
        query("CALL system.fast_forward('d', 'tagged', 'side')");
        assertThat(count("tagged")).isEqualTo(4);
        query("CALL system.delete_branch('d', 'tagged', 'side')");
        assertThatThrownBy(() -> count("\"tagged$branch_side\""))
                .hasMessageContaining("does not exist");
        query("CALL system.delete_tag('d', 'tagged', 'second')");
        assertThatThrownBy(() -> count("tagged FOR VERSION AS OF 'second'"))
                .hasMessageContaining("which it does not have");
        for (Map.Entry<String, String> wrong :
                Map.of(
                                "create_tag('d', 'tagged', '7')", "not a number",
                                "create_tag('d', 'tagged', '../x')", "Expected a name of a tag",
                                "create_tag('d', 'tagged', 'x', 77)",
                                        "Expected a snapshot of d.tagged from",
                                "delete_tag('d', 'tagged', 'none')",
                                        "Expected a tag of d.tagged, found 'none'",
                                "create_branch('d', 'tagged', 'bare')",
                                        "that d.tagged does not have, found 'bare'",
                                "delete_branch('d', 'tagged', 'none')",
                                        "Expected a branch of d.tagged, found 'none'",
                                "fast_forward('d', 'tagged', 'none')",
                                        "Expected a branch of d.tagged, found 'none'",
                                "compact('d', 'none')", "not found",
                                "compact('d', 'tagged$snapshots')", "found the system table")
                        .entrySet()) {
            assertThatThrownBy(() -> query("CALL system." + wrong.getKey()))
                    .as(wrong.getKey())
                    .hasMessageContaining(wrong.getValue());
        }
    }

    @Test
    void rollbacks() {
        create("rolled", ", bucket = 1, primary_key = ARRAY['id']");
        assertThat(count("rolled")).isEqualTo(5);
        query("CALL system.create_tag('d', 'rolled', 'second', 2)");
        query("CALL system.rollback_to('d', 'rolled', 3)");
        assertThat(count("rolled")).isEqualTo(4);
        query(
                "CALL system.rollback_to(schema_name => 'd', table_name => 'rolled', tag_name =>"
                        + " 'second')");
        assertThat(count("rolled")).isEqualTo(3);
        query("INSERT INTO rolled VALUES (50, 'after')");
        assertThat(count("rolled")).isEqualTo(4);
        assertThatThrownBy(() -> query("CALL system.rollback_to('d', 'rolled')"))
                .hasMessageContaining("Expected either snapshot_id or tag_name");
        assertThatThrownBy(() -> query("CALL system.rollback_to('d', 'rolled', 99)"))
                .hasMessageContaining("Expected a snapshot of d.rolled from 1 to 3, found 99");
    }

    @Test
    void expiry() throws Exception {
        create("expired", "");
        assertThat(count("expired FOR VERSION AS OF 1")).isEqualTo(2);
        query(
                "CALL system.expire_snapshots(schema_name => 'd', table_name => 'expired',"
                        + " retain_max => 1, retain_min => 1, retention_threshold => '0s')");
        assertThat(lake.table("d", "expired").snapshotManager().earliestSnapshotId()).isEqualTo(4);
        assertThatThrownBy(() -> count("expired FOR VERSION AS OF 1"))
                .hasMessageContaining("Expected a snapshot of expired from 4 to 4, found 1");
        assertThat(count("expired")).isEqualTo(8);
        for (String wrong :
                List.of(
                        "retain_max => 0",
                        "retain_max => 1, retain_min => 2",
                        "retention_threshold => 'soon'")) {
            assertThatThrownBy(
                            () ->
                                    query(
                                            "CALL system.expire_snapshots(schema_name => 'd', table_name => 'expired', %s)"
                                                    .formatted(wrong)))
                    .as(wrong)
                    .hasMessageContaining("Expected");
        }
    }

    @Test
    void orphans() throws Exception {
        create("orphaned", "");
        Path bucket = folder.resolve("d.db").resolve("orphaned").resolve("bucket-0");
        Path old = Files.writeString(bucket.resolve("data-old-0.parquet"), "left");
        Path young = Files.writeString(bucket.resolve("data-young-0.parquet"), "being written");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(3))));
        query("CALL system.remove_orphan_files('d', 'orphaned')");
        assertThat(old).doesNotExist();
        assertThat(young).exists();
        assertThat(count("orphaned")).isEqualTo(8);
        assertThatThrownBy(() -> query("CALL system.remove_orphan_files('d', 'orphaned', '1m')"))
                .hasMessageContaining("Expected a retention_threshold of an hour or more");
    }
}
