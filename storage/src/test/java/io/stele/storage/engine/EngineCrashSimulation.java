package io.stele.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.storage.fault.CrashPoint;
import io.stele.storage.objectstore.StoreFaults;
import io.stele.storage.wal.LogOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * A bank on a node that dies after a random write to its store or log, several times in a row.
 *
 * <p>Transfers are transactions over the shards of two account tables and a ledger: the sum of the
 * accounts never changes, and the accounts are what the ledger says. Beside them a writer appends
 * batches and sends each again until it is acknowledged: every row is there exactly once. What was
 * acknowledged is there after the crash; what was not is there wholly or not at all.
 *
 * <p>{@code -Dsimulation.seed=N} replays one seed; {@code -Dsimulation.seeds=N} runs that many.
 */
class EngineCrashSimulation {
    private static final int SEEDS = 120;
    private static final int ACCOUNTS = 12;
    private static final long INITIAL = 1000;
    private static final StorageOptions OPTIONS =
            StorageOptions.DEFAULT
                    // segments of a few groups, so that most of the log is trimmed away in every
                    // life
                    .withLog(new LogOptions(4 << 10, 4 << 10, 1 << 20, 1 << 20))
                    .withMemTables(3_000, 10_000_000, Duration.ofSeconds(20))
                    .withRetention(Duration.ofMillis(1))
                    .withCollectionGrace(Duration.ofMillis(1));

