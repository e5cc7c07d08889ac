package io.stele.paimon.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.paimon.TestingLake;
import io.stele.paimon.error.PaimonErrorCode;
import io.stele.paimon.write.FaultyLakeFiles.Fault;
import io.trino.spi.StandardErrorCode;
import io.trino.spi.TrinoException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.CatalogEnvironment;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.table.sink.CommitMessage;
import org.apache.paimon.types.DataTypes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits through a store whose answers are lost: each takes place once, or not at all. */
final class TestTableCommits {
    @TempDir Path folder;

    private final FaultyLakeFiles files = new FaultyLakeFiles();
    private final AtomicLong clock = new AtomicLong();
    private final TableCommits commits =
            new TableCommits(clock::get, millis -> clock.addAndGet(millis * 1_000_000));
    private FileStoreTable table;

    @BeforeEach
    void create() throws Exception {
        table = create("t", Schema.newBuilder().column("id", DataTypes.BIGINT()).build());
    }

    private FileStoreTable create(String name, Schema schema) throws Exception {
        org.apache.paimon.fs.Path location =
                new org.apache.paimon.fs.Path(folder.resolve(name).toString());
        TableSchema created = new SchemaManager(files, location).createTable(schema);
        return FileStoreTableFactory.createWithoutFallbackBranch(
                files,
                location,
                created,
                new org.apache.paimon.options.Options(),
                CatalogEnvironment.empty());
    }

    private List<CommitMessage> write(FileStoreTable to, long... ids) throws Exception {
        PaimonTableWriter writer =
                new PaimonTableWriter(
                        to,
                        UUID.randomUUID().toString(),
                        false,
                        IOManager.create(folder.resolve("spill").toString()),
                        1 << 20);
        for (long id : ids) {
            writer.write(GenericRow.of(id));
        }
        return writer.finish();
    }

    private OptionalLong commit(
            FileStoreTable to, String user, Optional<ReadSnapshot> read, long... ids)
            throws Exception {
        return commits.commitMessages(to, user, write(to, ids), false, read).snapshotId();
    }

    private OptionalLong commit(long... ids) throws Exception {
        return commit(table, UUID.randomUUID().toString(), Optional.empty(), ids);
    }

    private List<String> dataFiles(String name) throws Exception {
        try (Stream<Path> found = Files.walk(folder.resolve(name))) {
            return found.filter(Files::isRegularFile)
                    .filter(file -> file.getParent().getFileName().toString().startsWith("bucket-"))
                    .map(Path::toString)
                    .toList();
        }
    }

    @Test
    void anAnswerThatIsLostIsFoundAgain() throws Exception {
        commit(1);
        files.fail("snapshot-2", Fault.AFTER, 1);
        assertThat(commit(2)).hasValue(2);
        assertThat(files.faultsLeft()).isZero();
        assertThat(table.snapshotManager().latestSnapshotId()).isEqualTo(2);
        assertThat(TestingLake.rows(table)).containsExactlyInAnyOrder("[1]", "[2]");
    }

    @Test
    void anAnswerIsFoundBehindCommitsOfOthers() throws Exception {
        commit(1);
        List<CommitMessage> other = write(table, 3);
        files.fail("snapshot-2", Fault.LATE, 1);
        TableCommits withOther =
                new TableCommits(
                        clock::get,
                        millis -> {
                            // After it was looked for
                            files.arrive();
                            commits.commitMessages(table, "other", other, false, Optional.empty());
                        });
        assertThat(
                        withOther
                                .commitMessages(
                                        table, "mine", write(table, 2), false, Optional.empty())
                                .snapshotId())
                .hasValue(2);
        assertThat(TestingLake.rows(table)).containsExactlyInAnyOrder("[1]", "[2]", "[3]");
    }

    @Test
    void aFailureBeforeTheSnapshotIsRepeated() throws Exception {
        files.fail("snapshot-1", Fault.BEFORE, 3);
        assertThat(commit(1)).hasValue(1);
        assertThat(TestingLake.rows(table)).containsExactly("[1]");
    }

    @Test
    void aDefiniteFailureLeavesNoFiles() throws Exception {
        commit(1);
        List<String> before = dataFiles("t");
        files.fail("manifest", Fault.BEFORE, 1_000);
        assertThatThrownBy(() -> commit(2))
                .isInstanceOfSatisfying(
                        TrinoException.class,
                        e ->
                                assertThat(e.getErrorCode())
                                        .isEqualTo(
                                                PaimonErrorCode.PAIMON_STORE_ERROR.toErrorCode()));
        files.fail("", Fault.BEFORE, 0);
        assertThat(dataFiles("t")).isEqualTo(before);
        assertThat(TestingLake.rows(table)).containsExactly("[1]");
    }

