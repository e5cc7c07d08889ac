package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.node.CacheOptions;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.shard.Damage;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * The store does not answer the creation of a manifest version, and before the next attempt the
 * table of its change is set aside. What the store has then is no version of another table's
 * change.
 */
final class TestUnansweredManifests {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    // No key index stays in memory, so that a change of a flushed key reads one
                    .withCaches(new CacheOptions(1, 1, 1 << 20, 1, 0, 0))
                    .withRetention(Duration.ofSeconds(1))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(10))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));

    private boolean answers = true;
    private boolean areLate; // creations without an answer
    private final List<LateCreation> late = new ArrayList<>();
    private final SimulatedNode node = start();

    // Of one shard
    private final TestTable damaged = table("damaged");
    private final TestTable other = table("other");
    private final Map<TestTable, Map<Long, String>> expected = new HashMap<>();
    private String lostPath = "";
    private byte[] lost = {};
    private CompletableFuture<?> flushOfDamaged = new CompletableFuture<>();

    private SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 7, UnansweringStore::new);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private TestTable table(String name) {
        return TestTable.create(node.engine(), name, Orientation.COLUMN, true, 1);
    }

    @Test
    void aVersionOfATableThatIsSetAsideIsNotTakenForThatOfAnother() throws IOException {
        loseAnswerAndFile();
        answers = true;
        node.await(flushOther());
        assertNothingIsLost();
    }

    /** The first attempt for the other table fails as well, and the second one finds a version. */
    @Test
    void norIsItTakenForThatOfAFailedAttempt() throws IOException {
        loseAnswerAndFile();
        CompletableFuture<?> flushed = flushOther();
        for (int tick = 0; tick < 4; tick++) {
            node.tick(500);
        }
        assertThat(flushed).isNotDone();
        answers = true;
        node.await(flushed);
        assertNothingIsLost();
    }

    @Test
    void norIsItTakenForThatOfAnotherIfItComesLate() throws IOException {
        areLate = true;
        loseAnswerAndFile();
        CompletableFuture<?> flushed = flushOther();
        node.tick(500);
        assertThat(flushed).isNotDone();
        late.getFirst().arrive();
        answers = true;
        node.await(flushed);
        assertNothingIsLost();
    }

    @Test
    void aVersionThatComesAfterThatOfAnotherTableIsNone() throws IOException {
        areLate = true;
        loseAnswerAndFile();
        answers = true;
        node.await(flushOther());
        for (LateCreation creation : late) {
            creation.arrive();
        }
        assertSetAside();
        trim();
        node.restart();
        assertThat(node.engine().status().damages()).as("no manifest names the file").isEmpty();
        assertAllRows();
    }

    /** A flush is stored without an answer, and its file is gone when a key of it has changed. */
    private void loseAnswerAndFile() throws IOException {
        put(damaged, 1, "in a file");
        put(damaged, 2, "in a file");
        put(other, 1, "in a file");
        answers = false;
        CompletableFuture<?> flushed = node.engine().flush(damaged.id());
        node.tick(0);
        assertThat(flushed).isNotDone();
        lose(newestKeyIndex());
        put(damaged, 2, "only in the log");
        assertThat(node.engine().status().damages()).as("not met yet").isEmpty();
        flushOfDamaged = flushed;
    }

    private CompletableFuture<?> flushOther() {
        CompletableFuture<?> flushed = node.engine().flush(other.id());
        node.tick(0);
        return flushed;
    }

    private void assertNothingIsLost() throws IOException {
        assertSetAside();
        assertThat(node.engine().status().maintenanceFailures()).isEmpty();
        assertRefused(() -> node.await(flushOfDamaged));
        trim();
        node.restart();
        assertSetAside();
        assertThat(rows(other)).isEqualTo(expected(other));
        put(other, 2, "serves");

        findAgain();
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertAllRows();
        put(damaged, 1, "serves");
        node.await(node.engine().flush(damaged.id()));
        node.await(node.engine().flush(other.id()));
        node.restart();
        assertAllRows();
    }

    /** The log is trimmed as far as the engine takes rows to be in files. */
    private void trim() {
        long first = node.engine().status().log().firstSegment();
        for (long id = 100; id < 200; id++) {
            put(other, id, "x".repeat(200));
        }
        node.await(node.engine().flush(other.id()));
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        assertThat(node.engine().status().log().firstSegment()).isGreaterThan(first + 2);
    }

    /** A flush of it would need a file that the store never returns. */
    @Test
    void aTableThatIsSetAsideDoesNotHoldUpTheFlushesOfOthers() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        String first = newestKeyIndex();
        put(damaged, 2, "in a file");
        put(other, 1, "in a file");
        node.store().failWhere(what -> what.startsWith("create manifest/"));
        CompletableFuture<?> waiting = node.engine().flush(damaged.id());
        node.tick(0);
        String second = newestKeyIndex();
        assertThat(second).isNotEqualTo(first);
        node.store().failWhere(what -> what.equals("read " + second));
        put(damaged, 2, "only in the log");
        CompletableFuture<?> flushed = flushOther();
        node.tick(500);
        assertThat(waiting).isNotDone();
        assertThat(flushed).as("behind the other one").isNotDone();

        lose(first);
        meetDamage(1);
        for (int tick = 0; tick < 10 && !flushed.isDone(); tick++) {
            node.tick(10_000);
        }
        assertThat(flushed).isCompleted();
        assertRefused(() -> node.await(waiting));
        assertSetAside();
        findAgain();
        node.store().failWhere(what -> false);
        node.restart();
        assertAllRows();
    }

    @Test
    void filesThatACompactionWithoutAnAnswerReplacedAreDeleted() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        String first = newestKeyIndex();
        put(damaged, 2, "in a file");
        node.await(node.engine().flush(damaged.id()));
        List<String> replaced = objects();
        put(other, 1, "in a file");
        answers = false;
        CompletableFuture<?> compacted = node.engine().compact(damaged.id());
        node.tick(0);
        assertThat(compacted).isNotDone();
        assertThat(objects()).hasSizeGreaterThan(replaced.size());
        lose(first);
        meetDamage(1);
        answers = true;
        node.await(flushOther());
        assertRefused(() -> node.await(compacted));
        assertSetAside();
        for (int tick = 0; tick < 2; tick++) {
            node.tick(500);
        }
        assertThat(objects()).isNotEmpty().doesNotContainAnyElementsOf(replaced);
        node.restart();
        assertThat(node.engine().status().damages()).as("of a file that is replaced").isEmpty();
        assertAllRows();
    }

    /** A change of a key in a file that is lost; the log has it. */
    private void meetDamage(long id) {
        assertThatThrownBy(() -> put(damaged, id, "meets the damage"))
                .isInstanceOf(SteleException.class);
        assertThat(node.engine().status().damages()).hasSize(1);
    }

    private void assertSetAside() {
        node.tick(0); // opens the files
        assertThat(node.engine().status().damages())
                .extracting(Damage::reason)
                .singleElement()
                .asString()
                .contains(lostPath);
        assertRefused(() -> rows(damaged));
        assertRefused(() -> node.await(damaged.upsert(node.engine(), 1, "refused", 1)));
        assertRefused(() -> node.await(node.engine().flush(damaged.id())));
        assertThat(node.engine().status().failedShards()).isEmpty();
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA))
                .hasMessageContaining("is set aside");
    }

    private void lose(String path) throws IOException {
        lostPath = path;
        lost = node.store().readFully(path);
        node.store().delete(path);
    }

    private void findAgain() throws IOException {
        node.store().put(lostPath, lost);
    }

    private String newestKeyIndex() throws IOException {
        return objects().stream()
                .filter(path -> path.endsWith(".idx"))
                .max(String::compareTo)
                .orElseThrow();
    }

    /** The data of the table that is damaged. */
    private List<String> objects() throws IOException {
        return node.store().contents().list("data/" + damaged.id() + "/").stream()
                .map(ObjectEntry::path)
                .toList();
    }

    private void put(TestTable table, long id, String name) {
        expected(table).put(id, name + ":" + id);
        node.await(table.upsert(node.engine(), id, name, id));
    }

    private Map<Long, String> expected(TestTable table) {
        return expected.computeIfAbsent(table, _ -> new TreeMap<>());
    }

    private void assertAllRows() throws IOException {
        for (TestTable table : List.of(damaged, other)) {
            assertThat(rows(table)).isEqualTo(expected(table));
        }
    }

    private Map<Long, String> rows(TestTable table) throws IOException {
        return table.snapshot(node.engine(), node.openSnapshot());
    }

    /** A creation that is on its way when its call has failed. */
    @FunctionalInterface
    private interface LateCreation {
        void arrive() throws IOException;
    }

    /** A store that does not answer creations of manifest versions. */
    private final class UnansweringStore extends ForwardingObjectStore {
        private UnansweringStore(ObjectStore store) {
            super(store);
        }

        @Override
        public boolean createIfAbsent(String path, byte[] content) throws IOException {
            if (answers || !path.startsWith("manifest/")) {
                return super.createIfAbsent(path, content);
            }
            LateCreation creation = () -> super.createIfAbsent(path, content);
            if (areLate) {
                late.add(creation);
            } else {
                creation.arrive();
            }
            throw new IOException("No answer: create " + path);
        }
    }
}
