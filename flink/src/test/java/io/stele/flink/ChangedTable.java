package io.stele.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.client.SteleClient;
import io.stele.client.TableWriter;
import io.stele.flink.cluster.FollowingJob;
import io.stele.protocol.schema.Orientation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.types.RowKind;

/**
 * A table (id, n, note) of schema shop with the key id, random changes of it, and what a log of
 * them must have: the kind, id and n of each. Number n is another one for each change. Confined to
 * one thread.
 */
public final class ChangedTable {
    private static final int KEYS = 60;
    private static final String[] NOTES = {"a", "b", "c", "d", "e"};

    private final FlinkSidecar sidecar;
    private final String name;
    private final Random random;
    private final Map<Long, Long> rows = new TreeMap<>();
    private final List<List<Object>> log = new ArrayList<>();
    private long next;

    public ChangedTable(FlinkSidecar sidecar, String name, Orientation orientation, long seed) {
        this.sidecar = sidecar;
        this.name = name;
        this.random = new Random(seed);
        sidecar.createTable(name, orientation, 1, "id bigint", "n bigint", "note varchar");
    }

    /** The kind, id and n of all changes. */
    public List<List<Object>> log() {
        return List.copyOf(log);
    }

    /** The next changes one by one, so each of them is a commit of its own. */
    public void change(int count) {
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", name)) {
            for (int i = 0; i < count; i++) {
                change(writer);
                writer.flush();
            }
        }
    }

    /** The next changes together, so a commit has many of them. */
    void changeAtOnce(int count) {
        try (SteleClient client = sidecar.client();
                TableWriter writer = client.writer("shop", name)) {
            for (int i = 0; i < count; i++) {
                change(writer);
            }
            writer.flush();
        }
    }

    private void change(TableWriter writer) {
        long id = random.nextInt(KEYS);
        long n = next++;
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                writer.delete(id);
                Long before = rows.remove(id);
                if (before != null) {
                    log(RowKind.DELETE, id, before);
                }
            }
            case 2, 3 -> {
                writer.update(List.of("id", "n"), id, n);
                if (rows.containsKey(id)) {
                    put(id, n);
                }
            }
            default -> {
                writer.upsert(id, n, NOTES[random.nextInt(NOTES.length)]);
                put(id, n);
            }
        }
    }

    private void put(long id, long n) {
        Long before = rows.put(id, n);
        if (before == null) {
            log(RowKind.INSERT, id, n);
        } else {
            log(RowKind.UPDATE_BEFORE, id, before);
            log(RowKind.UPDATE_AFTER, id, n);
        }
    }

    /** The rows as they are, as a snapshot of them has them. */
    public List<List<Object>> snapshot() {
        List<List<Object>> snapshot = new ArrayList<>();
        rows.forEach((id, n) -> snapshot.add(List.of(RowKind.INSERT.shortString(), id, n)));
        return snapshot;
    }

    /** Forgets the log: what comes is of a reader that begins here. */
    public void clearLog() {
        log.clear();
    }

    /** Creates the table into which {@link FollowingJob} writes the changes. */
    public void createLog() {
        sidecar.createTable(
                FollowingJob.logOf(name),
                Orientation.COLUMN,
                0,
                "kind varchar",
                "id bigint",
                "n bigint");
    }

    /** Waits until that table has this number of changes, or more. */
    public void awaitLogged(int count) {
        BaseSidecarIT.await(
                "%d changes of %s".formatted(count, name), () -> logged().size() >= count);
    }

    private List<List<Object>> logged() {
        return sidecar.rows("shop", FollowingJob.logOf(name));
    }

    /**
     * Asserts that the job has written these changes, each once. A further change ends them: what
     * came twice before it would be there by then.
     */
    public void assertLogged(List<List<Object>> expected) {
        awaitLogged(expected.size());
        clearLog();
        while (log.isEmpty()) {
            change(1);
        }
        List<List<Object>> all = new ArrayList<>(expected);
        all.addAll(log);
        awaitLogged(all.size());
        assertThat(logged()).containsExactlyInAnyOrderElementsOf(all);
    }

    /** The number of the next change. */
    long next() {
        return next;
    }

    private void log(RowKind kind, long id, long n) {
        log.add(List.of(kind.shortString(), id, n));
    }
}
