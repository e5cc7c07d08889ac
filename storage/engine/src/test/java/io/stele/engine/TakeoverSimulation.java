package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.catalog.TableState;
import io.stele.engine.node.EngineThreads;
import io.stele.engine.node.StorageOptions;
import io.stele.engine.wal.HybridClock;
import io.stele.engine.wal.LogOptions;
import io.stele.engine.wal.ObjectLogFiles;
import io.stele.objectstore.FaultInjectingObjectStore;
import io.stele.objectstore.ForwardingObjectStore;
import io.stele.objectstore.ObjectEntry;
import io.stele.objectstore.ObjectStore;
import io.stele.objectstore.StoreFaults;
import io.stele.objectstore.fault.CrashPoint;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.scheduler.SimulatedPool;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Several engines over one warehouse and one log, for many seeds: each is opened while those before
 * it go on, also between any two of its own steps. All of them write, create, drop and truncate
 * tables, over a store that fails, leaves open what it did, and does it late; engines die.
 *
 * <p>What must hold: a row that was acknowledged is there, a table that was dropped stays dropped,
 * and who was taken over acknowledges nothing.
 *
 * <pre>
 * -Dsimulation.seed=N    one seed only
 * -Dsimulation.seeds=N   that many, from 0
 * </pre>
 */
class TakeoverSimulation {
    private static final int SEEDS = 40;
    private static final int STEPS = 150;
    private static final int TASK_LIMIT = 100_000;

    /** Nothing gets through for sure. */
    private static final StoreFaults DARK = new StoreFaults(0.4, 0.3, 0.3, 0, 0);

    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    .withLog(new LogOptions(4 << 10, 4 << 10, 1 << 20, 1 << 20))
                    .withMemTables(2_000, 10_000_000, Duration.ofSeconds(20))
                    .withCollectionGrace(Duration.ofMillis(1));

    private int takeovers;
    private int acknowledged;
    private int changedMeanwhile;
    private int unknown;

    @Test
    void onlyOneEngineAcknowledgesAndNothingOfItIsLost() {
        Long only = Long.getLong("simulation.seed");
        if (only != null) {
            run(only);
            return;
        }
        int seeds = Integer.getInteger("simulation.seeds", SEEDS);
        for (long seed = 0; seed < seeds; seed++) {
            run(seed);
        }
        // A simulation in which nothing of this happens proves nothing
        assertThat(takeovers).isGreaterThan(4 * seeds);
        assertThat(acknowledged).isGreaterThan(10 * seeds);
        assertThat(changedMeanwhile).isGreaterThan(seeds / 4);
        assertThat(unknown).isGreaterThan(seeds / 8);
    }

    private void run(long seed) {
        try {
            new Run(seed).run();
        } catch (IOException | RuntimeException | AssertionError failed) {
            throw new AssertionError(
                    "Failed; to see it again: -Dsimulation.seed=" + seed + "\n" + failed, failed);
        }
    }

    /** A table, and what clients know of it. */
    private static final class Known {
        private final TestTable table;
        private final Set<Long> rows = new HashSet<>(); // acknowledged
        private boolean dropped;
        private int maybeDroppedAt = -1; // when a statement failed that may have dropped it

        Known(TestTable table) {
            this.table = table;
        }
    }

    /** The history of one seed. */
    private final class Run {
        private final Random random;
        private final FaultInjectingObjectStore store;
        private StoreFaults usual;
        private final List<Engine> engines = new ArrayList<>();
        private final List<Known> tables = new ArrayList<>();
        private long nowMillis = 1_700_000_000_000L;
        private int opened; // how many engines were opened
        private int event;
        private long nextKey;
        private int nextName;
        private boolean opening;
        private AssertionError failure;

        Run(long seed) {
            random = new Random(seed);
            usual =
                    random.nextInt(3) == 0
                            ? StoreFaults.NONE
                            : new StoreFaults(0.02, 0.02, 0.05, 0, 0);
            store =
                    new FaultInjectingObjectStore(
                            CrashPoint.never(), usual, new SplittableRandom(seed + 1), nanos -> {});
        }