    @Test
    void anOutcomeThatStaysUnknownIsSaidToBe() throws Exception {
        commit(1);
        files.fail("snapshot-2", Fault.BEFORE, 1_000);
        assertThatThrownBy(() -> commit(2))
                .isInstanceOfSatisfying(
                        TrinoException.class,
                        e ->
                                assertThat(e.getErrorCode())
                                        .isEqualTo(
                                                PaimonErrorCode.PAIMON_COMMIT_UNKNOWN
                                                        .toErrorCode()))
                .hasMessageContaining("a snapshot of commit user");
        files.fail("", Fault.BEFORE, 0);
        // The snapshot may still arrive, and would need them
        assertThat(dataFiles("t")).hasSize(2);
    }

    @Test
    void othersMayCommitFirst() throws Exception {
        List<CommitMessage> other = write(table, 7);
        files.beforeSnapshots(
                () -> commits.commitMessages(table, "other", other, false, Optional.empty()));
        assertThat(commit(8)).hasValue(2);
        assertThat(TestingLake.rows(table)).containsExactlyInAnyOrder("[7]", "[8]");
    }

    @Test
    void aChangeOfWhatWasReadIsAConflict() throws Exception {
        FileStoreTable keyed =
                create(
                        "keyed",
                        Schema.newBuilder()
                                .column("id", DataTypes.BIGINT())
                                .primaryKey("id")
                                .option("bucket", "2")
                                .build());
        commit(keyed, "first", Optional.empty(), 1, 2, 3, 4, 5, 6);
        List<String> before = dataFiles("keyed");
        List<CommitMessage> other = write(keyed, 1);
        files.beforeSnapshots(
                () -> commits.commitMessages(keyed, "other", other, false, Optional.empty()));
        assertThatThrownBy(() -> commit(keyed, "mine", read(keyed, 1), 1))
                .isInstanceOfSatisfying(
                        TrinoException.class,
                        e ->
                                assertThat(e.getErrorCode())
                                        .isEqualTo(
                                                StandardErrorCode.TRANSACTION_CONFLICT
                                                        .toErrorCode()));
        assertThat(dataFiles("keyed")).hasSize(before.size() + 1);
        // In another bucket nothing has changed
        long elsewhere = elsewhere(keyed, 1);
        assertThat(commit(keyed, "third", read(keyed, 1), elsewhere)).isPresent();
    }

    private static Optional<ReadSnapshot> read(FileStoreTable from, long id) {
        long millis = from.snapshotManager().snapshot(id).timeMillis();
        return Optional.of(new ReadSnapshot(id, OptionalLong.of(millis), true));
    }

