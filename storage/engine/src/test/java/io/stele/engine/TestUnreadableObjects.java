package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.recovery.RetainedLog;
import io.stele.engine.recovery.ServingStore;
import io.stele.engine.recovery.StartStore;
import io.stele.engine.shard.Damage;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Decision;
import io.stele.engine.wal.LogOptions;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectReader;
import io.stele.objectstore.ObjectStore;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * Objects that the store refuses to return while it returns others: what depends on them is set
 * aside, and the rest serves. When none is returned, the start ends.
 */
final class TestUnreadableObjects {
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withOnePhase(0) // transactions are decided by objects
                    .withRetention(Duration.ofSeconds(1))
                    .withMemTables(1 << 20, 1 << 30, Duration.ofHours(10))
                    .withLog(new LogOptions(4096, 1 << 20, 1 << 16, 1 << 16, Duration.ZERO));
    private static final int ALWAYS = Integer.MAX_VALUE;

    private Predicate<String> refused = path -> false;
    private int refusals = ALWAYS; // of each object
    private boolean breaks; // by an error of the JVM
    private final Map<String, Integer> reads = new HashMap<>();
    private final SimulatedNode node = start();

    // Of one shard, and of others
    private final TestTable damaged = table("damaged", true, 1);
    private final TestTable elsewhere = table("elsewhere", true, 2);

    private SimulatedNode start() {
        try {
            return SimulatedNode.start(OPTIONS, 7, RefusingStore::new);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private TestTable table(String name, boolean keyed, int shards) {
        return TestTable.create(node.engine(), name, Orientation.COLUMN, keyed, shards);
    }

    @Test
    void aManifestThatIsRefusedSetsItsShardAside() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        put(damaged, 2, "in the log");
        assertShardSetAside(newest(manifests(damaged) + "0"));
        assertThat(rows(damaged)).containsOnlyKeys(1L, 2L);
    }

    /** Content that is nested too deeply for the stack, for one. */
    @Test
    void aManifestThatEndsInAnErrorSetsItsShardAside() throws IOException {
        breaks = true;
        aManifestThatIsRefusedSetsItsShardAside();
    }

    @Test
    void writersThatEndInAnErrorSetTheirShardAside() throws IOException {
        breaks = true;
        writersThatAreRefusedSetTheirShardAside();
    }

    @Test
    void aFileThatEndsInAnErrorInTheReplayStopsNoOtherShard() throws IOException {
        breaks = true;
        put(elsewhere, 1, "before");
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        put(damaged, 1, "changed");
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        refuse(index);
        node.restart();
        assertThat(node.engine().status().damages())
                .singleElement()
                .satisfies(damage -> assertThat(damage.reason()).contains(index));
        assertRefused(() -> rows(damaged));
        put(elsewhere, 2, "serves");
        assertThat(rows(elsewhere)).hasSize(2);
        putBack();
        assertThat(rows(damaged)).containsExactly(Map.entry(1L, "changed:1"));
    }

    @Test
    void aManifestBaseThatIsRefusedSetsItsShardAside() throws IOException {
        node.restart(OPTIONS.withManifestChanges(1));
        for (long id = 0; id < 4; id++) {
            put(damaged, id, "in a file");
            node.await(node.engine().flush(damaged.id()));
        }
        String sketches = newest(manifests(damaged) + "base/"); // beside it
        assertShardSetAside(sketches.substring(0, sketches.indexOf(".sketches")));
        assertThat(rows(damaged)).hasSize(4);
    }

    @Test
    void writersThatAreRefusedSetTheirShardAside() throws IOException {
        for (long id = 0; id < 2_100; id++) {
            put(damaged, id % 10, "in a file");
        }
        node.await(node.engine().flush(damaged.id()));
        assertShardSetAside(newest(manifests(damaged) + "writers/"));
        assertThat(rows(damaged)).hasSize(10);
    }

    @Test
    void aDeletionVectorThatIsRefusedSetsItsTableAside() throws IOException {
        TestTable appends = table("appends", false, 1);
        WriteBatchBuilder batch = appends.batch();
        batch.append(appends.row(1, "row", 1));
        node.await(appends.write(node.engine(), appends.schema().shard(0), batch));
        node.await(node.engine().flush(appends.id()));
        LeasedSnapshot keepsTheFile = node.openSnapshot();
        node.await(node.engine().deletePartitions(appends.id(), ScanPredicate.ALL));
        node.await(node.engine().flush(appends.id()));
        put(damaged, 1, "of the same shard");
        FileEntry file =
                node.engine()
                        .shard(appends.schema().shard(0))
                        .table(appends.id())
                        .view()
                        .columnFiles()
                        .getFirst()
                        .entry();
        assertThat(keepsTheFile.lsn()).isNotNull();
        refuse(file.deletionVector().orElseThrow().path());
        node.restart();
        assertDamaged(file.deletionVector().orElseThrow().path());
        assertRefused(() -> rows(appends));
        assertThat(rows(damaged)).hasSize(1);
        putBack();
        assertThat(rows(appends)).isEmpty();
    }

    /** Whose key index the replay of the log needs. */
    @Test
    void aFileThatIsRefusedToTheReplaySetsItsTableAside() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        TestTable other = table("other", true, 1);
        put(other, 1, "of the same shard");
        put(damaged, 1, "changed");
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        refuse(index);
        node.restart();
        assertDamaged(index);
        assertRefused(() -> rows(damaged));
        assertThat(rows(other)).hasSize(1);
        put(other, 2, "serves");
        putBack();
        assertThat(rows(damaged)).containsExactly(Map.entry(1L, "changed:1"));
        assertThat(rows(other)).hasSize(2);
    }

