package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that runs UPDATEs through Trino that move amounts between accounts of different
 * shards. Every read must find the same sum. It must find as many transfers as were acknowledged,
 * or more by at most those whose outcome is open.
 */
final class SqlTransfers implements ChaosClient {
    private static final int ACCOUNTS = 64;
    private static final long SUM = 1_000L * ACCOUNTS;

    private final ClientContext context;
    private @Nullable TrinoSession session;
    private long acknowledged;
    private long open;

    SqlTransfers(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    public String key() {
        return "transfers";
    }

    @Override
    public void prepare() throws Exception {
        TrinoSession opened = context.session();
        session = opened;
        context.update(opened, "CREATE SCHEMA IF NOT EXISTS " + ClientContext.SCHEMA);
        context.update(
                opened,
                "CREATE TABLE IF NOT EXISTS accounts (id bigint NOT NULL, balance bigint, transfers bigint)"
                        + " WITH (primary_key = ARRAY['id'], orientation = 'row,column')");
        context.update(
                opened,
                "INSERT INTO accounts SELECT n, BIGINT '1000', BIGINT '0' FROM UNNEST(sequence(1, %d)) t(n) WHERE (SELECT count(*) FROM accounts) = 0"
                        .formatted(ACCOUNTS));
    }

    @Override
    public void step(Random random) throws Exception {
        if (random.nextInt(3) == 0) {
            try {
                verify();
            } catch (SQLException e) {
                // Checked again later
            }
            return;
        }
        int from = 1 + random.nextInt(ACCOUNTS);
        int to = 1 + (from + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        int amount = random.nextInt(100);
        open++;
        try {
            long rows =
                    context.update(
                            requireNonNull(session, "not prepared"),
                            ("UPDATE accounts SET transfers = transfers + 1,"
                                            + " balance = balance + CASE id WHEN %d THEN -%d ELSE %d END WHERE id IN (%d, %d)")
                                    .formatted(from, amount, amount, from, to));
            if (rows != 2) {
                context.violation("an UPDATE of 2 rows said " + rows);
            }
            acknowledged++;
            open--;
            context.tally().acknowledged();
        } catch (SQLException e) {
            if (Failures.isRefusal(e)) {
                open--;
                context.tally().refused();
            } else {
                context.tally().open();
            }
        }
    }

    @Override
    public void verify() throws Exception {
        List<Object> found =
                context.query(
                                requireNonNull(session, "not prepared"),
                                "SELECT count(*), sum(balance), sum(transfers) FROM accounts")
                        .getFirst();
        long transfers = found.get(2) instanceof Long sum ? sum : 0;
        context.checked(List.of());
        if (!found.get(0).equals((long) ACCOUNTS)
                || !Long.valueOf(SUM).equals(found.get(1))
                || transfers % 2 != 0
                || transfers / 2 < acknowledged
                || transfers / 2 > acknowledged + open) {
            context.violation(
                    "expected %d accounts, a sum of %d and %d to %d transfers, found %s"
                            .formatted(ACCOUNTS, SUM, acknowledged, acknowledged + open, found));
        }
    }
}
