package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that runs INSERTs through Trino, each of which must be visible whole or not at
 * all. If an outcome is open, a query finds it, and it must not change any more. Between the
 * INSERTs, readers check all of them.
 */
final class SqlBatches implements ChaosClient {
    private final ClientContext context;
    private final Statements statements;
    private final BatchModel model = new BatchModel(true);
    private @Nullable TrinoSession session;
    private long next = 1;

    /** The table and the statements of one. */
    enum Statements {
        /** Of one row to some that workers write as files, and now and then large ones. */
        BATCHES("sql", "batches", "batch bigint, n bigint, payload varchar", "") {
            @Override
            Insert insert(long batch, Random random, boolean large) {
                long rows = List.of(1L, 1L, 100L, 1_000L, 30_000L).get(random.nextInt(5));
                String payload = "CAST(n AS varchar)";
                if (large && random.nextInt(6) == 0) {
                    rows = 8;
                    // 1 to 3 MB, which a constant of the query's text need not be
                    payload = "rpad('', %d, 'x')".formatted(1_000_000 + random.nextInt(2_000_000));
                }
                return new Insert(rows, sequence(batch, rows, "n, " + payload));
            }
        },
        /** Of rows over up to 5,000 partitions, in the order of their days, or not. */
        PARTITIONS(
                "partitions",
                "parts",
                "batch bigint, n bigint, p date",
                " WITH (partitioned_by = ARRAY['p'])") {
            @Override
            Insert insert(long batch, Random random, boolean large) {
                boolean many = large && random.nextInt(16) == 0;
                long rows = many ? 10_000 : List.of(90L, 300L, 1_000L).get(random.nextInt(3));
                int days = many ? 5_000 : List.of(7, 90, 400).get(random.nextInt(3));
                int factor = random.nextBoolean() ? 1 : 7919;
                return new Insert(
                        rows,
                        sequence(
                                batch,
                                rows,
                                "n, date_add('day', n * %d %% %d, DATE '2026-01-01')"
                                        .formatted(factor, days)));
            }
        };

        private final String key;
        private final String table;
        private final String columns;
        private final String properties;

        Statements(String key, String table, String columns, String properties) {
            this.key = key;
            this.table = table;
            this.columns = columns;
            this.properties = properties;
        }

        abstract Insert insert(long batch, Random random, boolean large);

        String sequence(long batch, long rows, String values) {
            // A sequence has at most 10,000 numbers
            long inner = Math.min(rows, 1_000);
            return "INSERT INTO %s SELECT BIGINT '%d', %s FROM (SELECT %d * a + b AS n FROM UNNEST(sequence(0, %d)) t(a) CROSS JOIN UNNEST(sequence(1, %d)) u(b))"
                    .formatted(table, batch, values, inner, rows / inner - 1, inner);
        }
    }

    /**
     * An INSERT of a batch.
     *
     * @param rows that it writes
     */
    record Insert(long rows, String sql) {}

    SqlBatches(ClientContext context, Statements statements) {
        this.context = requireNonNull(context, "context is null");
        this.statements = requireNonNull(statements, "statements is null");
    }

    @Override
    public String key() {
        return statements.key;
    }

    @Override
    public void prepare() throws Exception {
        TrinoSession opened = context.session();
        session = opened;
        context.update(opened, "CREATE SCHEMA IF NOT EXISTS " + ClientContext.SCHEMA);
        context.update(
                opened,
                "CREATE TABLE IF NOT EXISTS %s (%s)%s"
                        .formatted(statements.table, statements.columns, statements.properties));
    }

    @Override
    public void step(Random random) throws Exception {
        if (model.size() > 0 && random.nextInt(6) == 0) {
            try {
                FlightWrites.check(context, session(), statements.table, "n", model);
            } catch (SQLException e) {
                // Checked again later
            }
            return;
        }
        long batch = next++;
        Insert insert = statements.insert(batch, random, context.largeRows());
        model.sent(batch, insert.rows());
        try {
            context.update(session(), insert.sql());
            model.became(batch, BatchModel.Outcome.ACKNOWLEDGED);
            context.tally().acknowledged();
        } catch (SQLException e) {
            if (Failures.isRefusal(e)) {
                model.became(batch, BatchModel.Outcome.REFUSED);
                context.tally().refused();
            } else {
                context.tally().open();
                ask(batch);
            }
        }
    }

    private void ask(long batch) throws Exception {
        context.findings().count("outcomes asked for");
        long deadline = System.nanoTime() + ClientContext.ASKING.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                long found =
                        (Long)
                                context.query(
                                                session(),
                                                "SELECT count(*) FROM %s WHERE batch = %d"
                                                        .formatted(statements.table, batch))
                                        .getFirst()
                                        .getFirst();
                context.checked(model.asked(batch, found));
                return;
            } catch (SQLException e) {
                TimeUnit.SECONDS.sleep(1);
            }
        }
        context.violation("nobody answers what became of batch " + batch);
    }

    private TrinoSession session() {
        return requireNonNull(session, "not prepared");
    }

    @Override
    public void verify() throws Exception {
        FlightWrites.check(context, session(), statements.table, "n", model);
    }
}