    /** Its rows are needed to work out what a transaction in doubt comes to. */
    @Test
    void aFileThatIsRefusedToATransactionInDoubtSetsItsTableAside() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
        WriteBatchBuilder update = damaged.batch();
        damaged.update(update, OperationKind.UPDATE, 1, Optional.of("updated"), 2);
        stage(transaction, update);
        leaveInDoubt(transaction);
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        refuse(index);
        node.restart();
        assertDamaged(index);
        put(elsewhere, 1, "serves");
        putBack();
        assertThat(rows(damaged)).containsExactly(Map.entry(1L, "updated:2"));
    }

    @Test
    void aDecisionThatIsRefusedSetsItsShardAside() throws IOException {
        put(damaged, 1, "row");
        String transaction = node.engine().beginTransaction(damaged.id(), Optional.empty());
        WriteBatchBuilder batch = damaged.batch();
        batch.upsert(damaged.key(2), damaged.row(2, "in doubt", 2));
        stage(transaction, batch);
        leaveInDoubt(transaction);
        assertShardSetAside(Decision.path(transaction));
        assertThat(rows(damaged)).containsOnlyKeys(1L, 2L);
    }

    @Test
    void recordsOfTheLogThatAreRefusedSetTheirShardAside() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        put(damaged, 2, "only in the log");
        refuse(newest(manifests(damaged) + "0"));
        node.restart();
        for (long id = 0; id < 100; id++) {
            put(elsewhere, id, "x".repeat(200));
        }
        node.await(node.engine().flush(elsewhere.id()));
        for (int tick = 0; tick < 4; tick++) {
            node.tick(1_000);
        }
        String kept = newest(RetainedLog.FOLDER);
        refuse(kept);
        node.restart();
        assertDamaged(kept);
        assertRefused(() -> rows(damaged));
        assertThat(rows(elsewhere)).hasSize(100);
        putBack();
        assertThat(rows(damaged)).containsOnlyKeys(1L, 2L);
    }

    @Test
    void anObjectThatIsReturnedAtLastIsNotDamaged() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        refuse(newest(manifests(damaged) + "0"));
        refusals = StartStore.ATTEMPTS - 1;
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).hasSize(1);
    }

    /** The store was unreliable: nothing may stay set aside. */
    @Test
    void aStartEndsWhenADamagedObjectIsReturnedAfterAll() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        refuse(newest(manifests(damaged) + "0"));
        refusals = StartStore.ATTEMPTS;
        assertThatThrownBy(node::restart)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("start again");
        putBack();
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).hasSize(1);
    }

    @Test
    void manyUnreadableObjectsAreAnOutage() throws IOException {
        StartStore store = new StartStore(new RefusingStore(new InMemoryObjectStore()), _ -> {});
        store.put("before", new byte[] {1});
        assertThat(store.readFully("before")).hasSize(1);
        refused = path -> !path.equals("before");
        for (int i = 0; i < StartStore.MAX_DAMAGED; i++) {
            String path = "refused-" + i;
            store.put(path, new byte[] {1});
            assertRefused(() -> store.readFully(path));
        }
        store.put("one-more", new byte[] {1});
        assertThatThrownBy(() -> store.readFully("one-more"))
                .isInstanceOf(AccessDeniedException.class);
        assertRefused(() -> store.readFully("refused-0"));
    }

    @Test
    void aStartEndsWhenTheStoreReturnsNothingElseEither() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        boolean[] outage = {false};
        refused =
                path -> {
                    outage[0] |= path.startsWith("manifest/");
                    return outage[0];
                };
        assertThatThrownBy(node::restart)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("manifest/");
        assertThat(reads.values()).as("not tried again").containsOnly(1);
        putBack();
        assertThat(rows(damaged)).hasSize(1);
    }

    /** Nothing could be served, and the next start may find it. */
    @Test
    void aStartEndsWithoutItsCatalog() throws IOException {
        put(damaged, 1, "in a file");
        refused = path -> path.startsWith("catalog/");
        assertThatThrownBy(node::restart)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.STORE_FAILED));
        putBack();
        assertThat(rows(damaged)).hasSize(1);
    }

    @Test
    void aRunningEngineGetsFailuresAsTheyAre() throws IOException {
        StartStore store = new StartStore(new RefusingStore(new InMemoryObjectStore()), _ -> {});
        for (String path : List.of("before", "opened", "refused")) {
            store.put(path, new byte[] {1});
        }
        assertThat(store.readFully("before")).hasSize(1);
        ObjectReader opened = store.open("opened", 1);
        refused = path -> !path.equals("before");
        assertRefused(() -> store.readFully("refused"));
        assertThat(reads).containsOnly(Map.entry("refused", StartStore.ATTEMPTS));
        store.serve();
        assertThatThrownBy(() -> store.readFully("refused"))
                .isInstanceOf(AccessDeniedException.class);
        assertThatThrownBy(() -> opened.read(0, 1)).isInstanceOf(AccessDeniedException.class);
        assertThat(reads.get("opened")).isEqualTo(1);
    }

    /** Without it, every shard's records and all snapshots would wait until somebody restarts. */
    @Test
    void aFileThatARunningEngineNeverGetsSetsItsTableAside() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        TestTable other = table("other", true, 1);
        node.restart();
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        refuse(index);
        CompletableFuture<Lsn> changed = damaged.upsert(node.engine(), 1, "changed", 1);
        CompletableFuture<Lsn> behind = other.upsert(node.engine(), 1, "of the same shard", 1);
        tick(Duration.ofSeconds(110));
        assertThat(node.engine().status().storeWaits()).hasSize(1);
        assertThat(node.engine().status().damages()).as("may yet come").isEmpty();
        assertThat(behind).isNotDone();
        tick(Duration.ofSeconds(40));
        assertThat(node.engine().status().storeWaits()).isEmpty();
        assertDamaged(index);
        node.await(behind);
        assertRefused(() -> node.await(changed));
        assertRefused(() -> rows(damaged));
        assertThat(rows(other)).hasSize(1);
        put(elsewhere, 1, "serves");
        putBack();
        assertThat(rows(damaged)).as("the log has it").containsExactly(Map.entry(1L, "changed:1"));
        assertThat(rows(other)).hasSize(1);
    }

    @Test
    void aFileThatARunningEngineGetsAtLastIsNotDamaged() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        node.restart();
        refuse(fileOf(damaged).keyIndex().orElseThrow().path());
        CompletableFuture<Lsn> changed = damaged.upsert(node.engine(), 1, "changed", 1);
        tick(Duration.ofSeconds(110));
        refused = path -> false;
        node.await(changed);
        assertThat(node.engine().status().damages()).isEmpty();
        assertThat(rows(damaged)).containsExactly(Map.entry(1L, "changed:1"));
    }

    /** However long: waiting repairs it, and one that returns now and then is no damage. */
    @Test
    void anOutageUnderARunningEngineSetsNothingAside() throws IOException {
        put(damaged, 1, "in a file");
        node.await(node.engine().flush(damaged.id()));
        node.restart();
        String index = fileOf(damaged).keyIndex().orElseThrow().path();
        CompletableFuture<Lsn> changed = damaged.upsert(node.engine(), 1, "changed", 1);
        for (int minute = 0; minute < 6; minute++) {
            refuse(index);
            tick(Duration.ofSeconds(40));
            refused = path -> true;
            tick(Duration.ofSeconds(20));
        }
        assertThat(node.engine().status().damages()).isEmpty();
        refused = path -> false;
        node.await(changed);
        assertThat(rows(damaged)).containsExactly(Map.entry(1L, "changed:1"));
    }

    /** As when one of several servers is away. */
    @Test
    void manyUnreadableFilesAreAnOutageOfARunningEngineToo() throws IOException {
        long[] now = {0};
        ServingStore store =
                new ServingStore(new RefusingStore(new InMemoryObjectStore()), () -> now[0]);
        store.put("catalog", new byte[] {1});
        assertThat(store.readFully("catalog")).hasSize(1);
        refused = path -> !path.equals("catalog");
        for (int minute = 0; minute < 10; minute++) {
            for (int file = 0; file <= StartStore.MAX_DAMAGED; file++) {
                String path = "data/refused-" + file;
                assertThatThrownBy(() -> store.readFully(path))
                        .isInstanceOf(AccessDeniedException.class);
                now[0] += 6_000;
            }
        }
        refused = path -> path.equals("data/refused-0");
        for (int file = 1; file <= StartStore.MAX_DAMAGED; file++) {
            store.put("data/refused-" + file, new byte[] {1});
            assertThat(store.readFully("data/refused-" + file)).hasSize(1);
        }
        for (int second = 0; second < 100; second += 6) {
            assertThatThrownBy(() -> store.admittingOnSecondAccess().readFully("data/refused-0"))
                    .as("counted from when it is the only one")
                    .isInstanceOf(AccessDeniedException.class);
            now[0] += 6_000;
        }
        now[0] += 20_000;
        assertRefused(() -> store.admittingOnSecondAccess().readFully("data/refused-0"));
        refused = path -> false;
        store.put("data/refused-0", new byte[] {1});
        assertThat(store.readFully("data/refused-0")).hasSize(1);
    }

    private void tick(Duration duration) {
        for (long millis = 0; millis < duration.toMillis(); millis += 500) {
            node.tick(500);
        }
    }

    private void assertShardSetAside(String object) throws IOException {
        put(elsewhere, 1, "before");
        refuse(object);
        node.restart();
        assertDamaged(object);
        assertRefused(() -> rows(damaged));
        put(elsewhere, 2, "serves");
        assertThat(rows(elsewhere)).hasSize(2);
        for (int tick = 0; tick < 4; tick++) {
            node.tick(3_600_000);
        }
        putBack();
        assertThat(rows(elsewhere)).hasSize(2);
    }

    private void assertDamaged(String object) {
        assertThat(node.engine().status().damages())
                .as("%s", node.engine().status().damages())
                .extracting(Damage::object)
                .containsExactly(object);
        assertThat(node.engine().status().damages().getFirst().reason())
                .contains(object, breaks ? "StackOverflowError" : "AccessDeniedException");
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SteleException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_DATA));
    }

    private void refuse(String path) {
        refused = path::equals;
    }

    private void putBack() throws IOException {
        refused = path -> false;
        node.restart();
        assertThat(node.engine().status().damages()).isEmpty();
    }

    private void leaveInDoubt(String transaction) throws IOException {
        CompletableFuture<Lsn> commit = node.commit(transaction, List.of());
        node.runUntilDecided(transaction, commit);
    }

    private void stage(String transaction, WriteBatchBuilder batch) {
        node.engine()
                .stage(
                        transaction,
                        damaged.schema().shard(0),
                        batch.toByteArray(),
                        0,
                        batch.sizeBytes());
    }

    private static String manifests(TestTable table) {
        return "manifest/" + table.schema().shard(0) + "/";
    }

    private String newest(String prefix) throws IOException {
        return node.store().list(prefix).stream()
                .map(ObjectEntry::path)
                .max(String::compareTo)
                .orElseThrow();
    }

    private FileEntry fileOf(TestTable table) {
        return node.engine()
                .shard(table.schema().shard(0))
                .table(table.id())
                .view()
                .columnFiles()
                .getFirst()
                .entry();
    }

    private void put(TestTable table, long id, String name) {
        node.await(table.upsert(node.engine(), id, name, id));
    }

    private Map<Long, String> rows(TestTable table) throws IOException {
        return table.snapshot(node.engine(), node.openSnapshot());
    }

    /** A store that refuses to return some objects. */
    private final class RefusingStore extends ForwardingObjectStore {
        private RefusingStore(ObjectStore store) {
            super(store);
        }

        @Override
        public byte[] readFully(String path) throws IOException {
            check(path);
            return super.readFully(path);
        }

        @Override
        public void read(String path, long offset, byte[] buffer, int bufferOffset, int length)
                throws IOException {
            check(path);
            super.read(path, offset, buffer, bufferOffset, length);
        }

        @Override
        public long size(String path) throws IOException {
            check(path);
            return super.size(path);
        }

        private void check(String path) throws AccessDeniedException {
            if (refused.test(path) && reads.merge(path, 1, Integer::sum) <= refusals) {
                if (breaks) {
                    throw new StackOverflowError(path);
                }
                throw new AccessDeniedException(path);
            }
        }
    }
}
