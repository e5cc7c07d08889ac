package io.stele.benchmarks.chaos;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that runs INSERTs through Trino into a table with a time to live, and reads all of
 * its rows. No row may disappear before its time, however far the clock of the sidecar jumps.
 */
final class SqlExpiry implements ChaosClient {
    private static final String TABLE = "expiring";
    private static final Duration TIME_TO_LIVE = Duration.ofSeconds(75);

    // LSNs follow a clock that jumps by up to 10 s; the rest is for steps that take a while
    private static final Duration TOLERANCE = Duration.ofSeconds(15);

    /** Of ids a batch. */
    private static final long STRIDE = 1_000;

    private final ClientContext context;
    private final ExpiryModel model = new ExpiryModel(TIME_TO_LIVE, TOLERANCE);
    private @Nullable TrinoSession session;
    private long next = 1;

    SqlExpiry(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    public String key() {
        return "expiry";
    }

    @Override
    public void prepare() throws Exception {
        TrinoSession opened = context.session();
        session = opened;
        context.update(opened, "CREATE SCHEMA IF NOT EXISTS " + ClientContext.SCHEMA);
        context.update(
                opened,
                "CREATE TABLE IF NOT EXISTS %s (id bigint NOT NULL, batch bigint) WITH (primary_key = ARRAY['id'], orientation = 'row,column', time_to_live = '%ds')"
                        .formatted(TABLE, TIME_TO_LIVE.toSeconds()));
    }

    @Override
    public void step(Random random) throws Exception {
        if (model.youngCount() > 0 && random.nextInt(2) == 0) {
            try {
                verify();
            } catch (SQLException e) {
                // Checked again later
            }
            return;
        }
        long batch = next++;
        long rows = 1L + random.nextInt(200);
        model.sent(batch, rows, System.nanoTime());
        try {
            context.update(
                    session(),
                    "INSERT INTO %s SELECT %d + n, BIGINT '%d' FROM UNNEST(sequence(1, %d)) t(n)"
                            .formatted(TABLE, STRIDE * batch, batch, rows));
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
                List<Object> count =
                        context.query(
                                        session(),
                                        "SELECT count(*) FROM %s WHERE batch = %d"
                                                .formatted(TABLE, batch))
                                .getFirst();
                context.checked(model.asked(batch, (Long) count.getFirst(), System.nanoTime()));
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
        var found = FlightWrites.read(context, session(), TABLE, "id");
        context.checked(model.check(found, System.nanoTime()));
    }
}
