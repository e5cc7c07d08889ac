package io.stele.benchmarks.chaos;

import static io.stele.benchmarks.chaos.JavaWrites.column;
import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.BulkWriter;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client that loads rows over Flight into a table without a key, where a row that is
 * applied twice would be found twice.
 */
final class FlightWrites implements ChaosClient {
    private static final String TABLE = "events";
    private static final int MAX_ROWS = 4_000;

    private final ClientContext context;
    private final BatchModel model = new BatchModel(false);
    private @Nullable TrinoSession session;
    private long next = 1;

    FlightWrites(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    public String key() {
        return "flight";
    }

    @Override
    public void prepare() throws Exception {
        session = context.session();
        context.createTable(
                TableSchema.builder(ClientContext.SCHEMA, TABLE)
                        .columns(
                                List.of(
                                        column(1, "batch", "bigint", false),
                                        column(2, "n", "bigint", false),
                                        column(3, "payload", "varchar", true)))
                        .shardCount(4)
                        .build());
    }

    @Override
    public void step(Random random) throws Exception {
        if (model.size() > 0 && random.nextInt(6) == 0) {
            try {
                verify();
            } catch (SQLException e) {
                // Checked again later
            }
            return;
        }
        long batch = next++;
        long rows = 1L + random.nextInt(MAX_ROWS);
        boolean large = context.largeRows() && random.nextInt(8) == 0;
        model.sent(batch, rows);
        try {
            context.statement(
                    "load of %d rows".formatted(rows),
                    () -> {
                        try (BulkWriter writer =
                                context.client().bulkWriter(ClientContext.SCHEMA, TABLE)) {
                            for (long row = 0; row < rows; row++) {
                                boolean isLarge = large && row % 500 == 0;
                                writer.write(batch, row, "x".repeat(isLarge ? 1 << 20 : 20));
                            }
                            return writer.flush();
                        }
                    });
            model.became(batch, BatchModel.Outcome.ACKNOWLEDGED);
            context.tally().acknowledged();
        } catch (SteleException e) {
            context.tally().open();
            // Each of its rows is there once, or not
        }
    }

    @Override
    public void verify() throws Exception {
        check(context, requireNonNull(session, "not prepared"), TABLE, "n", model);
    }

    /** Reads a table's batches and compares them with the model of the moment before. */
    static void check(
            ClientContext context,
            TrinoSession session,
            String table,
            String distinct,
            BatchModel model)
            throws Exception {
        BatchModel before = model.copy();
        context.checked(before.check(read(context, session, table, distinct)));
    }

    /** The rows of a table by batch. */
    static Map<Long, BatchModel.Found> read(
            ClientContext context, TrinoSession session, String table, String distinct)
            throws Exception {
        Map<Long, BatchModel.Found> found = new HashMap<>();
        for (List<Object> row :
                context.query(
                        session,
                        "SELECT batch, count(*), count(DISTINCT %s) FROM %s GROUP BY batch"
                                .formatted(distinct, table))) {
            found.put(
                    (Long) row.get(0), new BatchModel.Found((Long) row.get(1), (Long) row.get(2)));
        }
        return found;
    }
}
