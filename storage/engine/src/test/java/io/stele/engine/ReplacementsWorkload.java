package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.wire.WriteBatchBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A table whose rows are replaced as a whole, as a materialized view is refreshed, by workers'
 * files and staged rows, while readers run.
 *
 * <p>A reader at T sees the rows of one replacement, the last one at or below T, whole. Of those
 * that looked at the table at R before, none commits where another one did after R.
 */
final class ReplacementsWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final int MAX_ROWS = 6;

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final List<Replacement> replacements = new ArrayList<>();
    private final PinnedReads<LeasedSnapshot> pinned;
    private long nextFile;
    private long acknowledged;

    ReplacementsWorkload(Simulation simulation) {
        this.simulation = simulation;
        random = simulation.newRandom();
        node = simulation.node();
        pinned = new PinnedReads<>(node, Function.identity());
        table = TestTable.create(node.engine(), "replaced", Orientation.COLUMN, false, SHARDS);
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        pinned.follow();
        int dice = random.nextInt(100);
        if (dice < 45) {
            replace();
        } else if (dice < 60) {
            pinned.pin(Function.identity());
        } else if (dice < 85 && !pinned.isEmpty()) {
            read(pinned.any(random));
        } else if (dice < 94) {
            Simulation.ignore(node.engine().flush(table.id()));
        } else {
            Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    @Override
    public void check() throws IOException {
        for (Replacement replacement : replacements) {
            if (!replacement.asked) {
                askAgain(replacement);
            }
        }
        LeasedSnapshot snapshot = node.openSnapshot();
        read(snapshot);
        node.engine().closeSnapshot(snapshot.id());
        checkConflicts();
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        check();
    }

    private void replace() throws IOException {
        StorageEngine engine = node.engine();
        Optional<Lsn> readLsn =
                pinned.isEmpty() || random.nextBoolean()
                        ? Optional.empty()
                        : Optional.of(pinned.last().lsn());
        Replacement replacement =
                new Replacement(replacements.size(), random.nextInt(MAX_ROWS + 1), readLsn);
        replacement.transaction = engine.beginTransaction(table.id(), readLsn);
        List<WrittenFile> files = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            write(engine, replacement, shard, files);
        }
        replacements.add(replacement);
        engine.commit(replacement.transaction, files, Optional.empty(), Optional.of(table.id()))
                .whenComplete(
                        (lsn, failed) -> {
                            if (node.engine() == engine && failed == null) {
                                replacement.lsn = Optional.of(lsn);
                                acknowledged++;
                                simulation.trace("replaced by " + replacement.number);
                            }
                        });
    }

    private void write(
            StorageEngine engine, Replacement replacement, int index, List<WrittenFile> files)
            throws IOException {
        List<WorkerFiles.Row> rows =
                replacement.rows().stream().filter(row -> row.id() % SHARDS == index).toList();
        if (rows.isEmpty()) {
            return;
        }
        ShardId shard = table.schema().shard(index);
        if (random.nextBoolean()) {
            files.add(WorkerFiles.write(node.objects(), table, shard, "r" + nextFile++, rows));
            return;
        }
        WriteBatchBuilder staged = table.batch();
        rows.forEach(row -> staged.append(table.row(row.id(), row.name(), row.amount())));
        engine.stage(replacement.transaction, shard, staged.toByteArray(), 0, staged.sizeBytes());
    }

    private void read(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> rows;
        try {
            rows = table.snapshot(node.engine(), snapshot);
            assertThat(table.planned(node, snapshot)).isEqualTo(rows);
        } catch (SteleException expired) {
            pinned.remove(snapshot);
            throw expired;
        }
        Optional<Replacement> last =
                replacements.stream()
                        .filter(
                                made ->
                                        made.lsn
                                                .filter(at -> at.compareTo(snapshot.lsn()) <= 0)
                                                .isPresent())
                        .max((one, other) -> one.lsn.get().compareTo(other.lsn.get()));
        if (rows.isEmpty()) {
            boolean explained =
                    last.isEmpty()
                            || replacements.stream()
                                    .anyMatch(made -> made.count == 0 && isCandidate(made, last));
            assertThat(explained).as("no rows at %s after %s", snapshot.lsn(), last).isTrue();
            return;
        }
        int number = (int) (rows.keySet().iterator().next() / MAX_ROWS);
        Replacement shown = replacements.get(number);
        Map<Long, String> whole = new TreeMap<>();
        shown.rows().forEach(row -> whole.put(row.id(), row.name() + ":0"));
        assertThat(rows).as("one replacement, whole, at %s", snapshot.lsn()).isEqualTo(whole);
        assertThat(isCandidate(shown, last))
                .as("%s at %s, of which the last known is %s", shown, snapshot.lsn(), last)
                .isTrue();
    }

    /** The last one that is known, or one of which it is not known when it came. */
    private static boolean isCandidate(Replacement made, Optional<Replacement> last) {
        return last.filter(known -> known == made).isPresent()
                || (made.lsn.isEmpty() && !made.asked);
    }

    private void checkConflicts() {
        for (Replacement made : replacements) {
            for (Replacement other : replacements) {
                if (made.lsn.isPresent() && made.readLsn.isPresent() && other.lsn.isPresent()) {
                    boolean between =
                            other.lsn.get().compareTo(made.readLsn.get()) > 0
                                    && other.lsn.get().compareTo(made.lsn.get()) < 0;
                    assertThat(between)
                            .as("%s between read and write of %s", other, made)
                            .isFalse();
                }
            }
        }
    }

    private void askAgain(Replacement made) {
        try {
            Lsn lsn =
                    node.await(node.engine().commit(made.transaction, List.of(), Optional.empty()));
            made.lsn.ifPresent(known -> assertThat(lsn).isEqualTo(known));
            made.lsn = Optional.of(lsn);
        } catch (SteleException failed) {
            assertThat(failed.code()).as("%s", made).isEqualTo(ErrorCode.TRANSACTION_NOT_FOUND);
            assertThat(made.lsn).as("%s", made).isEmpty();
        }
        made.asked = true;
    }

    private static final class Replacement {
        private final int number;
        private final int count;
        private final Optional<Lsn> readLsn;
        private String transaction = "";
        private Optional<Lsn> lsn = Optional.empty();
        private boolean asked;

        Replacement(int number, int count, Optional<Lsn> readLsn) {
            this.number = number;
            this.count = count;
            this.readLsn = readLsn;
        }

        List<WorkerFiles.Row> rows() {
            List<WorkerFiles.Row> rows = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                rows.add(new WorkerFiles.Row(number * (long) MAX_ROWS + i, "by " + number, 0));
            }
            return rows;
        }

        @Override
        public String toString() {
            return "replacement %d of %d rows at %s".formatted(number, count, lsn);
        }
    }
}