    @Test
    void nothingAcknowledgedIsLostAndNothingIsHalfDone() {
        Long only = Long.getLong("simulation.seed");
        int count = only != null ? 1 : Integer.getInteger("simulation.seeds", SEEDS);
        int crashes = 0;
        int acknowledged = 0;
        for (int i = 0; i < count; i++) {
            long seed = only != null ? only : i;
            Run run;
            try {
                run = new Run(seed);
                run.run();
            } catch (IOException | RuntimeException | AssertionError failed) {
                throw new AssertionError(
                        "Failed with -Dsimulation.seed=" + seed + ": " + failed, failed);
            }
            crashes += run.crashes;
            acknowledged += run.acknowledgedTransfers;
        }
        if (only == null) {
            // A simulation in which nothing crashes or nothing gets through proves nothing.
            assertThat(crashes).isGreaterThan(count);
            assertThat(acknowledged).isGreaterThan(count * 10);
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final SimulatedNode node;
        private final TestTable rowAccounts;
        private final TestTable columnAccounts;
        private final TestTable ledger;
        private final TestTable events;
        private final List<Transfer> transfers = new ArrayList<>();
        private final List<EventBatch> eventBatches = new ArrayList<>();
        private final Map<ShardId, Long> nextSequence = new HashMap<>();
        private long nextTransfer;
        private long nextEvent;
        private int crashes;
        private int acknowledgedTransfers;

        Run(long seed) throws IOException {
            random = new SplittableRandom(seed);
            node = SimulatedNode.start(OPTIONS, seed);
            rowAccounts = TestTable.create(node.engine(), "row_accounts", Orientation.ROW, true, 2);
            columnAccounts =
                    TestTable.create(node.engine(), "column_accounts", Orientation.COLUMN, true, 2);
            ledger = TestTable.create(node.engine(), "ledger", Orientation.ROW_COLUMN, true, 2);
            events = TestTable.create(node.engine(), "events", Orientation.COLUMN, false, 2);
            for (TestTable accounts : List.of(rowAccounts, columnAccounts)) {
                for (long id = 0; id < ACCOUNTS; id++) {
                    node.await(accounts.upsert(node.engine(), id, "account", INITIAL));
                }
            }
        }

        void run() throws IOException {
            int lives = 2 + random.nextInt(3);
            for (int life = 0; life < lives; life++) {
                restartUntilUp();
                live();
                restart(CrashPoint.never(), StoreFaults.NONE);
                check();
            }
            node.await(node.engine().compact(columnAccounts.id()));
            node.await(node.engine().compact(rowAccounts.id()));
            node.await(node.engine().compact(events.id()));
            check();
            assertThat(node.uncaught()).isEmpty();
        }

        private void restartUntilUp() throws IOException {
            StoreFaults faults =
                    random.nextInt(3) == 0 ? new StoreFaults(0.02, 0.02, 0, 0) : StoreFaults.NONE;
            for (int attempt = 0; attempt < 4; attempt++) {
                try {
                    restart(CrashPoint.after(1 + random.nextInt(160)), faults);
                    return;
                } catch (IOException | SteleException diedWhileStarting) {
                    // the next attempt finds what this one left
                }
            }
            restart(CrashPoint.never(), StoreFaults.NONE);
        }

        private void restart(CrashPoint crashPoint, StoreFaults faults) throws IOException {
            crashes++;
            node.uncaught().clear();
            node.restart(crashPoint, faults);
        }

        /** Clients act until the process has died, or long enough. */
        private void live() {
            for (int step = 0; step < 250 && !node.crashPoint().crashed(); step++) {
                try {
                    act(random.nextInt(100));
                } catch (SteleException refused) {
                    // a dying engine refuses; what that means for the client's request is checked
                    // after the restart
                }
                for (int tasks = random.nextInt(30); tasks > 0; tasks--) {
                    node.pool().runOne();
                }
            }
            for (int tasks = random.nextInt(400); tasks > 0; tasks--) {
                node.pool().runOne();
            }
        }

        private void act(int dice) {
            if (dice < 40) {
                startTransfer();
            } else if (dice < 70) {
                sendEvents();
            } else if (dice < 80) {
                node.advance(random.nextInt(8000));
                node.pool().tick();
            } else if (dice < 84) {
                ignore(node.engine().flush(columnAccounts.id()));
            } else if (dice < 88) {
                ignore(node.engine().flush(rowAccounts.id()));
            } else if (dice < 90) {
                ignore(node.engine().compact(columnAccounts.id()));
            } else if (dice < 92) {
                ignore(node.engine().compact(rowAccounts.id()));
            } else if (dice < 94) {
                ignore(node.engine().flush(events.id()));
            }
        }

        /**
         * Reads balances at a read point, and moves money if they are still the same at the commit.
         */
        private void startTransfer() {
            long number = nextTransfer++;
            boolean rows = random.nextBoolean();
            Transfer transfer =
                    new Transfer(
                            number,
                            rows ? rowAccounts : columnAccounts,
                            random.nextInt(ACCOUNTS),
                            random.nextBoolean() ? rowAccounts : columnAccounts,
                            random.nextInt(ACCOUNTS),
                            1 + random.nextInt(20));
            if (transfer.isToItself()) {
                return;
            }
            StorageEngine engine = node.engine();
            engine.openReadPoint(Optional.empty(), Duration.ofMinutes(5))
                    .whenComplete(
                            (point, failed) -> {
                                if (failed == null && node.engine() == engine) {
                                    try {
                                        commit(engine, point, transfer);
                                    } catch (SteleException | IOException refused) {
                                        // not sent: the transfer must not be there, unless it was
                                    } finally {
                                        engine.closeReadPoint(point.id());
                                    }
                                }
                            });
        }

        private void commit(StorageEngine engine, ReadPoint point, Transfer transfer)
                throws IOException {
            long from = balance(transfer.fromTable(), transfer.from(), point);
            long to = balance(transfer.toTable(), transfer.to(), point);
            String transaction =
                    engine.beginTransaction(transfer.fromTable().id(), Optional.of(point.lsn()));
            stage(
                    engine,
                    transaction,
                    transfer.fromTable(),
                    transfer.from(),
                    from - transfer.amount());
            stage(engine, transaction, transfer.toTable(), transfer.to(), to + transfer.amount());
            WriteBatchBuilder entry = ledger.batch();
            entry.upsert(
                    ledger.key(transfer.number()),
                    ledger.row(transfer.number(), transfer.describe(), transfer.amount()));
            stage(engine, transaction, ledger.shard(transfer.number()), entry);
            transfer.transaction = transaction;
            transfers.add(transfer);
            engine.commit(transaction, List.of(), Optional.empty())
                    .whenComplete(
                            (lsn, failed) -> {
                                if (node.engine() == engine) {
                                    transfer.answered(lsn, failed);
                                    acknowledgedTransfers += lsn != null ? 1 : 0;
                                }
                            });
        }

        private long balance(TestTable table, long id, ReadPoint point) throws IOException {
            String row = table.get(node.engine(), Optional.of(point.lsn()), id).orElseThrow();
            return Long.parseLong(row.substring(row.indexOf(':') + 1));
        }

        private void stage(
                StorageEngine engine, String transaction, TestTable table, long id, long balance) {
            WriteBatchBuilder batch = table.batch();
            batch.upsert(table.key(id), table.row(id, "account", balance));
            stage(engine, transaction, table.shard(id), batch);
        }

        private static void stage(
                StorageEngine engine, String transaction, ShardId shard, WriteBatchBuilder batch) {
            engine.stage(transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
        }

        private void sendEvents() {
            ShardId shard = events.schema().shard(random.nextInt(2));
            WriteBatchBuilder batch = events.batch();
            Set<Long> ids = new HashSet<>();
            for (int i = random.nextInt(4); i >= 0; i--) {
                long id = nextEvent++;
                ids.add(id);
                batch.append(events.row(id, "event", id));
            }
            EventBatch sent =
                    new EventBatch(
                            shard,
                            nextSequence.merge(shard, 1L, Long::sum),
                            batch.toByteArray(),
                            ids);
            eventBatches.add(sent);
            send(sent);
        }

        private CompletableFuture<Lsn> send(EventBatch batch) {
            StorageEngine engine = node.engine();
            CompletableFuture<Lsn> answer =
                    engine.write(
                            batch.shard,
                            events.writerId(),
                            batch.sequence,
                            batch.bytes,
                            0,
                            batch.bytes.length);
            answer.whenComplete(
                    (lsn, failed) -> batch.acknowledged |= lsn != null && node.engine() == engine);
            return answer;
        }

        private static void ignore(CompletableFuture<?> future) {
            future.exceptionally(failed -> null);
        }

        /** Everything that must hold whenever the node is up. */
        private void check() throws IOException {
            ReadPoint point = node.readPoint();
            checkBank(point);
            checkEvents(point);
            node.engine().closeReadPoint(point.id());
            repeatCommits();
            resendEvents();
        }

        private void checkBank(ReadPoint point) throws IOException {
            Map<Long, String> entries = ledger.snapshot(node.engine(), point);
            assertThat(ledger.planned(node, point)).isEqualTo(entries);
            for (Transfer transfer : transfers) {
                boolean there = entries.containsKey(transfer.number());
                if (transfer.outcome == Outcome.ACKNOWLEDGED) {
                    assertThat(there).as("acknowledged %s", transfer).isTrue();
                } else if (transfer.outcome == Outcome.REFUSED) {
                    assertThat(there).as("refused %s", transfer).isFalse();
                } else {
                    // Decided by the crash, once and for all.
                    transfer.outcome = there ? Outcome.ACKNOWLEDGED : Outcome.REFUSED;
                }
            }
            for (TestTable table : List.of(rowAccounts, columnAccounts)) {
                Map<Long, String> expected = new TreeMap<>();
                for (long id = 0; id < ACCOUNTS; id++) {
                    expected.put(id, "account:" + (INITIAL + movedTo(table, id)));
                }
                assertThat(table.snapshot(node.engine(), point)).isEqualTo(expected);
                assertThat(table.planned(node, point)).isEqualTo(expected);
            }
        }

        private long movedTo(TestTable table, long id) {
            long moved = 0;
            for (Transfer transfer : transfers) {
                if (transfer.outcome == Outcome.ACKNOWLEDGED) {
                    moved -=
                            transfer.fromTable() == table && transfer.from() == id
                                    ? transfer.amount()
                                    : 0;
                    moved +=
                            transfer.toTable() == table && transfer.to() == id
                                    ? transfer.amount()
                                    : 0;
                }
            }
            return moved;
        }

        private void checkEvents(ReadPoint point) throws IOException {
            Set<Long> there =
                    events.snapshot(node.engine(), point)
                            .keySet(); // fails on a row that is there twice
            assertThat(events.planned(node, point).keySet()).isEqualTo(there);
            Set<Long> known = new HashSet<>();
            for (EventBatch batch : eventBatches) {
                known.addAll(batch.ids);
                if (batch.acknowledged) {
                    assertThat(there).as("acknowledged %s", batch.sequence).containsAll(batch.ids);
                } else {
                    boolean all = there.containsAll(batch.ids);
                    boolean none = batch.ids.stream().noneMatch(there::contains);
                    assertThat(all || none)
                            .as("batch %s whole or not at all", batch.sequence)
                            .isTrue();
                }
            }
            assertThat(known).containsAll(there);
        }

        /**
         * A client that lost its answer asks again: it gets the commit's LSN exactly if the
         * transfer is there.
         */
        private void repeatCommits() {
            for (Transfer transfer : transfers) {
                if (transfer.asked || node.crashPoint().crashed()) {
                    continue;
                }
                try {
                    node.await(
                            node.engine()
                                    .commit(transfer.transaction, List.of(), Optional.empty()));
                    assertThat(transfer.outcome)
                            .as("repeated %s", transfer)
                            .isEqualTo(Outcome.ACKNOWLEDGED);
                    transfer.asked = true;
                } catch (SteleException failed) {
                    if (failed.code() == ErrorCode.TRANSACTION_NOT_FOUND) {
                        assertThat(transfer.outcome)
                                .as("repeated %s", transfer)
                                .isEqualTo(Outcome.REFUSED);
                        transfer.asked = true;
                    }
                }
            }
        }

        /** As a client does: first what was not answered, in its order, then anything new. */
        private void resendEvents() {
            for (EventBatch batch : eventBatches) {
                // Some come although they were answered: the answer was lost on its way.
                if (!batch.acknowledged || random.nextInt(10) == 0) {
                    node.await(send(batch));
                }
            }
        }
    }

    private enum Outcome {
        UNKNOWN,
        ACKNOWLEDGED,
        REFUSED
    }

    private static final class Transfer {
        private final long number;
        private final TestTable fromTable;
        private final long from;
        private final TestTable toTable;
        private final long to;
        private final long amount;
        private Outcome outcome = Outcome.UNKNOWN;
        private String transaction = "";
        private boolean asked;

        Transfer(
                long number,
                TestTable fromTable,
                long from,
                TestTable toTable,
                long to,
                long amount) {
            this.number = number;
            this.fromTable = fromTable;
            this.from = from;
            this.toTable = toTable;
            this.to = to;
            this.amount = amount;
        }

        long number() {
            return number;
        }

        TestTable fromTable() {
            return fromTable;
        }

        long from() {
            return from;
        }

        TestTable toTable() {
            return toTable;
        }

        long to() {
            return to;
        }

        long amount() {
            return amount;
        }

        boolean isToItself() {
            return fromTable == toTable && from == to;
        }

        void answered(Lsn lsn, Throwable failed) {
            if (lsn != null) {
                outcome = Outcome.ACKNOWLEDGED;
            } else if (Coordinator.unwrap(failed) instanceof SteleException refused
                    && refused.code() == ErrorCode.TRANSACTION_CONFLICT) {
                outcome = Outcome.REFUSED;
            }
        }

        String describe() {
            return fromTable.id() + "/" + from + " to " + toTable.id() + "/" + to;
        }

        @Override
        public String toString() {
            return "transfer "
                    + number
                    + " in transaction "
                    + transaction
                    + ", "
                    + describe()
                    + ", "
                    + amount;
        }
    }

    private static final class EventBatch {
        private final ShardId shard;
        private final long sequence;
        private final byte[] bytes;
        private final Set<Long> ids;
        private boolean acknowledged;

        EventBatch(ShardId shard, long sequence, byte[] bytes, Set<Long> ids) {
            this.shard = shard;
            this.sequence = sequence;
            this.bytes = bytes;
            this.ids = Set.copyOf(ids);
        }
    }
}
