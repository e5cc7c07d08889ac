package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that creates, alters, fills, renames and drops tables through Trino. If the
 * outcome of a statement is open, a query finds it: the statement happened whole or not at all, and
 * this must not change.
 */
final class SqlDefinitions implements ChaosClient {
    private static final String SCHEMA = "chaos_definitions";
    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    private static final String SETTLED = "settled";
    private static final int MAX_HISTORY = 5;

    private final ClientContext context;
    private @Nullable TrinoSession session;

    // The row counts of the existing tables
    private final Map<String, Long> tables = new TreeMap<>();
    private int columns;

    // The newest statements and their outcomes, for the report of a violation
    private final Deque<String> history = new ArrayDeque<>();

    SqlDefinitions(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    public String key() {
        return "ddl";
    }

    @Override
    public void prepare() throws Exception {
        TrinoSession opened = context.session();
        session = opened;
        context.update(opened, "CREATE SCHEMA IF NOT EXISTS " + SCHEMA);
    }

    @Override
    public void step(Random random) throws Exception {
        if (random.nextInt(6) == 0) {
            try {
                verify();
            } catch (SQLException e) {
                // Checked again later
            }
            return;
        }
        String name = NAMES.get(random.nextInt(NAMES.size()));
        Map<String, Long> after = new TreeMap<>(tables);
        String sql =
                tables.containsKey(name)
                        ? change(name, after, random)
                        : create(name, after, random);
        try {
            context.update(session(), sql);
            tables.clear();
            tables.putAll(after);
            context.tally().acknowledged();
            remember(sql + ": done");
        } catch (SQLException e) {
            if (Failures.isRefusal(e)) {
                context.violation("refused: %s: %s".formatted(sql, e.getMessage()));
            }
            context.tally().open();
            remember(sql + ": " + e.getMessage());
            resolve(sql, after);
        }
    }

    private void remember(String what) {
        if (history.size() == MAX_HISTORY) {
            history.removeFirst();
        }
        history.addLast(what);
    }

    private static String create(String name, Map<String, Long> after, Random random) {
        if (random.nextBoolean()) {
            after.put(name, 0L);
            return "CREATE TABLE %s.%s (id bigint NOT NULL, v varchar) WITH (primary_key = ARRAY['id'])"
                    .formatted(SCHEMA, name);
        }
        after.put(name, 200L);
        return "CREATE TABLE %s.%s AS SELECT n AS id, CAST(n AS varchar) AS v FROM UNNEST(sequence(1, 200)) t(n)"
                .formatted(SCHEMA, name);
    }

    private String change(String name, Map<String, Long> after, Random random) {
        long rows = requireNonNull(tables.get(name), "there is no such table");
        Optional<String> free =
                NAMES.stream().filter(other -> !tables.containsKey(other)).findFirst();
        int choice = random.nextInt(6);
        if (choice == 0) {
            after.remove(name);
            return "DROP TABLE %s.%s".formatted(SCHEMA, name);
        }
        if (choice == 1) {
            return "ALTER TABLE %s.%s ADD COLUMN c%d bigint".formatted(SCHEMA, name, columns++);
        }
        if (choice == 2 && free.isPresent()) {
            after.remove(name);
            after.put(free.get(), rows);
            return "ALTER TABLE %s.%s RENAME TO %s.%s".formatted(SCHEMA, name, SCHEMA, free.get());
        }
        after.put(name, rows + 20);
        return "INSERT INTO %s.%s (id, v) SELECT n, 'x' FROM UNNEST(sequence(%d, %d)) t(n)"
                .formatted(SCHEMA, name, rows + 1_000, rows + 1_019);
    }

    /** Finds out which of two states it is. */
    private void resolve(String sql, Map<String, Long> after) throws Exception {
        context.findings().count("outcomes asked for");
        long deadline = System.nanoTime() + ClientContext.ASKING.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                context.settle(session(), SCHEMA + "." + SETTLED);
                Map<String, Long> found = read();
                context.checked(List.of());
                if (!found.equals(tables) && !found.equals(after)) {
                    context.violation(
                            "after %s, whose outcome was open: expected %s or %s, found %s; before: %s"
                                    .formatted(sql, tables, after, found, history));
                }
                remember("found " + found);
                tables.clear();
                tables.putAll(found);
                return;
            } catch (SQLException e) {
                TimeUnit.SECONDS.sleep(1);
            }
        }
        context.violation("nobody answers what became of " + sql);
    }

    private TrinoSession session() {
        return requireNonNull(session, "not prepared");
    }

    private Map<String, Long> read() throws Exception {
        TrinoSession open = session();
        Map<String, Long> found = new TreeMap<>();
        for (List<Object> table : context.query(open, "SHOW TABLES FROM " + SCHEMA)) {
            String name = (String) table.getFirst();
            if (name.equals(SETTLED)) {
                continue;
            }
            List<Object> count =
                    context.query(open, "SELECT count(*) FROM %s.%s".formatted(SCHEMA, name))
                            .getFirst();
            found.put(name, (Long) count.getFirst());
        }
        return found;
    }

    @Override
    public void verify() throws Exception {
        Map<String, Long> found = read();
        context.checked(List.of());
        if (!found.equals(tables)) {
            context.violation(
                    "expected tables with rows %s, found %s; before: %s"
                            .formatted(tables, found, history));
        }
    }
}
