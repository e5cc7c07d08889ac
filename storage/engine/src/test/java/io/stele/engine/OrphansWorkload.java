package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.engine.snapshot.LeasedSnapshot;
import io.stele.objectstore.ObjectEntry;
import io.stele.protocol.Lsn;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.write.WrittenFile;
import io.stele.protocol.schema.Orientation;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A table of workers' files, with uploads that wait for their commit, commits that race, rows that
 * flushes and compactions write, readers that hold what was replaced, and files that belong to
 * nothing; while {@link StorageEngine#removeOrphanFiles} runs without any age that would protect a
 * file.
 *
 * <p>Every row that was committed is read whole at every snapshot. What belongs to nothing is gone
 * in the end.
 */
final class OrphansWorkload implements Workload {
    private static final int SHARDS = 2;
    private static final Instant ALL_AGES = Instant.MAX;

    private final Simulation simulation;
    private final SplittableRandom random;
    private final SimulatedNode node;
    private final TestTable table;
    private final List<Upload> uploads = new ArrayList<>();
    private final PinnedReads<LeasedSnapshot> pinned;
    private final Map<Lsn, Map<Long, String>> seen = new TreeMap<>();
    private long nextId;
    private long acknowledged;

    OrphansWorkload(Simulation simulation) {
        this.simulation = simulation;
        random = simulation.newRandom();
        node = simulation.node();
        pinned = new PinnedReads<>(node, Function.identity());
        table = TestTable.create(node.engine(), "orphaned", Orientation.COLUMN, true, SHARDS);
    }

    /** Rows in a file of an open transaction. */
    private static final class Upload {
        private final StorageEngine engine;
        private final String transaction;
        private final List<Long> ids;
        private final List<WrittenFile> files;
        private boolean committing;
        private boolean committed;

        Upload(StorageEngine engine, String transaction, List<Long> ids, List<WrittenFile> files) {
            this.engine = engine;
            this.transaction = transaction;
            this.ids = ids;
            this.files = files;
        }
    }

    @Override
    public long acknowledged() {
        return acknowledged;
    }

    @Override
    public void act() throws IOException {
        pinned.follow();
        switch (random.nextInt(10)) {
            case 0, 1 -> upload();
            case 2, 3 -> commit();
            case 4 -> strayFiles();
            case 5, 6 -> Simulation.ignore(node.engine().removeOrphanFiles(table.id(), ALL_AGES));
            case 7 -> readPinned();
            case 8 -> Simulation.ignore(node.engine().flush(table.id()));
            default -> Simulation.ignore(node.engine().compact(table.id()));
        }
    }

    /** Writes files of a transaction that is open, and leaves it at that for now. */
    private void upload() throws IOException {
        StorageEngine engine = node.engine();
        String transaction = engine.beginTransaction(table.id(), Optional.empty());
        List<Long> ids = new ArrayList<>();
        for (int count = 1 + random.nextInt(5); count > 0; count--) {
            ids.add(nextId++);
        }
        List<WrittenFile> files = new ArrayList<>();
        for (int index = 0; index < SHARDS; index++) {
            ShardId shard = table.schema().shard(index);
            List<WorkerFiles.Row> rows =
                    ids.stream()
                            .filter(id -> table.shard(id).equals(shard))
                            .map(id -> new WorkerFiles.Row(id, "n", 0))
                            .toList();
            if (!rows.isEmpty()) {
                String name = transaction + "_" + index;
                files.add(WorkerFiles.write(node.objects(), table, shard, name, rows));
            }
        }
        uploads.add(new Upload(engine, transaction, ids, files));
    }

    private void commit() {
        List<Upload> open =
                uploads.stream()
                        .filter(upload -> upload.engine == node.engine() && !upload.committing)
                        .toList();
        if (open.isEmpty()) {
            return;
        }
        Upload upload = open.get(random.nextInt(open.size()));
        upload.committing = true;
        upload.engine
                .commit(upload.transaction, upload.files, Optional.empty())
                .whenComplete(
                        (lsn, failed) -> {
                            if (node.engine() == upload.engine && failed == null) {
                                upload.committed = true;
                                acknowledged++;
                                simulation.trace("committed " + upload.transaction);
                            }
                        });
    }

    /** Names as earlier engines and workers gave them, and others. */
    private void strayFiles() throws IOException {
        String folder = "data/" + table.id() + "/" + random.nextInt(SHARDS) + "/";
        String number = Long.toHexString(random.nextInt(1000));
        for (String name : List.of("1-%s.orc", "1-%s.idx", "1-%s_w.orc", "other%s")) {
            node.objects().put(folder + name.formatted(number), new byte[] {1});
        }
    }

    private static boolean isStray(ObjectEntry entry) {
        String name = entry.path().substring(entry.path().lastIndexOf('/') + 1);
        return name.startsWith("1-") || name.startsWith("other");
    }

    private void readPinned() throws IOException {
        if (pinned.isEmpty() || random.nextInt(3) == 0) {
            pinned.pin(Function.identity());
            return;
        }
        LeasedSnapshot snapshot = pinned.any(random);
        try {
            Map<Long, String> rows = read(snapshot);
            assertThat(seen.computeIfAbsent(snapshot.lsn(), _ -> rows)).isEqualTo(rows);
        } catch (SteleException expired) {
            pinned.remove(snapshot);
            throw expired;
        } catch (NoSuchFileException missing) {
            if (simulation.isDamaged(missing.getFile())) {
                throw missing;
            }
            // Not one of the store's faults, which the simulation takes as they come
            throw new AssertionError(
                    "Expected the files of a pinned snapshot at LSN " + snapshot.lsn(), missing);
        }
    }

    /** All rows, through the engine and as workers read them: each upload whole, or not there. */
    private Map<Long, String> read(LeasedSnapshot snapshot) throws IOException {
        Map<Long, String> rows = table.snapshot(node.engine(), snapshot);
        assertThat(table.planned(node, snapshot)).isEqualTo(rows);
        for (Upload upload : uploads) {
            assertThat(upload.ids.stream().filter(rows::containsKey).count())
                    .as("rows of %s", upload.transaction)
                    .isIn(0L, (long) upload.ids.size());
        }
        return rows;
    }

    @Override
    public void check() throws IOException {
        LeasedSnapshot snapshot = node.openSnapshot();
        Map<Long, String> rows = read(snapshot);
        for (Upload upload : uploads) {
            assertThat(rows.keySet().containsAll(upload.ids))
                    .as("%s committed", upload.transaction)
                    .isIn(true, upload.committed);
            if (!upload.committing) {
                assertThat(rows).doesNotContainKeys(upload.ids.toArray(Long[]::new));
            }
        }
        node.engine().closeSnapshot(snapshot.id());
    }

    @Override
    public void finish() throws IOException {
        node.await(node.engine().compact(table.id()));
        node.await(node.engine().removeOrphanFiles(table.id(), ALL_AGES));
        assertThat(node.objects().list("data/" + table.id() + "/"))
                .as("files that belong to nothing")
                .noneMatch(OrphansWorkload::isStray);
        check();
    }
}
