package io.stele.engine;

import static io.stele.engine.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.InMemoryLogFiles;
import io.stele.engine.wal.LocalLogFiles;
import io.stele.engine.wal.LogFiles;
import io.stele.engine.wal.LogId;
import io.stele.engine.wal.LogOptions;
import io.stele.engine.wal.ObjectLogFiles;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.InMemoryObjectStore;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.schema.Orientation;
import io.stele.scheduler.SimulatedPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A warehouse opens with its own log, as it was left, and with no other. */
class TestWarehouseLog {
    private static final int TASK_LIMIT = 100_000;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT.withLog(new LogOptions(4 << 10, 4 << 10, 1 << 20, 1 << 20));

    @TempDir private Path folder;

    private final InMemoryObjectStore store = new InMemoryObjectStore();
    private long nowMillis = 1_700_000_000_000L;

    @Test
    void anEmptyFolderInThePlaceOfTheLogIsRefused() throws IOException {
        TestTable table = writtenAndClosed("log");
        assertThatThrownBy(() -> open("typo"))
                .hasMessageContaining("Expected log " + id())
                .hasMessageContaining("found no log")
                .hasMessageContaining(folder.resolve("typo").toString())
                .hasMessageContaining("stele.wal.given-up=" + id());
        assertRow(table, "log", 1);
    }

    @Test
    void theLogMayBeMovedWithItsContent() throws IOException {
        TestTable table = writtenAndClosed("log");
        Files.move(folder.resolve("log"), folder.resolve("moved"));
        assertRow(table, "moved", 1);
    }

    @Test
    void theLogOfAnotherWarehouseIsRefusedByBoth() throws IOException {
        writtenAndClosed("log");
        InMemoryObjectStore other = new InMemoryObjectStore();
        nowMillis += 1;
        assertThatThrownBy(() -> open(other, log("log"), OPTIONS))
                .hasMessageContaining("found log " + id() + " of another warehouse");
        Engine second = open(other, log("second"), OPTIONS);
        TestTable.create(second.engine, "t", Orientation.ROW, true, 1);
        second.close();
        assertThatThrownBy(() -> open("second"))
                .hasMessageContaining("Expected log " + id())
                .hasMessageContaining("found log " + NamedLogs.id(other).orElseThrow());
    }

    @Test
    void aLogThatWasOnlyBegunIsNotSharedByTwoWarehouses() throws IOException {
        open("log").close();
        nowMillis += 1;
        assertThatThrownBy(() -> open(new InMemoryObjectStore(), log("log"), OPTIONS))
                .hasMessageContaining("of another warehouse");
        open("log").close();
    }

    @Test
    void anOlderCopyIsRefused() throws IOException {
        TestTable table = writtenAndClosed("log");
        Files.createDirectory(folder.resolve("copy"));
        for (Path segment : segments("log")) {
            Files.copy(segment, folder.resolve("copy").resolve(segment.getFileName()));
        }
        Engine engine = open("log");
        for (int id = 2; id < 20; id++) {
            engine.write(table, id);
        }
        engine.flush(table);
        engine.close();
        assertThatThrownBy(() -> open("copy"))
                .hasMessageContaining("Expected log " + id() + " to reach at least group")
                .hasMessageContaining("older copy");
        assertRow(table, "log", 19);
    }

    @Test
    void missingSegmentsAreNoticedAtBothEnds() throws IOException {
        TestTable table = writtenAndClosed("log");
        Engine engine = open("log");
        for (int id = 2; id < 200; id++) {
            engine.write(table, id);
        }
        engine.flush(table);
        engine.close();
        List<Path> segments = segments("log");
        assertThat(segments).hasSizeGreaterThan(2);
        Path aside = Files.createDirectory(folder.resolve("aside"));
        for (Path missing : List.of(segments.getFirst(), segments.getLast())) {
            Files.move(missing, aside.resolve("segment"));
            assertThatThrownBy(() -> open("log")).hasMessageContaining("missing");
            Files.move(aside.resolve("segment"), missing);
        }
        assertRow(table, "log", 199);
    }

