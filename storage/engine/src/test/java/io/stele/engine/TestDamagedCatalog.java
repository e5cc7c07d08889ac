package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.recovery.RetainedLogObject;
import io.stele.engine.shard.Damage;
import io.stele.engine.shard.record.RetainedRecordFilter;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.encryption.TestKeys;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.IndexSchema;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A node whose newest catalog version cannot be read: it starts, serves nothing and keeps all. */
final class TestDamagedCatalog {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withOnePhase(0) // transactions are decided by objects
                    .withCollectionGrace(Duration.ofSeconds(1))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    private final SimulatedNode node = SimulatedNode.start(OPTIONS, 11);
    private final TestTable table =
            TestTable.create(node.engine(), "t", Orientation.COLUMN, true, 1);

    TestDamagedCatalog() throws IOException {}

    @Test
    void theNodeStartsRefusesEverythingAndChangesNothing() throws IOException {
        put(table, 1, "in a file");
        node.await(node.engine().flush(table.id()));
        put(table, 2, "in the log");
        String newest = newest();
        byte[] good = node.store().readFully(newest);
        damage(newest);
        Map<String, String> before = stored();
        node.restart();
        Map<Long, String> log = logged();

        assertThat(node.engine().status().damages())
                .singleElement()
                .satisfies(
                        damage -> {
                            assertThat(damage.object()).isEqualTo(newest);
                            assertThat(damage.shard()).isEmpty();
                        });
        refused(newest, () -> rows(table));
        refused(newest, () -> put(table, 3, "refused"));
        refused(newest, () -> node.engine().catalog().current());
        refused(newest, () -> node.engine().knownCatalog().createSchema("other"));
        refused(newest, () -> node.engine().beginTransaction(table.id(), Optional.empty()));
        for (int tick = 0; tick < 10; tick++) {
            node.tick(10 * 3_600_000);
        }
        assertThat(stored()).isEqualTo(before);
        assertThat(logged()).isNotEmpty().isEqualTo(log);
        assertThat(node.uncaught()).isEmpty();

        node.store().put(newest, good);
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(table)).hasSize(2);
        put(table, 3, "serves");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2}) // shards: of a group that is known, and of one that is new as well
    void tablesThatOnlyTheLostVersionKnowsAreKeptUntilTheyAreDropped(int shardCount)
            throws IOException {
        put(table, 1, "in a file");
        node.await(node.engine().flush(table.id()));
        TestTable late =
                TestTable.create(node.engine(), "late", Orientation.COLUMN, true, shardCount);
        for (long id = 0; id < 8; id++) {
            put(late, id, "in a file");
        }
        node.await(node.engine().flush(late.id()));
        Set<String> files = dataOf(late);
        assertThat(files).isNotEmpty();
        for (long id = 0; id < 8; id++) {
            put(late, id, "in the log");
        }
        giveUpNewest();

        assertLost(late);
        assertThat(rows(table)).containsOnlyKeys(1L);
        TestTable known = present(table);
        TestTable again =
                TestTable.create(node.engine(), "late", Orientation.COLUMN, true, shardCount);
        assertThat(again.id()).as("of another, whose rows are there").isNotEqualTo(late.id());
        // Whatever the node does next, flushes, trims and collects included
        for (long round = 1; round <= 3; round++) {
            for (long id = 0; id < 100; id++) {
                put(again, id, "new ".repeat(20) + round);
                putAsAnother(known, 1_000 * round + id, "more");
            }
            node.await(node.engine().flush(again.id()));
            node.await(node.engine().flush(table.id()));
            for (int tick = 0; tick < 5; tick++) {
                node.tick(3_600_000);
            }
            node.restart();
            assertLost(late);
            assertThat(dataOf(late)).containsAll(files);
            assertThat(rows(again)).hasSize(100);
            assertThat(rows(table)).hasSize(1 + 100 * (int) round);
        }
        assertThat(keptTables()).as("records whose segments are gone").contains(late.id());
        assertThat(node.uncaught()).isEmpty();

        // With kept records there, the catalog is damaged once more, and put back
        String newest = newest();
        byte[] good = node.store().readFully(newest);
        damage(newest);
        node.restart();
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(newest);
        node.tick(3_600_000);
        node.store().put(newest, good);
        node.restart();
        assertLost(late);
        assertThat(keptTables()).contains(late.id());

        node.await(node.engine().dropDamaged("table/" + late.id()));
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        for (int tick = 0; tick < 5; tick++) {
            put(again, 100 + tick, "so that there is something to flush");
            node.await(node.engine().flush(again.id()));
            node.tick(3_600_000);
        }
        assertThat(dataOf(late)).isEmpty();
        assertThat(node.store().list("kept/")).isEmpty();
        node.restart();
        assertThat(rows(again)).hasSize(105);
        assertThat(node.engine().status().damages()).isEmpty();
    }

    @Test
    void aTruncatedTableHasItsRowsOfBeforeAndThoseOfAfterAreKept() throws IOException {
        put(table, 1, "before");
        TestTable after = TestTable.of(node.engine().catalog().truncateTable(table.id()));
        put(after, 2, "after");
        giveUpNewest();
        assertLost(after);
        assertThat(rows(table)).containsOnlyKeys(1L);
    }

    /** Nothing but the log knows the table: its id must not be given to another. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2}) // shards: of a group that is known, and of one that is new as well
    void rowsOfATableWhoseVersionIsGoneNeverComeToAnother(int shardCount) throws IOException {
        put(table, 1, "row");
        TestTable late = TestTable.create(node.engine(), "late", Orientation.ROW, true, shardCount);
        for (long id = 0; id < 8; id++) {
            put(late, id, "in the log");
        }
        node.store().delete(newest());
        node.restart();
        assertLost(late);
        assertThat(rows(table)).hasSize(1);
        TestTable other =
                TestTable.create(node.engine(), "other", Orientation.ROW, true, shardCount);
        assertThat(other.id()).isNotEqualTo(late.id());
        assertThat(other.schema().tableGroup() == late.schema().tableGroup())
                .isEqualTo(shardCount == 1);
        for (int start = 0; start < 2; start++) {
            node.restart();
            assertLost(late);
            assertThat(rows(other)).isEmpty();
            assertThat(rows(table)).hasSize(1);
            for (int tick = 0; tick < 5; tick++) {
                node.tick(3_600_000);
            }
        }
    }

    /** The version is gone for good: an empty object in its place can be given up. */
    @Test
    void aVersionThatNobodyHasIsGivenUp() throws IOException {
        put(table, 1, "row");
        TestTable late = TestTable.create(node.engine(), "late", Orientation.COLUMN, true, 1);
        put(late, 1, "row");
        node.await(node.engine().flush(late.id()));
        String newest = newest();
        node.store().delete(newest);
        node.restart();
        assertThat(node.engine().status().damages()).hasSize(1);
        node.store().put(newest, new byte[0]);
        node.restart();
        node.await(node.engine().dropDamaged(newest));
        node.restart();
        assertLost(late);
        assertThat(rows(table)).hasSize(1);
        assertThat(dataOf(late)).isNotEmpty();
    }

    /** Nothing names it any more but its objects: it is flushed, and the log is trimmed. */
    @Test
    void idsOfATableOfWhichOnlyObjectsAreLeftAreNotGivenAgain() throws IOException {
        put(table, 1, "row");
        TestTable late = TestTable.create(node.engine(), "late", Orientation.COLUMN, true, 2);
        for (long id = 0; id < 8; id++) {
            put(late, id, "in a file");
        }
        node.await(node.engine().flush(late.id()));
        long lastOfLate = node.engine().status().log().lastSegment();
        for (long id = 0; id < 200; id++) {
            put(table, id, "more ".repeat(20));
        }
        node.await(node.engine().flush(table.id()));
        for (int tick = 0; tick < 5; tick++) {
            node.tick(3_600_000);
        }
        assertThat(node.engine().status().log().firstSegment()).isGreaterThan(lastOfLate);
        Set<String> files = dataOf(late);
        node.store().delete(newest());
        node.restart();
        TestTable other = TestTable.create(node.engine(), "other", Orientation.COLUMN, true, 2);
        assertThat(other.id()).isNotEqualTo(late.id());
        assertThat(other.schema().tableGroup()).isNotEqualTo(late.schema().tableGroup());
        put(other, 1, "row");
        node.await(node.engine().flush(other.id()));
        for (int start = 0; start < 2; start++) {
            node.restart();
            for (int tick = 0; tick < 5; tick++) {
                node.tick(3_600_000);
            }
            assertThat(rows(other)).hasSize(1);
            assertThat(dataOf(late)).isEqualTo(files);
        }
    }

    /** Nothing names it any more but a transaction that was prepared when the process died. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theIdOfATableThatOnlyATransactionInDoubtNamesIsNotGivenAgain(boolean isDecided)
            throws IOException {
        put(table, 1, "row");
        TestTable late = TestTable.create(node.engine(), "late", Orientation.COLUMN, true, 1);
        assertThat(late.schema().tableGroup()).isEqualTo(table.schema().tableGroup());
        String transaction = node.engine().beginTransaction(late.id(), Optional.empty());
        WriteBatchBuilder batch = late.batch();
        batch.upsert(late.key(1), late.row(1, "in doubt", 1));
        node.engine().stage(transaction, late.shard(1), batch.toByteArray(), 0, batch.sizeBytes());
        var commit = node.commit(transaction, List.of());
        node.runUntilDecided(transaction, commit);
        if (!isDecided) {
            node.store().delete(Decision.path(transaction)); // as if it had died before
        }
        node.store().delete(newest());
        node.restart();
        TestTable other = TestTable.create(node.engine(), "other", Orientation.COLUMN, true, 1);
        assertThat(other.id()).isNotEqualTo(late.id());
        assertThat(rows(other)).isEmpty();
    }

    /** A release that does not know of them would remove the files of lost tables. */
    @Test
    void aCatalogThatWasGivenUpInPartIsForReleasesThatKnowOfIt() throws IOException {
        assertThat(node.store().readFully(newest())[8]).isEqualTo((byte) 7);
        damage(newest());
        node.restart();
        long since = node.engine().status().damages().getFirst().sinceMillis();
        node.tick(3_600_000);
        assertThat(node.engine().status().damages().getFirst().sinceMillis())
                .as("when it was met, not now")
                .isEqualTo(since);
        node.await(node.engine().dropDamaged(newest()));
        node.restart();
        assertThat(node.store().readFully(newest())[8]).isEqualTo((byte) 8);
    }

    /** Somebody has deleted versions, or put an earlier copy in their place. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCatalogThatIsOlderThanTheRestIsNotUsed(boolean isGone) throws IOException {
        put(table, 1, "row");
        TestTable late = TestTable.create(node.engine(), "late", Orientation.ROW, true, 1);
        put(late, 1, "row");
        node.await(node.engine().flush(late.id()));
        Map<String, byte[]> deleted = new TreeMap<>();
        for (ObjectEntry version : node.store().list("catalog/")) {
            if (isGone || version.path().equals(newest())) {
                deleted.put(version.path(), node.store().readFully(version.path()));
            }
        }
        for (String path : deleted.keySet()) {
            node.store().delete(path);
        }
        Map<String, String> before = stored();
        node.restart();
        assertThat(node.engine().status().damages())
                .singleElement()
                .satisfies(
                        damage ->
                                assertThat(damage.reason())
                                        .contains(isGone ? "found none" : "older than its"));
        refused("catalog/", () -> rows(table));
        refused("catalog/", () -> node.engine().knownCatalog().createSchema("other"));
        String object = node.engine().status().damages().getFirst().object();
        assertRefused(
                ErrorCode.INVALID_ARGUMENT, () -> node.await(node.engine().dropDamaged(object)));
        for (int tick = 0; tick < 10; tick++) {
            node.tick(10 * 3_600_000);
        }
        assertThat(stored()).isEqualTo(before);

        for (Map.Entry<String, byte[]> version : deleted.entrySet()) {
            node.store().put(version.getKey(), version.getValue());
        }
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(table)).hasSize(1);
        assertThat(rows(late)).hasSize(1);
    }

    /** Of a statement that was committed; nothing but the lost version and these rows say so. */
    @Test
    void aStagedTableThatTheLostVersionMayHavePublishedIsKept() throws IOException {
        TestTable staged =
                TestTable.create(
                        node.engine(), "s", Orientation.ROW, true, 1, List.of(), TableState.STAGED);
        put(staged, 1, "row");
        node.await(node.engine().flush(staged.id()));
        Set<String> files = dataOf(staged);
        node.engine().catalog().publishTable(staged.id(), Lsn.MIN);
        giveUpNewest();
        assertLost(staged);
        for (int tick = 0; tick < 10; tick++) {
            node.tick(3_600_000);
        }
        node.restart();
        assertLost(staged);
        assertThat(dataOf(staged)).isEqualTo(files);
    }

    @Test
    void severalVersionsAreGivenUpOneAfterTheOther() throws IOException {
        put(table, 1, "row");
        TestTable first = TestTable.create(node.engine(), "first", Orientation.ROW, true, 1);
        put(first, 1, "row");
        String one = newest();
        TestTable second = TestTable.create(node.engine(), "second", Orientation.ROW, true, 1);
        put(second, 1, "row");
        damage(one);
        giveUpNewest();
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .as("the version before cannot be read either")
                .containsExactly(one);
        node.await(node.engine().dropDamaged(one));
        node.restart();
        assertLost(first, second);
        assertThat(rows(table)).hasSize(1);
        TestTable third = TestTable.create(node.engine(), "second", Orientation.ROW, true, 1);
        assertThat(third.id()).isNotIn(first.id(), second.id());
        assertThat(rows(third)).isEmpty();
        assertThat(node.store().list("dropped/catalog/")).hasSize(2);
    }

    @Test
    void rowsOfTheTimeWithoutAnIndexAreFoundByIt() throws IOException {
        IndexSchema byName = new IndexSchema(1, "by_name", List.of(2), false, true);
        TestTable indexed =
                TestTable.createIndexed(
                        node.engine(), "indexed", Orientation.ROW, 1, List.of(byName));
        put(indexed, 1, "before");
        node.await(node.engine().flush(indexed.id()));
        node.engine().catalog().createSchema("so_that_the_index_is_in_the_version_before");
        node.engine()
                .catalog()
                .setOptions(indexed.id(), List.of(TableOption.INDEXES), TableOptions.NONE);
        put(indexed, 2, "without");
        node.await(node.engine().flush(indexed.id()));
        giveUpNewest();
        for (int tick = 0; tick < 10; tick++) {
            node.tick(1_000);
        }
        IndexSchema built = present(indexed).schema().options().indexes().getFirst();
        assertThat(built.ready()).isTrue();
        for (String name : List.of("before", "without")) {
            assertThat(
                            indexed.lookup(
                                    node.engine(), node.openSnapshot(), built.id(), List.of(name)))
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"ROW, true", "ROW, false", "COLUMN, true", "COLUMN, false", "ROW_COLUMN, true"})
    void columnsOfAVersionThatIsGivenUpAreNotMistakenForOthers(
            Orientation orientation, boolean isFlushed) throws IOException {
        TestTable changed = TestTable.create(node.engine(), "changed", orientation, true, 1);
        put(changed, 1, "before");
        node.await(node.engine().flush(changed.id()));
        int version = changed.schema().schemaVersion();
        ColumnChange lost = ColumnChange.rename(List.of("amount"), "lost");
        TestTable with =
                TestTable.of(node.await(node.engine().alterTable(changed.id(), version, lost)));
        putAsAnother(with, 2, "of the lost version");
        if (isFlushed) {
            node.await(node.engine().flush(changed.id()));
        }
        String newest = newest();
        damage(newest);
        node.restart();
        node.await(node.engine().dropDamaged(newest));
        node.restart();

        assertThat(node.engine().status().damages())
                .isNotEmpty()
                .allSatisfy(
                        damage -> {
                            assertThat(damage.table()).contains(changed.id());
                            assertThat(damage.object())
                                    .startsWith(isFlushed ? "data/" + changed.id() : "log/");
                            assertThat(damage.reason()).contains("found " + (version + 1));
                        });
        assertRefused(ErrorCode.CORRUPT_DATA, () -> rows(changed));
        assertRefused(
                ErrorCode.CORRUPT_DATA,
                () ->
                        node.await(
                                node.engine()
                                        .alterTable(
                                                changed.id(),
                                                version,
                                                ColumnChange.drop(List.of("amount")))));
        putAsAnother(present(table), 1, "serves");
        assertThat(rows(table)).hasSize(1);
        node.engine().catalog().dropTable(changed.id());
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
    }

    @Test
    void theOnlyVersionIsNotGivenUp() throws IOException {
        String newest = newest();
        for (ObjectEntry version : node.store().list("catalog/")) {
            if (!version.path().equals(newest)) {
                node.store().delete(version.path());
            }
        }
        damage(newest);
        node.restart();
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(newest);
        assertRefused(
                ErrorCode.INVALID_ARGUMENT, () -> node.await(node.engine().dropDamaged(newest)));
        assertThat(node.store().list("catalog/")).hasSize(1);
    }

    /** Somebody has taken the key away that older objects and the log need. */
    @Test
    void whatNeedsAnOldMasterKeyServesWhenItIsBack() throws IOException {
        SimulatedNode encrypted = SimulatedNode.start(OPTIONS, 7, false, true);
        TestTable old = TestTable.create(encrypted.engine(), "old", Orientation.ROW, true, 1);
        encrypted.await(old.upsert(encrypted.engine(), 1, "in a file", 1));
        encrypted.await(encrypted.engine().flush(old.id()));
        encrypted.await(old.upsert(encrypted.engine(), 2, "in the log", 1));
        encrypted.restart(TestKeys.encryption("new", "simulated"));
        encrypted.engine().catalog().createSchema("by_the_new_key");
        encrypted.restart(TestKeys.encryption("new"));
        assertThat(encrypted.engine().status().damages())
                .isNotEmpty()
                .allSatisfy(
                        damage ->
                                assertThat(damage.reason())
                                        .contains("master key 'simulated', found only [new]"));
        assertRefused(
                ErrorCode.CORRUPT_DATA,
                () -> old.snapshot(encrypted.engine(), encrypted.openSnapshot()));
        for (int tick = 0; tick < 10; tick++) {
            encrypted.tick(10 * 3_600_000);
        }
        encrypted.restart(TestKeys.encryption("new", "simulated"));
        assertThat(encrypted.engine().status().damages()).isEmpty();
        assertThat(old.snapshot(encrypted.engine(), encrypted.openSnapshot())).hasSize(2);
    }

    /** What is encrypted and damaged cannot be decrypted, and is moved as it is. */
    @Test
    void anEncryptedVersionIsGivenUp() throws IOException {
        SimulatedNode encrypted = SimulatedNode.start(OPTIONS, 7, false, true);
        TestTable first = TestTable.create(encrypted.engine(), "first", Orientation.ROW, true, 1);
        encrypted.await(first.upsert(encrypted.engine(), 1, "row", 1));
        encrypted.engine().catalog().createSchema("lost");
        String newest =
                encrypted.store().list("catalog/").stream()
                        .map(ObjectEntry::path)
                        .max(String::compareTo)
                        .orElseThrow();
        byte[] bytes = encrypted.store().readFully(newest);
        bytes[bytes.length / 2] ^= 1;
        encrypted.store().put(newest, bytes);
        encrypted.restart();
        assertThat(encrypted.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(newest);

        encrypted.await(encrypted.engine().dropDamaged(newest));
        encrypted.restart();
        assertThat(encrypted.engine().status().damages()).isEmpty();
        assertThat(first.snapshot(encrypted.engine(), encrypted.openSnapshot())).hasSize(1);
    }

    private static void refused(String object, ThrowingCallable call) {
        assertRefused(ErrorCode.CORRUPT_DATA, call).hasMessageContaining(object);
    }

    private void damage(String object) throws IOException {
        byte[] bytes = node.store().readFully(object);
        bytes[bytes.length / 2] ^= 1;
        node.store().put(object, bytes);
    }

    private String newest() throws IOException {
        List<ObjectEntry> versions = node.store().list("catalog/");
        return versions.stream().map(ObjectEntry::path).max(String::compareTo).orElseThrow();
    }

    private Map<String, String> stored() throws IOException {
        Map<String, String> contents = new TreeMap<>();
        for (ObjectEntry entry : node.store().contents().list("")) {
            contents.put(
                    entry.path(), HexFormat.of().formatHex(node.store().readFully(entry.path())));
        }
        contents.keySet().removeIf(path -> path.startsWith("epoch"));
        return contents;
    }

    private Map<Long, String> logged() throws IOException {
        Map<Long, String> contents = new TreeMap<>();
        for (long segment : node.log().segments()) {
            contents.put(segment, HexFormat.of().formatHex(node.log().bytes(segment)));
        }
        return contents;
    }

    /** The lost version had a longer time to live: what the older one hides is not removed. */
    @ParameterizedTest
    @EnumSource(Orientation.class)
    void rowsThatAnOldTimeToLiveHidesAreRetainedUntilItIsSet(Orientation orientation)
            throws IOException {
        long day = 86_400_000;
        TestTable expiring =
                TestTable.create(
                        node.engine(),
                        "expiring",
                        orientation,
                        true,
                        1,
                        TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(day)));
        setTimeToLive(expiring, 30 * day);
        put(expiring, 1, "in a file");
        node.await(node.engine().flush(expiring.id()));
        node.tick(3 * day);
        assertThat(rows(expiring)).containsOnlyKeys(1L);
        giveUpNewest();
        node.tick(11 * 60_000); // a start holds expiry where nothing was written for long

        assertThat(present(expiring).schema().options().timeToLiveIsInDoubt()).isTrue();
        assertThat(rows(expiring)).as("the old one hides it").isEmpty();
        for (int round = 0; round < 3; round++) { // whatever removes rows for good
            putAsAnother(present(expiring), 10 + round, "new");
            node.await(node.engine().flush(expiring.id()));
            node.await(node.engine().compact(expiring.id()));
            node.tick(2 * 3_600_000);
            node.restart();
        }
        assertThat(rows(expiring)).containsOnlyKeys(10L, 11L, 12L);
        setTimeToLive(expiring, 30 * day);
        assertThat(present(expiring).schema().options().timeToLiveIsInDoubt()).isFalse();
        assertThat(rows(expiring)).containsOnlyKeys(1L, 10L, 11L, 12L);
    }

    @Test
    void anOldTimeToLiveThatIsSetAgainRemovesRows() throws IOException {
        long day = 86_400_000;
        TestTable expiring =
                TestTable.create(
                        node.engine(),
                        "expiring",
                        Orientation.COLUMN,
                        true,
                        1,
                        TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(day)));
        setTimeToLive(expiring, 30 * day);
        put(expiring, 1, "in a file");
        node.await(node.engine().flush(expiring.id()));
        giveUpNewest();
        setTimeToLive(expiring, day);
        node.tick(3 * day);
        assertThat(rows(expiring)).isEmpty();
        putAsAnother(present(expiring), 10, "new");
        node.await(node.engine().flush(expiring.id()));
        node.await(node.engine().compact(expiring.id()));
        setTimeToLive(expiring, 30 * day);
        assertThat(rows(expiring)).as("it does not return").containsOnlyKeys(10L);
    }

    private void setTimeToLive(TestTable of, long millis) throws IOException {
        node.engine()
                .catalog()
                .setOptions(
                        of.id(),
                        List.of(TableOption.TIME_TO_LIVE),
                        TableOptions.NONE.withTimeToLiveMillis(OptionalLong.of(millis)));
        node.tick(1_000);
    }

    private void put(TestTable to, long id, String name) {
        node.await(to.upsert(node.engine(), id, name, id));
    }

    /** The newest version is damaged, and dropped. */
    private void giveUpNewest() throws IOException {
        String newest = newest();
        damage(newest);
        byte[] damaged = node.store().readFully(newest);
        node.restart();
        node.await(node.engine().dropDamaged(newest));
        node.restart();
        assertThat(node.store().readFully("dropped/" + newest)).isEqualTo(damaged);
    }

    private void assertLost(TestTable... lost) {
        assertThat(node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.of(lost).map(one -> "table/" + one.id()).toList());
        for (TestTable one : lost) {
            assertRefused(ErrorCode.STALE_TABLE, () -> rows(one));
        }
    }

    private Set<String> dataOf(TestTable of) throws IOException {
        Set<String> paths = new TreeSet<>();
        for (ObjectEntry entry : node.store().list("data/" + of.id() + "/")) {
            paths.add(entry.path());
        }
        return paths;
    }

    /** The tables of which records are kept. */
    private Set<TableId> keptTables() throws IOException {
        Set<TableId> tables = new HashSet<>();
        for (ObjectEntry entry : node.store().list("kept/")) {
            String[] parts = entry.path().split("[/-]", -1);
            ShardId shard = new ShardId(Integer.parseInt(parts[1]), Integer.parseInt(parts[2]));
            RetainedLogObject.read(entry.path(), shard, node.store().readFully(entry.path()))
                    .forEach(
                            one ->
                                    tables.addAll(
                                            RetainedRecordFilter.tablesOf(
                                                    one.lsn(), one.type(), one.payload())));
        }
        return tables;
    }

    /** The table as the catalog has it now. */
    private TestTable present(TestTable of) {
        return TestTable.of(node.engine().catalog().current().table(of.id()));
    }

    /** By a writer of its own: {@link TestTable#of} begins its sequences anew. */
    private void putAsAnother(TestTable to, long id, String name) {
        WriteBatchBuilder batch = to.batch();
        batch.upsert(to.key(id), to.row(id, name, id));
        byte[] bytes = batch.toByteArray();
        node.await(node.engine().write(to.shard(id), new UUID(id, 8), 1, bytes, 0, bytes.length));
    }

    private Map<Long, String> rows(TestTable of) throws IOException {
        return of.snapshot(node.engine(), node.openSnapshot());
    }
}
