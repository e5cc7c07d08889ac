package io.stele.connector.write;

import static java.util.Objects.requireNonNull;

import io.stele.connector.type.KeyRows;
import io.stele.objectstore.SequentialReads;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.arrow.ArrowSchemas;
import io.trino.spi.Page;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The rows of small partitions that wait, in temporary objects of the warehouse, for later rows of
 * their partitions. At its end the writer reads them partition by partition, so that each partition
 * becomes one file, whatever the order of its rows. It holds one batch of each object in memory.
 * Confined to one thread.
 *
 * <p>{@value #FAN_IN} objects of a level are merged into one of the next level as soon as they
 * exist, so that few are read at a time and each row is rewritten a few times at most.
 */
final class SpilledRows {
    private static final int FAN_IN = 16;

    private final WriteContext context;
    private final SinkFiles files;
    private final KeyRows keys;
    private final List<SpillFile> spilled = new ArrayList<>(); // older rows first

    SpilledRows(WriteContext context, SinkFiles files, KeyRows keys) {
        this.context = requireNonNull(context, "context is null");
        this.files = requireNonNull(files, "files is null");
        this.keys = requireNonNull(keys, "keys is null");
    }

    boolean isEmpty() {
        return spilled.isEmpty();
    }

    /** Spills rows that are newer than all rows added before. */
    void add(SortedRows sorted, List<SortedRows.Run> runs) throws IOException {
        if (runs.isEmpty()) {
            return;
        }
        try (SpillWriter writer = new SpillWriter(context, files.beginSpill())) {
            for (SortedRows.Run run : runs) {
                for (Page page : sorted.pages(run)) {
                    writer.append(page);
                }
            }
            spilled.add(writer.finish(0));
        }
        while (isLevelFull()) {
            mergeLevel();
        }
    }

    /** Levels never rise from one object to the next. */
    private boolean isLevelFull() {
        int first = spilled.size() - FAN_IN;
        return first >= 0 && spilled.get(first).level() == spilled.getLast().level();
    }

    private void mergeLevel() throws IOException {
        List<SpillFile> level = spilled.subList(spilled.size() - FAN_IN, spilled.size());
        List<SpillFile> merged = List.copyOf(level);
        SpillFile next;
        try (SpillWriter writer = new SpillWriter(context, files.beginSpill())) {
            merge(
                    merged,
                    new Target() {
                        @Override
                        public void add(Page page, List<SortedRows.Row> rows) throws IOException {
                            writer.append(page);
                        }

                        @Override
                        public void groupEnded() {}
                    });
            next = writer.finish(merged.getFirst().level() + 1);
        }
        level.clear();
        spilled.add(next);
        delete(merged);
    }

    /** Passes on all rows, and deletes the objects. */
    void drain(Target target) throws IOException {
        merge(spilled, target);
        delete(spilled);
        spilled.clear();
    }

    private void delete(List<SpillFile> read) {
        read.forEach(file -> files.deleteSpill(file.path()));
    }

    private void merge(List<SpillFile> from, Target target) throws IOException {
        ArrowBatchDecoder decoder = new ArrowBatchDecoder(ArrowSchemas.fields(context.columns()));
        try (SequentialReads reads = SequentialReads.of(context.warehouse())) {
            List<SpillCursor> cursors = new ArrayList<>();
            for (SpillFile file : from) {
                cursors.add(
                        new SpillCursor(
                                context,
                                file,
                                reads.over(
                                        context.warehouse()
                                                .open(file.path(), file.sizeBytes())
                                                .admittingOnSecondAccess(),
                                        file.batches().stream()
                                                .map(SpillFile.Batch::range)
                                                .toList()),
                                keys,
                                decoder));
            }
            Optional<SortedRows.Group> group = leastGroup(cursors);
            while (group.isPresent()) {
                for (SpillCursor cursor : cursors) {
                    cursor.drain(group.get(), target);
                }
                target.groupEnded();
                group = leastGroup(cursors);
            }
        }
    }

    private static Optional<SortedRows.Group> leastGroup(List<SpillCursor> cursors) {
        return cursors.stream()
                .flatMap(cursor -> cursor.row().stream())
                .map(SortedRows.Row::group)
                .min(SortedRows.Group.ORDER);
    }

    /** A receiver of rows by shard and partition, in each of which older rows come first. */
    interface Target {
        /**
         * Receives rows of one group.
         *
         * @param rows their keys; the positions have no meaning
         */
        void add(Page page, List<SortedRows.Row> rows) throws IOException;

        /** No more rows of the last group follow. */
        void groupEnded() throws IOException;
    }
}
