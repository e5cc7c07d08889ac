package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.shard.Damage;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.RoundsStore;
import io.stele.objectstore.RoundsStore.Recorded;
import io.stele.objectstore.RoundsStore.Request;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A start reads catalog, manifests and log; files are opened when it serves. */
class TestStartRequests {
    private static final int TABLES = 250;
    private static final int SHARDS = 4;
    private static final long IDS = 100; // of which each shard has some

    private final AtomicReference<ObjectStore> inner = new AtomicReference<>();
    private final RoundsStore store = new RoundsStore(NewestStore.of(inner));

    @Test
    void noneOfAThousandFilesIsOpenedBeforeItServes() throws IOException {
        SimulatedNode node = start();
        List<TestTable> tables = new ArrayList<>();
        for (int i = 0; i < TABLES; i++) {
            TestTable table =
                    create(node, "t" + i, i % 2 == 0 ? Orientation.COLUMN : Orientation.ROW);
            fill(node, table);
            tables.add(table);
        }
        assertThat(dataFiles(node)).hasSizeGreaterThanOrEqualTo(TABLES * SHARDS);
        assertThat(dataRequests(restart(node))).isEmpty();
        for (TestTable table : tables) {
            assertThat(table.get(node.engine(), Optional.empty(), 7)).contains("row:7");
        }
        assertThat(node.uncaught()).isEmpty();
    }

    /** Then all are opened, though nobody asks: a lookup of any row reads no end of a file. */
    @Test
    void filesAreOpenedWhenItServes() throws IOException {
        SimulatedNode node = start();
        TestTable table = create(node, "t", Orientation.COLUMN);
        fill(node, table);
        restart(node);
        Recorded<Boolean> later =
                store.record(
                        () -> {
                            node.tick(0);
                            return true;
                        });
        List<String> opened = dataRequests(later);
        assertThat(opened).hasSizeGreaterThanOrEqualTo(SHARDS).allMatch(p -> p.endsWith(".idx"));
        Recorded<Boolean> again =
                store.record(
                        () -> {
                            node.tick(0);
                            return true;
                        });
        assertThat(dataRequests(again)).isEmpty();
    }

    /** What is damaged is found, whether somebody asks for it or not, and never answered from. */
    @Test
    void damagedFilesAreFoundWhenItServes() throws IOException {
        for (Orientation orientation : List.of(Orientation.COLUMN, Orientation.ROW)) {
            SimulatedNode node = start();
            TestTable whole = create(node, "whole", orientation);
            fill(node, whole);
            TestTable damaged = create(node, "damaged", orientation);
            List<String> lost = fillAndFindOpened(node, damaged);
            SimulatedNode other =
                    node.fork(
                            (objects, log) -> {
                                for (String path : lost) {
                                    objects.delete(path);
                                }
                            });
            assertThat(other.engine().status().damages()).isEmpty();
            assertThatThrownBy(() -> damaged.get(other.engine(), Optional.empty(), 7))
                    .isInstanceOfAny(IOException.class, SteleException.class);
            write(other, damaged, 8);
            other.tick(0);
            assertThat(other.engine().status().damages())
                    .extracting(Damage::object)
                    .containsExactlyInAnyOrderElementsOf(lost);
            assertThat(whole.get(other.engine(), Optional.empty(), 7)).contains("row:7");
            // What was written meanwhile is kept until the table is back
            fill(other, whole);
            for (String path : lost) {
                other.store().put(path, node.objects().readFully(path));
            }
            other.restart();
            assertThat(damaged.get(other.engine(), Optional.empty(), 7)).contains("row:7");
            assertThat(damaged.get(other.engine(), Optional.empty(), 8)).contains("later:8");
        }
    }

    /** A write that has to know whether its row is there stops neither its shard nor others. */
    @Test
    void insertsThatMeetADamagedFileSetTheirTableAside() throws IOException {
        for (Orientation orientation : List.of(Orientation.COLUMN, Orientation.ROW)) {
            SimulatedNode node = start();
            TestTable whole = create(node, "whole", orientation);
            fill(node, whole);
            TestTable damaged = create(node, "damaged", orientation);
            List<String> files = fillAndFindOpened(node, damaged);
            SimulatedNode other =
                    node.fork(
                            (objects, log) -> {
                                for (String path : files) {
                                    byte[] content = objects.readFully(path);
                                    content[content.length - 1] ^= 1;
                                    objects.put(path, content);
                                }
                            });
            WriteBatchBuilder batch = damaged.batch();
            damaged.insert(batch, OperationKind.INSERT, 7, "again", 7);
            assertThatThrownBy(
                            () ->
                                    other.await(
                                            damaged.write(other.engine(), damaged.shard(7), batch)))
                    .isInstanceOf(SteleException.class)
                    .extracting(failure -> ((SteleException) failure).code())
                    .isEqualTo(ErrorCode.CORRUPT_DATA);
            other.tick(0);
            assertThat(other.engine().status().failedShards()).isEmpty();
            assertThat(other.engine().status().damages())
                    .extracting(Damage::object)
                    .isNotEmpty()
                    .isSubsetOf(files);
            other.await(whole.upsert(other.engine(), 7, "later", 7));
            assertThat(whole.get(other.engine(), Optional.empty(), 7)).contains("later:7");
        }
    }

    private SimulatedNode start() throws IOException {
        return RequestCost.start(inner, store);
    }

    private Recorded<Boolean> restart(SimulatedNode node) {
        return store.record(
                () -> {
                    node.restart();
                    return true;
                });
    }

    private static TestTable create(SimulatedNode node, String name, Orientation orientation) {
        return TestTable.create(node.engine(), name, orientation, true, SHARDS);
    }

    private static void fill(SimulatedNode node, TestTable table) {
        List<WriteBatchBuilder> batches = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            batches.add(table.batch());
        }
        for (long id = 0; id < IDS; id++) {
            batches.get(table.shard(id).index()).upsert(table.key(id), table.row(id, "row", id));
        }
        for (int shard = 0; shard < SHARDS; shard++) {
            node.await(
                    table.write(
                            node.engine(), table.schema().shards().get(shard), batches.get(shard)));
        }
        node.await(node.engine().flush(table.id()));
    }

    /** The files of the rows that are opened when the node serves. */
    private static List<String> fillAndFindOpened(SimulatedNode node, TestTable table)
            throws IOException {
        List<String> before = dataFiles(node);
        fill(node, table);
        List<String> files = new ArrayList<>(dataFiles(node));
        files.removeAll(before);
        if (table.schema().orientation() == Orientation.COLUMN) {
            files.removeIf(path -> !path.endsWith(".idx"));
        }
        assertThat(files).hasSizeGreaterThanOrEqualTo(SHARDS);
        return files;
    }

    /** It is logged, whether it can be applied or not. */
    private static void write(SimulatedNode node, TestTable table, long id) {
        try {
            node.await(table.upsert(node.engine(), id, "later", id));
        } catch (SteleException setAside) {
            assertThat(setAside.code()).isEqualTo(ErrorCode.CORRUPT_DATA);
        }
    }

    private static List<String> dataFiles(SimulatedNode node) throws IOException {
        return node.objects().list("data/").stream().map(ObjectEntry::path).toList();
    }

    private static List<String> dataRequests(Recorded<?> recorded) {
        return recorded.requests().stream()
                .map(Request::path)
                .filter(path -> path.startsWith("data/"))
                .toList();
    }
}