        void run() throws IOException {
            for (int step = 0; step < STEPS && failure == null; step++) {
                nowMillis += random.nextInt(2_000);
                if (engines.isEmpty() || random.nextInt(15) == 0) {
                    open();
                } else if (random.nextInt(25) == 0) {
                    engines.remove(random.nextInt(engines.size())).pool.drop();
                } else {
                    act(random.nextInt(3) == 0 ? any() : engines.getLast());
                }
                if (random.nextInt(8) == 0) {
                    store.setFaults(random.nextBoolean() ? DARK : usual);
                }
            }
            usual = StoreFaults.NONE;
            store.setFaults(usual);
            store.settle();
            for (int end = 0; end < 2 && failure == null; end++) {
                open();
                Engine last = engines.getLast();
                for (int tick = 0; tick < 5; tick++) {
                    nowMillis += Duration.ofMinutes(10).toMillis(); // files of nobody go
                    last.pool.tick();
                    last.pool.runUntilIdle(TASK_LIMIT);
                }
                check(last);
                assertThat(last.engine.status().failedShards()).isEmpty();
            }
            if (failure != null) {
                throw failure;
            }
        }

        private void open() {
            opening = true;
            int before = event;
            Engine engine;
            try {
                engine = new Engine();
            } catch (IOException | SteleException failed) {
                return; // the next one finds what it left
            } finally {
                opening = false;
            }
            opened++;
            takeovers++;
            changedMeanwhile += event > before ? 1 : 0;
            engine.number = opened;
            engines.add(engine);
            check(engine);
        }

        /** What the engines before do while one opens. */
        private void meanwhile() {
            if (!opening || engines.isEmpty() || random.nextInt(3) != 0) {
                return;
            }
            opening = false;
            try {
                for (int acts = random.nextInt(4); acts > 0; acts--) {
                    act(random.nextBoolean() ? any() : engines.getLast());
                }
            } finally {
                opening = true;
            }
        }

        private Engine any() {
            return engines.get(random.nextInt(engines.size()));
        }

        private void act(Engine engine) {
            try {
                switch (random.nextInt(20)) {
                    case 0, 1 -> create(engine);
                    case 2 -> drop(engine);
                    case 3 -> truncate(engine);
                    case 4 -> change(engine);
                    case 5 -> flush(engine);
                    case 6, 7 -> engine.pool.tick();
                    case 8, 9, 10, 11 -> engine.pool.runUntilIdle(TASK_LIMIT);
                    default -> write(engine);
                }
            } catch (SteleException refused) {
                // by an engine that was taken over, or whose store does not answer
            }
            for (int tasks = random.nextInt(30); tasks > 0; tasks--) {
                engine.pool.runOne();
            }
        }

        private void create(Engine engine) {
            boolean isOwner = isOwner(engine);
            Orientation orientation = random.nextBoolean() ? Orientation.ROW : Orientation.COLUMN;
            TestTable table =
                    TestTable.create(
                            engine.engine,
                            "t" + nextName++,
                            orientation,
                            true,
                            1 + random.nextInt(2));
            checkOwner(isOwner, "CREATE TABLE");
            tables.add(new Known(table));
            event++;
        }

        private void drop(Engine engine) {
            dropping(
                    engine,
                    "DROP TABLE",
                    known -> engine.engine.catalog().dropTable(known.table.id()));
        }

        private void truncate(Engine engine) {
            dropping(
                    engine,
                    "TRUNCATE TABLE",
                    known -> {
                        TableSchema emptied =
                                engine.engine.catalog().truncateTable(known.table.id());
                        tables.add(new Known(TestTable.of(emptied)));
                    });
        }

        private void dropping(
                Engine engine, String what, java.util.function.Consumer<Known> statement) {
            List<Known> there = tables.stream().filter(known -> !known.dropped).toList();
            if (there.isEmpty()) {
                return;
            }
            Known known = there.get(random.nextInt(there.size()));
            boolean isOwner = isOwner(engine);
            try {
                statement.accept(known);
                checkOwner(isOwner, what);
                known.dropped = true;
                event++;
            } catch (SteleException failed) {
                if (String.valueOf(failed.getMessage()).contains("It is not known")) {
                    known.maybeDroppedAt = event++;
                    unknown++;
                }
                throw failed;
            }
        }

        private void change(Engine engine) {
            List<Known> there = tables.stream().filter(known -> !known.dropped).toList();
            if (there.isEmpty()) {
                return;
            }
            Known known = there.get(random.nextInt(there.size()));
            boolean isOwner = isOwner(engine);
            engine.engine
                    .catalog()
                    .setTableComment(known.table.id(), Optional.of("comment " + event));
            checkOwner(isOwner, "COMMENT ON TABLE");
            event++;
        }