    @Test
    void aLogIsGivenUpByItsIdOnceAndDoesNotComeBack() throws IOException {
        TestTable table = writtenAndClosed("log");
        LogId lost = id();
        StorageOptions givenUp = OPTIONS.withGivenUpLog(Optional.of(lost));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> open(store, log("log"), givenUp))
                .hasMessageContaining("Expected an empty stele.wal.path");
        nowMillis += 1;
        Engine engine = open(store, log("next"), givenUp);
        assertThat(id()).isNotEqualTo(lost);
        assertThat(table.get(engine.engine, Optional.empty(), 1)).isEmpty();
        engine.write(table, 2);
        engine.close();
        assertThatThrownBy(() -> open(store, log("log"), givenUp))
                .hasMessageContaining("found log " + lost);
        // The key may stay where it is: it means one log, and no other
        assertThatThrownBy(() -> open(store, log("third"), givenUp))
                .hasMessageContaining("found no log");
        Engine again = open(store, log("next"), givenUp);
        assertThat(table.get(again.engine, Optional.empty(), 2)).contains("name:2");
        assertThat(again.engine.history()).contains(engine.engine.history().orElseThrow());
        assertThat(again.engine.history().orElseThrow())
                .contains("log " + id())
                .doesNotContain(lost.toString());
        again.close();
    }

    @Test
    void aLogInTheStoreIsNotFencedByAWarehouseThatItIsNotOf() throws IOException {
        InMemoryObjectStore logs = new InMemoryObjectStore();
        Engine owner = open(store, objectLog(logs, "a/"), OPTIONS);
        TestTable table = TestTable.create(owner.engine, "t", Orientation.ROW, true, 1);
        owner.write(table, 1);
        int objects = logs.list("").size();
        assertThatThrownBy(() -> open(new InMemoryObjectStore(), objectLog(logs, "a/"), OPTIONS))
                .hasMessageContaining("of another warehouse");
        assertThatThrownBy(() -> open(store, objectLog(logs, "typo/"), OPTIONS))
                .hasMessageContaining("found no log");
        assertThat(logs.list("")).hasSize(objects);
        owner.write(table, 2);
        owner.close();
        Engine next = open(store, objectLog(logs, "a/"), OPTIONS);
        assertThat(table.get(next.engine, Optional.empty(), 2)).contains("name:2");
        next.close();
    }

    @Test
    void theEndOfALogInTheStoreIsMissedBeforeItIsFenced() throws IOException {
        InMemoryObjectStore logs = new InMemoryObjectStore();
        Engine owner = open(store, objectLog(logs, "a/"), OPTIONS);
        TestTable table = TestTable.create(owner.engine, "t", Orientation.ROW, true, 1);
        owner.write(table, 1);
        owner.write(table, 2);
        owner.flush(table);
        owner.close();
        String last = logs.list("").getLast().path();
        byte[] bytes = logs.readFully(last);
        logs.delete(last);
        int objects = logs.list("").size();
        assertThatThrownBy(() -> open(store, objectLog(logs, "a/"), OPTIONS))
                .hasMessageContaining("to reach at least group");
        assertThat(logs.list("")).hasSize(objects);
        logs.put(last, bytes);
        open(store, objectLog(logs, "a/"), OPTIONS).close();
    }

    @Test
    void aStartThatDiesAnywhereIsFollowedByOneThatComesUp() throws IOException {
        for (int step = 1; ; step++) {
            SplittableRandom random = new SplittableRandom(step);
            CrashPoint crash = CrashPoint.after(step);
            FaultInjectingObjectStore faulty =
                    new FaultInjectingObjectStore(crash, StoreFaults.NONE, random, nanos -> {});
            InMemoryLogFiles log = new InMemoryLogFiles(crash, random);
            try {
                open(faulty, log, OPTIONS);
            } catch (IOException | RuntimeException died) {
                assertThat(crash.crashed()).as("step %s: %s", step, died).isTrue();
            }
            boolean crashed = crash.crashed();
            for (int attempt = 0; attempt < 2; attempt++) {
                nowMillis += 1;
                faulty = faulty.surviving(CrashPoint.never(), StoreFaults.NONE);
                log = log.surviving(CrashPoint.never());
                Engine engine = open(faulty, log, OPTIONS);
                TestTable table =
                        TestTable.create(engine.engine, "t" + attempt, Orientation.ROW, true, 1);
                engine.write(table, attempt);
            }
            if (!crashed) {
                assertThat(step).as("operations of a start").isGreaterThan(5);
                return;
            }
        }
    }

    private LogId id() throws IOException {
        return NamedLogs.id(store).orElseThrow();
    }

    private TestTable writtenAndClosed(String log) throws IOException {
        Engine engine = open(log);
        TestTable table = TestTable.create(engine.engine, "t", Orientation.ROW, true, 1);
        engine.write(table, 1);
        engine.close();
        return table;
    }

    private void assertRow(TestTable table, String log, int id) throws IOException {
        Engine engine = open(log);
        assertThat(table.get(engine.engine, Optional.empty(), id)).contains("name:" + id);
        engine.close();
    }

    private List<Path> segments(String log) throws IOException {
        try (var files = Files.list(folder.resolve(log))) {
            return files.filter(file -> file.toString().endsWith(".wal")).sorted().toList();
        }
    }

    private LogFiles log(String name) throws IOException {
        return LocalLogFiles.open(folder.resolve(name));
    }

    private static LogFiles objectLog(ObjectStore logs, String name) {
        return new ObjectLogFiles(logs, name, Runnable::run, millis -> {});
    }

    private Engine open(String log) throws IOException {
        return open(store, log(log), OPTIONS);
    }

    private Engine open(ObjectStore warehouse, LogFiles log, StorageOptions options)
            throws IOException {
        try {
            return new Engine(warehouse, log, options);
        } catch (IOException | RuntimeException refused) {
            log.close();
            throw refused;
        }
    }

    private final class Engine {
        private final List<Throwable> uncaught = new ArrayList<>();
        private final SimulatedPool pool =
                new SimulatedPool(new SplittableRandom(1), uncaught::add);
        private final LogFiles log;
        private final StorageEngine engine;

        Engine(ObjectStore warehouse, LogFiles log, StorageOptions options) throws IOException {
            this.log = log;
            nowMillis += 1;
            engine =
                    StorageEngine.open(
                            options,
                            warehouse,
                            log,
                            new HybridClock(() -> nowMillis),
                            EngineThreads.simulated(pool, uncaught::add));
        }

        void write(TestTable table, int id) {
            var written = table.upsert(engine, id, "name", id);
            pool.runUntilIdle(TASK_LIMIT);
            assertThat(written).isCompleted();
        }

        void flush(TestTable table) {
            var flushed = engine.flush(table.id());
            pool.runUntilIdle(TASK_LIMIT);
            assertThat(flushed).isCompleted();
        }

        void close() throws IOException {
            engine.close();
            log.close();
            assertThat(uncaught).isEmpty();
        }
    }
}