    private static void assertConflict(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        TrinoException.class,
                        e ->
                                assertThat(e.getErrorCode())
                                        .isEqualTo(
                                                StandardErrorCode.TRANSACTION_CONFLICT
                                                        .toErrorCode()))
                .hasMessageContaining(message);
    }

    /** A snapshot of an attempt that was given up, and looked for in vain. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anAttemptThatArrivesLateIsNoSecondCommit(boolean overwrite) throws Exception {
        commit(1);
        files.fail("snapshot-2", Fault.LATE, 1);
        TableCommits later = new TableCommits(clock::get, millis -> files.arrive());
        assertThat(
                        later.commitMessages(
                                        table, "mine", write(table, 2), overwrite, Optional.empty())
                                .snapshotId())
                .hasValue(2);
        assertThat(table.snapshotManager().latestSnapshotId()).isEqualTo(2);
        assertThat(TestingLake.rows(table))
                .containsExactlyInAnyOrderElementsOf(
                        overwrite ? List.of("[2]") : List.of("[1]", "[2]"));
    }

    @Test
    void aRefusalIsDefinite() throws Exception {
        commit(1);
        long start = clock.get();
        files.fail("snapshot-2", Fault.REFUSED, 1_000);
        assertThatThrownBy(() -> commit(2))
                .isInstanceOfSatisfying(
                        TrinoException.class,
                        e ->
                                assertThat(e.getErrorCode())
                                        .isEqualTo(
                                                PaimonErrorCode.PAIMON_STORE_ERROR.toErrorCode()));
        assertThat(clock.get()).isEqualTo(start);
        assertThat(dataFiles("t")).hasSize(1);
    }

    @Test
    void aRollbackOfWhatWasReadIsAConflict() throws Exception {
        FileStoreTable keyed = create("keyed", keyed().build());
        commit(keyed, "first", Optional.empty(), 1, 2, 3);
        commit(keyed, "second", Optional.empty(), 4);
        Optional<ReadSnapshot> read = read(keyed, 2);
        keyed.rollbackTo(1);
        assertConflict(() -> commit(keyed, "mine", read, 1), "rolled back to snapshot 1");
        long millis = read.orElseThrow().millis().orElseThrow();
        while (System.currentTimeMillis() == millis) {
            Thread.onSpinWait();
        }
        commit(keyed, "other", Optional.empty(), 5);
        assertConflict(() -> commit(keyed, "mine", read, 1), "another snapshot 2");
    }

    private static Schema.Builder keyed() {
        return Schema.newBuilder()
                .column("id", DataTypes.BIGINT())
                .primaryKey("id")
                .option("bucket", "1");
    }

    /** Readers of such tables do not see files of level 0. */
    @Test
    void rowsThatWaitForACompactionAreAConflict() throws Exception {
        FileStoreTable waiting =
                create(
                        "waiting",
                        keyed().option("deletion-vectors.enabled", "true")
                                .option("write-only", "true")
                                .build());
        commit(waiting, "first", Optional.empty(), 1, 2, 3);
        Optional<ReadSnapshot> read = read(waiting, 1);
        assertConflict(() -> commit(waiting, "mine", read, 1), "that wait for a compaction");
    }

    @Test
    void anOverwriteReplacesItsPartitionsOnly() throws Exception {
        FileStoreTable parts =
                create(
                        "parts",
                        Schema.newBuilder()
                                .column("id", DataTypes.BIGINT())
                                .partitionKeys("id")
                                .option("dynamic-partition-overwrite", "false")
                                .build());
        commit(parts, "first", Optional.empty(), 1, 2);
        commits.commitMessages(parts, "over", write(parts, 2), true, Optional.empty());
        assertThat(TestingLake.rows(parts)).containsExactlyInAnyOrder("[1]", "[2]");
        commits.commitMessages(parts, "none", List.of(), true, Optional.empty());
        assertThat(TestingLake.rows(parts)).containsExactlyInAnyOrder("[1]", "[2]");
    }

    private static long elsewhere(FileStoreTable keyed, long id) throws Exception {
        try (var write = keyed.newWrite("probe")) {
            int bucket = write.getBucket(GenericRow.of(id));
            long other = id;
            while (write.getBucket(GenericRow.of(other)) == bucket) {
                other++;
            }
            return other;
        }
    }

    @Test
    void nothingIsCommittedForNoRows() throws Exception {
        assertThat(commit()).isEmpty();
        assertThat(table.snapshotManager().latestSnapshotId()).isNull();
        assertThat(
                        commits.commitMessages(table, "over", List.of(), true, Optional.empty())
                                .snapshotId())
                .hasValue(1);
    }

    @Test
    void aTruncationWhoseAnswerIsLostIsFoundAgain() throws Exception {
        commit(1);
        files.fail("snapshot-2", Fault.AFTER, 1);
        assertThat(commits.truncate(table, "truncating")).hasValue(2);
        assertThat(TestingLake.rows(table)).isEmpty();
        assertThat(table.snapshotManager().latestSnapshotId()).isEqualTo(2);
    }

    @Test
    void anAbortedWriterLeavesNoFiles() throws Exception {
        PaimonTableWriter writer =
                new PaimonTableWriter(
                        table,
                        "aborted",
                        false,
                        IOManager.create(folder.resolve("spill").toString()),
                        1 << 20);
        for (long id = 0; id < 10_000; id++) {
            writer.write(GenericRow.of(id));
        }
        assertThat(writer.memoryBytes(0)).isPositive();
        writer.abort();
        assertThat(writer.memoryBytes(0)).isZero();
        assertThat(dataFiles("t")).isEmpty();
        try (Stream<Path> left = Files.walk(folder)) {
            assertThat(left.map(Path::toString)).noneMatch(path -> path.contains("paimon-io-"));
        }
        // A writer that has finished, too
        PaimonTableWriter finished =
                new PaimonTableWriter(
                        table,
                        "finished",
                        false,
                        IOManager.create(folder.resolve("spill").toString()),
                        1 << 20);
        finished.write(GenericRow.of(1L));
        finished.finish();
        assertThat(dataFiles("t")).hasSize(1);
        finished.abort();
        assertThat(dataFiles("t")).isEmpty();
    }
}
