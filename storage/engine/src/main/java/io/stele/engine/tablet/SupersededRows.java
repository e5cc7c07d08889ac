package io.stele.engine.tablet;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of column files, and of memtables on their way into such, that the batches of a lane
 * supersede: found by the lane, which may read files, and marked later by the shard's context in
 * the order of the log, as delete vectors want it.
 *
 * <p>Confined to the lane until the shard's context knows that the lane is done with the batches.
 */
public final class SupersededRows {
    private final KeyLane lane;
    private final List<Mark> marks = new ArrayList<>();

    public SupersededRows(KeyLane lane) {
        this.lane = requireNonNull(lane, "lane is null");
    }

    /** A row that ends. */
    private sealed interface Mark {
        long lsn();

        void set();
    }

    private record InFile(ColumnFile file, int ordinal, @Override long lsn) implements Mark {
        @Override
        public void set() {
            file.deletes().delete(ordinal, lsn);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record InMemory(SealedMemTable sealed, byte[] key, @Override long lsn) implements Mark {
        @Override
        public void set() {
            sealed.supersede(key, lsn);
        }
    }

    /**
     * Finds what the rows of a batch supersede; nothing of it is remembered if a file cannot be
     * read.
     *
     * @param sealed memtables that are being flushed into column files
     */
    void find(
            KeyIndexSearch search,
            WriteBatchReader batch,
            List<ColumnFile> files,
            List<SealedMemTable> sealed,
            long lsn)
            throws IOException {
        int known = marks.size();
        ProbeKeys keys = ProbeKeys.of(batch, lane);
        try {
            search.find(
                    files,
                    keys,
                    lsn,
                    (file, key, ordinal) -> marks.add(new InFile(files.get(file), ordinal, lsn)));
        } catch (IOException | RuntimeException unread) {
            marks.subList(known, marks.size()).clear();
            throw unread;
        }
        for (SealedMemTable table : sealed) {
            for (int i = 0; i < keys.count(); i++) {
                if (table.hasRow(keys.key(i))) {
                    marks.add(new InMemory(table, keys.key(i), lsn));
                }
            }
        }
    }

    /** Marks what several lanes found, in the order of the log; on the shard's context. */
    public static void mark(List<SupersededRows> lanes) {
        List<Mark> all = new ArrayList<>();
        lanes.forEach(lane -> all.addAll(lane.marks));
        all.sort((one, other) -> Long.compare(one.lsn(), other.lsn()));
        all.forEach(Mark::set);
    }
}
