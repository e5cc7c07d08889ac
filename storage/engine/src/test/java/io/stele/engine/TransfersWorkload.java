package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.scan.RowCursor;
import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.engine.transaction.Coordinator;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * A bank. Transfers are transactions over the shards of two account tables and a ledger: the sum of
 * the accounts is the same at every snapshot, and the accounts are what the ledger says. Some are
 * counted in the only row of a table without a key, which each of them deletes and writes anew.
 */
final class TransfersWorkload implements Workload {
    private static final int ACCOUNTS = 12;
    private static final long INITIAL = 1000;

    private final SplittableRandom random;
    private final SimulatedNode node;
    private final Simulation simulation;
    private final TestTable rowAccounts;
    private final TestTable columnAccounts;
    private final TestTable ledger;
    private final TestTable counter;
    private final List<Transfer> transfers = new ArrayList<>();
    private Lsn opened;
    private long nextTransfer;
    private long acknowledged;
    private long audits;
    private long pastAudits;

    TransfersWorkload(Simulation simulation) {
        this.simulation = simulation;
        random = simulation.newRandom();
        node = simulation.node();
        rowAccounts = TestTable.create(node.engine(), "row_accounts", Orientation.ROW, true, 2);
        columnAccounts =
                TestTable.create(node.engine(), "column_accounts", Orientation.COLUMN, true, 2);
        ledger = TestTable.create(node.engine(), "ledger", Orientation.ROW_COLUMN, true, 2);
        for (TestTable accounts : List.of(rowAccounts, columnAccounts)) {
            for (long id = 0; id < ACCOUNTS; id++) {
                opened = node.await(accounts.upsert(node.engine(), id, "account", INITIAL));
            }
        }
        counter = TestTable.create(node.engine(), "counter", Orientation.COLUMN, false, 1);
        WriteBatchBuilder none = counter.batch();
        none.append(counter.row(0, "counted", 0));
        opened = node.await(counter.write(node.engine(), counter.schema().shard(0), none));
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() {
        int dice = random.nextInt(100);
        if (dice < 70) {
            startTransfer();
        } else if (dice < 80) {
            withSnapshot(Optional.empty(), this::audit);
        } else if (dice < 85) {
            auditThePast();
        } else if (dice < 90) {
            Simulation.ignore(node.engine().flush(columnAccounts.id()));
        } else if (dice < 95) {
            Simulation.ignore(node.engine().flush(rowAccounts.id()));
        } else if (dice < 97) {
            Simulation.ignore(node.engine().compact(columnAccounts.id()));
        } else {
            Simulation.ignore(node.engine().compact(rowAccounts.id()));
        }
    }

    @Override
    public void check() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        checkLedger(snapshot);
        checkAccounts(snapshot);
        checkCounter(snapshot);
        node.engine().closeSnapshot(snapshot.id());
        repeatCommits();
        checkThePast(snapshot.lsn());
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(columnAccounts.id()));
        node.await(node.engine().compact(rowAccounts.id()));
        check();
    }

    /** Reads balances at a snapshot, and moves money if they are still the same at the commit. */
    private void startTransfer() {
        long number = nextTransfer++;
        Transfer transfer =
                new Transfer(
                        number,
                        random.nextBoolean() ? rowAccounts : columnAccounts,
                        random.nextInt(ACCOUNTS),
                        random.nextBoolean() ? rowAccounts : columnAccounts,
                        random.nextInt(ACCOUNTS),
                        1 + random.nextInt(20));
        if (!transfer.isToItself()) {
            withSnapshot(
                    Optional.empty(), (engine, snapshot) -> commit(engine, snapshot, transfer));
        }
    }

    private void commit(StorageEngine engine, LeasedSnapshot snapshot, Transfer transfer)
            throws IOException {
        long from = balance(transfer.fromTable, transfer.from, snapshot);
        long to = balance(transfer.toTable, transfer.to, snapshot);
        String transaction =
                engine.beginTransaction(transfer.fromTable.id(), Optional.of(snapshot.lsn()));
        stage(engine, transaction, transfer.fromTable, transfer.from, from - transfer.amount);
        stage(engine, transaction, transfer.toTable, transfer.to, to + transfer.amount);
        WriteBatchBuilder entry = ledger.batch();
        entry.upsert(
                ledger.key(transfer.number),
                ledger.row(transfer.number, transfer.describe(), transfer.amount));
        stage(engine, transaction, ledger.shard(transfer.number), entry);
        if (random.nextInt(4) == 0) {
            count(engine, snapshot, transaction);
            transfer.isCounted = true;
        }
        transfer.transaction = transaction;
        transfers.add(transfer);
        engine.commit(transaction, List.of(), Optional.empty())
                .whenComplete(
                        (lsn, failed) -> {
                            if (node.engine() == engine) {
                                transfer.answered(lsn, failed);
                                simulation.trace(transfer + " is " + transfer.outcome);
                                acknowledged += lsn != null ? 1 : 0;
                            }
                        });
    }

    private void count(StorageEngine engine, LeasedSnapshot snapshot, String transaction)
            throws IOException {
        ShardId shard = counter.schema().shard(0);
        WriteBatchBuilder counted = counter.batch();
        try (RowCursor rows = node.scan(snapshot, counter.id(), shard)) {
            assertThat(rows.next()).as("the counter's row at %s", snapshot.lsn()).isTrue();
            counted.delete(KeyEncoder.rowIdKey(rows.rowId()));
            counted.append(counter.row(0, "counted", rows.row().longAt(2) + 1));
            assertThat(rows.next()).as("another row at %s", snapshot.lsn()).isFalse();
        }
        stage(engine, transaction, shard, counted);
    }

    private void checkCounter(LeasedSnapshot snapshot) throws IOException {
        long expected =
                transfers.stream()
                        .filter(
                                transfer ->
                                        transfer.isCounted
                                                && transfer.outcome == Outcome.ACKNOWLEDGED)
                        .count();
        try (RowCursor rows = node.scan(snapshot, counter.id(), counter.schema().shard(0))) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.row().longAt(2)).as("counted transfers").isEqualTo(expected);
            assertThat(rows.next()).as("another row").isFalse();
        }
    }

    /** An auditor comes while money moves: no snapshot sees a transfer half done. */
    private void audit(StorageEngine engine, LeasedSnapshot snapshot) throws IOException {
        long sum = 0;
        for (TestTable accounts : List.of(rowAccounts, columnAccounts)) {
            Map<Long, String> rows =
                    switch (random.nextInt(3)) {
                        case 0 -> accounts.snapshot(engine, snapshot);
                        case 1 -> accounts.planned(node, snapshot);
                        default -> lookedUp(engine, accounts, snapshot);
                    };
            for (String row : rows.values()) {
                sum += amount(row);
            }
        }
        assertThat(sum)
                .as("sum of all accounts at %s", snapshot.lsn())
                .isEqualTo(2 * ACCOUNTS * INITIAL);
        audits++;
    }

    private static Map<Long, String> lookedUp(
            StorageEngine engine, TestTable accounts, LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        for (long id = 0; id < ACCOUNTS; id++) {
            rows.put(id, accounts.get(engine, Optional.of(snapshot.lsn()), id).orElseThrow());
        }
        return rows;
    }

    /** The same auditor, at any LSN since the accounts were opened. */
    private void auditThePast() {
        StorageEngine engine = node.engine();
        withSnapshot(
                Optional.empty(),
                (sameEngine, present) ->
                        randomPast(present.lsn())
                                .ifPresent(
                                        past -> {
                                            pastAudits++;
                                            if (node.engine() == engine) {
                                                withSnapshot(Optional.of(past), this::audit);
                                            }
                                        }));
    }

    /** Nothing that a crash may have left makes the past another one. */
    private void checkThePast(Lsn present) throws IOException {
        for (int i = 0; i < 5; i++) {
            Optional<Lsn> past = randomPast(present);
            if (past.isPresent()) {
                LeasedSnapshot snapshot = node.openSnapshot(past.get());
                audit(node.engine(), snapshot);
                node.engine().closeSnapshot(snapshot.id());
                pastAudits++;
            }
        }
    }

    /** Inside the retention, with some time to get there. */
    private Optional<Lsn> randomPast(Lsn present) {
        long oldest =
                Math.max(opened.millis() + 1, present.millis() - simulation.retentionMillis() / 2);
        if (oldest >= present.millis()) {
            return Optional.empty();
        }
        return Optional.of(new Lsn(random.nextLong(oldest << 16, present.value())));
    }

    /** How many audits found the sum, and how many of them looked at the past. */
    long audits() {
        return audits;
    }

    long pastAudits() {
        return pastAudits;
    }

    private void withSnapshot(Optional<Lsn> at, Reading reading) {
        StorageEngine engine = node.engine();
        CompletableFuture<LeasedSnapshot> snapshot = engine.openSnapshot(at, Duration.ofMinutes(5));
        snapshot.whenComplete(
                (opened, failed) -> {
                    if (failed == null && node.engine() == engine) {
                        try {
                            reading.read(engine, opened);
                        } catch (SteleException | IOException refused) {
                            // not sent, or not read: a dying node
                        } catch (AssertionError wrong) {
                            simulation.fail(wrong);
                        } finally {
                            engine.closeSnapshot(opened.id());
                        }
                    }
                });
    }

    private long balance(TestTable table, long id, LeasedSnapshot snapshot) throws IOException {
        return amount(table.get(node.engine(), Optional.of(snapshot.lsn()), id).orElseThrow());
    }

    private static long amount(String row) {
        return Long.parseLong(row.substring(row.indexOf(':') + 1));
    }

    private static void stage(
            StorageEngine engine, String transaction, TestTable table, long id, long balance) {
        WriteBatchBuilder batch = table.batch();
        batch.upsert(table.key(id), table.row(id, "account", balance));
        stage(engine, transaction, table.shard(id), batch);
    }

    private static void stage(
            StorageEngine engine, String transaction, ShardId shard, WriteBatchBuilder batch) {
        engine.stage(transaction, shard, batch.toByteArray(), 0, batch.sizeBytes());
    }

    private void checkLedger(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> entries = ledger.snapshot(node.engine(), snapshot);
        assertThat(ledger.planned(node, snapshot)).isEqualTo(entries);
        for (Transfer transfer : transfers) {
            boolean there = entries.containsKey(transfer.number);
            if (transfer.outcome == Outcome.ACKNOWLEDGED) {
                assertThat(there).as("acknowledged %s", transfer).isTrue();
            } else if (transfer.outcome == Outcome.REFUSED) {
                assertThat(there).as("refused %s", transfer).isFalse();
            } else {
                // Decided by the crash, once and for all.
                transfer.outcome = there ? Outcome.ACKNOWLEDGED : Outcome.REFUSED;
            }
        }
    }

    private void checkAccounts(LeasedSnapshot snapshot) throws IOException {
        for (TestTable table : List.of(rowAccounts, columnAccounts)) {
            Map<Long, String> expected = new TreeMap<>();
            for (long id = 0; id < ACCOUNTS; id++) {
                expected.put(id, "account:" + (INITIAL + movedTo(table, id)));
            }
            assertThat(table.snapshot(node.engine(), snapshot)).isEqualTo(expected);
            assertThat(table.planned(node, snapshot)).isEqualTo(expected);
        }
    }

    private long movedTo(TestTable table, long id) {
        long moved = 0;
        for (Transfer transfer : transfers) {
            if (transfer.outcome == Outcome.ACKNOWLEDGED) {
                moved -= transfer.fromTable == table && transfer.from == id ? transfer.amount : 0;
                moved += transfer.toTable == table && transfer.to == id ? transfer.amount : 0;
            }
        }
        return moved;
    }

    /**
     * A client that lost its answer asks again: it gets the commit's LSN exactly if the transfer is
     * there.
     */
    private void repeatCommits() {
        for (Transfer transfer : transfers) {
            if (transfer.asked) {
                continue;
            }
            try {
                node.await(node.engine().commit(transfer.transaction, List.of(), Optional.empty()));
                assertThat(transfer.outcome)
                        .as("repeated %s", transfer)
                        .isEqualTo(Outcome.ACKNOWLEDGED);
            } catch (SteleException failed) {
                assertThat(failed.code())
                        .as("repeated %s", transfer)
                        .isEqualTo(ErrorCode.TRANSACTION_NOT_FOUND);
                assertThat(transfer.outcome).as("repeated %s", transfer).isEqualTo(Outcome.REFUSED);
            }
            transfer.asked = true;
        }
    }

    @FunctionalInterface
    private interface Reading {
        void read(StorageEngine engine, LeasedSnapshot snapshot) throws IOException;
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
        private boolean isCounted;
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
            return "transfer " + number + " in " + transaction + ", " + describe() + ", " + amount;
        }
    }
}