        private void flush(Engine engine) {
            if (!tables.isEmpty()) {
                Known known = tables.get(random.nextInt(tables.size()));
                Simulation.ignore(engine.engine.flush(known.table.id()));
            }
        }

        private void write(Engine engine) {
            if (tables.isEmpty()) {
                return;
            }
            Known known = tables.get(random.nextInt(tables.size()));
            long key = nextKey++;
            boolean isOwner = isOwner(engine);
            int begun = event++;
            WriteBatchBuilder batch = known.table.batch();
            batch.upsert(known.table.key(key), known.table.row(key, "name", key));
            byte[] bytes = batch.toByteArray();
            CompletableFuture<?> written =
                    engine.engine.write(
                            known.table.shard(key), new UUID(1, key), 1, bytes, 0, bytes.length);
            written.whenComplete(
                    (lsn, failed) -> {
                        if (failed == null) {
                            written(known, key, isOwner, begun);
                        }
                    });
        }

        private void written(Known known, long key, boolean isOwner, int begun) {
            try {
                checkOwner(isOwner, "INSERT");
            } catch (AssertionError found) {
                failure = found;
            }
            known.rows.add(key);
            acknowledged++;
            if (begun > known.maybeDroppedAt) {
                known.maybeDroppedAt = -1; // it is there, as its owner has just said
            }
        }

        private boolean isOwner(Engine engine) {
            return engine.number == opened;
        }

        private void checkOwner(boolean isOwner, String what) {
            assertThat(isOwner)
                    .as(what + " of an engine that was taken over before is acknowledged")
                    .isTrue();
        }

        /** The engine has just been opened, or nothing else has changed since. */
        private void check(Engine engine) {
            store.setFaults(StoreFaults.NONE);
            for (Known known : tables) {
                boolean isThere =
                        engine.engine
                                .catalog()
                                .current()
                                .findTable(known.table.id())
                                .filter(entry -> entry.state() != TableState.REPLACED)
                                .isPresent();
                if (known.dropped) {
                    assertThat(isThere).as("%s is dropped", known.table.id()).isFalse();
                    continue;
                }
                if (known.maybeDroppedAt >= 0) {
                    known.dropped = !isThere;
                    known.maybeDroppedAt = -1;
                }
                if (known.dropped) {
                    continue;
                }
                assertThat(isThere).as("%s is there", known.table.id()).isTrue();
                for (long key : known.rows) {
                    try {
                        assertThat(known.table.get(engine.engine, Optional.empty(), key))
                                .as("row %s of table %s", key, known.table.id())
                                .contains("name:" + key);
                    } catch (IOException unread) {
                        throw new AssertionError("Cannot read row " + key, unread);
                    }
                }
            }
            store.setFaults(usual);
        }

        /** One process. */
        private final class Engine {
            private final List<Throwable> uncaught = new ArrayList<>();
            private final SimulatedPool pool =
                    new SimulatedPool(new SplittableRandom(random.nextLong()), uncaught::add);
            private final StorageEngine engine;
            private int number;

            Engine() throws IOException {
                ObjectStore shared = new Interrupted(store, Run.this::meanwhile);
                engine =
                        StorageEngine.open(
                                OPTIONS,
                                shared,
                                new ObjectLogFiles(
                                        shared, "log/", Runnable::run, millis -> waitForStore()),
                                new HybridClock(() -> nowMillis),
                                EngineThreads.simulated(pool, uncaught::add));
            }
        }

        private void waitForStore() {
            if (random.nextInt(6) == 0) {
                store.setFaults(usual);
            }
        }
    }

    /** A store between whose requests something else happens. */
    private static final class Interrupted extends ForwardingObjectStore {
        private final Runnable meanwhile;

        Interrupted(ObjectStore store, Runnable meanwhile) {
            super(store);
            this.meanwhile = meanwhile;
        }

        @Override
        public byte[] readFully(String path) throws IOException {
            meanwhile.run();
            return super.readFully(path);
        }

        @Override
        public boolean createIfAbsent(String path, byte[] content) throws IOException {
            meanwhile.run();
            return super.createIfAbsent(path, content);
        }

        @Override
        public void forEach(String prefix, Consumer<ObjectEntry> action) throws IOException {
            meanwhile.run();
            super.forEach(prefix, action);
        }

        @Override
        public List<String> folders(String folder) throws IOException {
            meanwhile.run();
            return super.folders(folder);
        }
    }
}
