package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that changes a table with secondary indexes through Trino by INSERT, UPDATE,
 * DELETE and TRUNCATE, and checks reads of it. Indexes are created and dropped meanwhile. It looks
 * up rows by index, and reads past states, also a state before a TRUNCATE.
 */
final class SqlRows implements ChaosClient {
    private static final String TABLE = "indexed";
    private static final String SETTLED = "settled_rows";
    private static final int COLORS = 40;
    private static final int INSERTS = 60;
    private static final int MAX_PASTS = 8;

    /** As many truncated tables are readable; statements of open outcome count as well. */
    private static final int MAX_TRUNCATIONS = 12;

    private final ClientContext context;
    private final RowsModel model = new RowsModel();
    private final Deque<Past> pasts = new ArrayDeque<>();
    private @Nullable TrinoSession session;
    private long nextId = 1;
    private int truncations;
    private boolean hasSecondIndex;

    /**
     * The rows at a version.
     *
     * @param truncations before it
     */
    private record Past(long version, Map<Long, Long> rows, int truncations) {}

    SqlRows(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    public String key() {
        return "rows";
    }

    @Override
    public void prepare() throws Exception {
        TrinoSession opened = context.session();
        session = opened;
        context.update(opened, "CREATE SCHEMA IF NOT EXISTS " + ClientContext.SCHEMA);
        context.update(
                opened,
                "CREATE TABLE IF NOT EXISTS %s (id bigint NOT NULL, color bigint, payload varchar) WITH (primary_key = ARRAY['id'], orientation = 'row,column', indexes = ARRAY['by_color(color)'])"
                        .formatted(TABLE));
    }

    @Override
    public void step(Random random) throws Exception {
        switch (random.nextInt(16)) {
            case 0 -> truncate();
            case 1 -> changeIndexes();
            case 2, 3, 4 -> insert(random);
            case 5, 6 -> recolor(random);
            case 7 -> delete(random);
            case 8, 9 -> readPast(random);
            default -> lookUp(random);
        }
    }

    private void insert(Random random) throws Exception {
        long first = nextId;
        nextId += INSERTS;
        int salt = random.nextInt(COLORS);
        LongUnaryOperator color = id -> (id * 7 + salt) % COLORS;
        Map<Long, Long> after = new TreeMap<>(model.rows());
        for (long id = first; id < nextId; id++) {
            after.put(id, color.applyAsLong(id));
        }
        boolean isDone =
                change(
                        "INSERT INTO %s SELECT n, (n * 7 + %d) %% %d, rpad('', 100, 'x') FROM UNNEST(sequence(%d, %d)) t(n)"
                                .formatted(TABLE, salt, COLORS, first, nextId - 1),
                        after);
        if (isDone) {
            remember();
        }
    }

    /** The moment after an INSERT is the newest version of a row. */
    private void remember() throws Exception {
        try {
            long version =
                    (Long)
                            context.query(session(), "SELECT max(\"$lsn\") FROM " + TABLE)
                                    .getFirst()
                                    .getFirst();
            pasts.addLast(new Past(version, model.rows(), truncations));
        } catch (SQLException e) {
            return; // another time
        }
        while (pasts.size() > MAX_PASTS) {
            pasts.removeFirst();
        }
    }

    private void recolor(Random random) throws Exception {
        long from = random.nextInt(COLORS);
        long to = random.nextInt(COLORS);
        Map<Long, Long> after = new TreeMap<>(model.rows());
        after.replaceAll((id, color) -> color == from ? to : color);
        change("UPDATE %s SET color = %d WHERE color = %d".formatted(TABLE, to, from), after);
    }

    private void delete(Random random) throws Exception {
        long color = random.nextInt(COLORS);
        Map<Long, Long> after = new TreeMap<>(model.rows());
        after.values().removeIf(its -> its == color);
        change("DELETE FROM %s WHERE color = %d".formatted(TABLE, color), after);
    }

    private void truncate() throws Exception {
        truncations++;
        pasts.removeIf(past -> truncations - past.truncations() > MAX_TRUNCATIONS);
        change("TRUNCATE TABLE " + TABLE, Map.of());
    }

    private void changeIndexes() throws Exception {
        hasSecondIndex = !hasSecondIndex;
        change(
                "ALTER TABLE %s SET PROPERTIES indexes = ARRAY['by_color(color)'%s]"
                        .formatted(TABLE, hasSecondIndex ? ", 'by_both(color, id)'" : ""),
                model.rows());
    }

    /** Runs a statement, and finds out what became of it. Returns whether it was acknowledged. */
    private boolean change(String sql, Map<Long, Long> after) throws Exception {
        model.sent(after);
        try {
            context.update(session(), sql);
            model.acknowledged();
            context.tally().acknowledged();
            return true;
        } catch (SQLException e) {
            if (Failures.isRefusal(e)) {
                context.violation("refused: %s: %s".formatted(sql, e.getMessage()));
                context.tally().refused();
                model.refused();
            } else {
                context.tally().open();
                ask(sql);
            }
            return false;
        }
    }

    private void ask(String sql) throws Exception {
        context.findings().count("outcomes asked for");
        long deadline = System.nanoTime() + ClientContext.ASKING.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                context.settle(session(), SETTLED);
                context.checked(model.asked(read("")));
                return;
            } catch (SQLException e) {
                TimeUnit.SECONDS.sleep(1);
            }
        }
        model.refused();
        context.violation("nobody answers what became of " + sql);
    }

    private void lookUp(Random random) throws Exception {
        long color = random.nextInt(COLORS);
        try {
            Map<Long, Long> found = read(" WHERE color = " + color);
            context.checked(RowsModel.check("color " + color, model.withValue(color), found));
        } catch (SQLException e) {
            // Looked up again later
        }
    }

    private void readPast(Random random) throws Exception {
        if (pasts.isEmpty()) {
            return;
        }
        Past past = List.copyOf(pasts).get(random.nextInt(pasts.size()));
        String version = " FOR VERSION AS OF " + past.version();
        try {
            if (random.nextBoolean()) {
                context.checked(RowsModel.check(version, past.rows(), read(version)));
            } else {
                long color = random.nextInt(COLORS);
                String some = version + " WHERE color = " + color;
                context.checked(
                        RowsModel.check(some, RowsModel.withValue(past.rows(), color), read(some)));
            }
        } catch (SQLException e) {
            if (Failures.isRefusal(e)) {
                context.violation("the past cannot be read: " + e.getMessage());
            }
        }
    }

    private Map<Long, Long> read(String which) throws Exception {
        Map<Long, Long> found = new TreeMap<>();
        for (List<Object> row :
                context.query(session(), "SELECT id, color FROM %s%s".formatted(TABLE, which))) {
            Long before = found.put((Long) row.get(0), (Long) row.get(1));
            if (before != null) {
                context.violation("id %s is there twice%s".formatted(row.get(0), which));
            }
        }
        return found;
    }

    private TrinoSession session() {
        return requireNonNull(session, "not prepared");
    }

    @Override
    public void verify() throws Exception {
        context.checked(RowsModel.check("all rows", model.rows(), read("")));
        for (long color = 0; color < COLORS; color += 13) {
            context.checked(
                    RowsModel.check(
                            "color " + color,
                            model.withValue(color),
                            read(" WHERE color = " + color)));
        }
        for (Past past : pasts) {
            String version = " FOR VERSION AS OF " + past.version();
            context.checked(RowsModel.check(version, past.rows(), read(version)));
        }
    }
}
