package io.stele.benchmarks.chaos;

import static io.stele.benchmarks.chaos.JavaWrites.column;
import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.flight.FlightPut;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.AbortTransactionRequest;
import io.stele.protocol.api.Actions;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.BeginTransactionReply;
import io.stele.protocol.api.BeginTransactionRequest;
import io.stele.protocol.api.CommitTransactionReply;
import io.stele.protocol.api.CommitTransactionRequest;
import io.stele.protocol.api.Done;
import io.stele.protocol.api.PutMode;
import io.stele.protocol.api.PutTarget;
import io.stele.protocol.arrow.ArrowBatchEncoder;
import io.stele.protocol.arrow.ArrowField;
import io.stele.protocol.arrow.ArrowMessage;
import io.stele.protocol.arrow.ArrowSchemas;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.Rows;
import io.stele.protocol.schema.Orientation;
import io.stele.protocol.schema.TableSchema;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Transactions over all shards that stay open for seconds before they are committed or given up. A
 * commit without an answer is sent again until there is one.
 */
final class LongTransactions implements ChaosClient {
    private static final String TABLE = "ledger";
    private static final int ROWS = 40;

    /** Of ids a batch. */
    private static final long STRIDE = 1_000;

    private static final int MAX_OPEN_MILLIS = 5_000;
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(20);

    private final ClientContext context;
    private final BatchModel model = new BatchModel(true);
    private long next = 1;

    LongTransactions(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    public String key() {
        return "transactions";
    }

    @Override
    public void prepare() {
        context.createTable(
                new TableSchema(
                        new TableId(1),
                        ClientContext.SCHEMA,
                        TABLE,
                        1,
                        List.of(
                                column(1, "id", "bigint", false),
                                column(2, "batch", "bigint", false),
                                column(3, "payload", "varchar", true)),
                        List.of(1),
                        List.of(),
                        List.of(),
                        List.of(),
                        Orientation.ROW_COLUMN,
                        0,
                        4,
                        Optional.empty()));
    }

    @Override
    public void step(Random random) throws Exception {
        long batch = next++;
        model.sent(batch, ROWS);
        try {
            String id = begin();
            stage(id, batch, payloadLength(random));
            TimeUnit.MILLISECONDS.sleep(random.nextInt(MAX_OPEN_MILLIS));
            if (random.nextInt(5) == 0) {
                abort(id);
                model.became(batch, BatchModel.Outcome.REFUSED);
            } else {
                commit(id, batch);
            }
        } catch (SteleException e) {
            // Before its commit was sent
            model.became(batch, BatchModel.Outcome.REFUSED);
        }
    }

    private int payloadLength(Random random) {
        int chance = random.nextInt(12);
        if (context.largeTransactions() && chance == 0) {
            return 2_500_000; // 100 MB: above what a record of the log may have
        }
        return context.largeRows() && chance < 3 ? 300_000 : 100;
    }

    private TableSchema schema() {
        return context.client().table(ClientContext.SCHEMA, TABLE).schema();
    }

    private String begin() throws Exception {
        TableId table = context.statement("flight", "describe " + TABLE, this::schema).id();
        return context.statement(
                        "flight",
                        "begin a transaction",
                        () ->
                                context.flight()
                                        .action(
                                                Actions.BEGIN_TRANSACTION,
                                                new BeginTransactionRequest(
                                                        table, Optional.empty(), Optional.empty()),
                                                BeginTransactionReply.class))
                .transactionId();
    }

    private void stage(String id, long batch, int payloadLength) throws Exception {
        context.statement(
                "flight",
                "stage %d rows of %d bytes".formatted(ROWS, payloadLength),
                () -> {
                    stage(schema(), id, batch, payloadLength);
                    return batch;
                });
    }

    private void stage(TableSchema schema, String id, long batch, int payloadLength) {
        RowLayout layout = RowLayout.of(schema.columns());
        List<ArrowField> fields = ArrowSchemas.fields(schema.columns());
        RowEncoder row = new RowEncoder(layout);
        BinaryRow view = new BinaryRow(layout);
        String payload = "p".repeat(payloadLength);
        try (FlightPut put = context.flight().put()) {
            put.sendSchema(
                    FlightDescriptor.command(
                            ApiJson.write(
                                    PutTarget.staged(
                                            schema.id(),
                                            PutMode.UPSERT,
                                            id,
                                            Optional.empty(),
                                            UUID.randomUUID()))),
                    FlightData.schema(ByteBuffer.wrap(ArrowSchemas.toMessage(fields))));
            ArrowBatchEncoder encoder = ArrowBatchEncoder.forRows(fields, layout);
            for (int n = 0; n < ROWS; n++) {
                int length = Rows.encode(row, List.of(STRIDE * batch + n, batch, payload));
                encoder.append(view.wrap(row.array(), 0, length));
                if (n == ROWS - 1 || encoder.sizeBytes() > 8 << 20) {
                    ArrowMessage message = encoder.finish();
                    put.sendBatch(FlightData.of(message.header(), message.body())).join();
                }
            }
            put.finish();
        } catch (java.util.concurrent.CompletionException e) {
            throw e.getCause() instanceof SteleException failure ? failure : e;
        }
    }

    private void abort(String id) throws Exception {
        context.statement(
                "flight",
                "abort " + id,
                () ->
                        context.flight()
                                .action(
                                        Actions.ABORT_TRANSACTION,
                                        new AbortTransactionRequest(id),
                                        Done.class));
    }

    /** Repeats the commit until its outcome is certain. */
    private void commit(String id, long batch) throws Exception {
        long deadline = System.nanoTime() + ClientContext.ASKING.toNanos();
        while (System.nanoTime() < deadline) {
            try {
                context.statement(
                        "flight",
                        "commit " + id,
                        () ->
                                context.flight()
                                        .action(
                                                Actions.COMMIT_TRANSACTION,
                                                new CommitTransactionRequest(
                                                        id, List.of(), Optional.empty()),
                                                CommitTransactionReply.class,
                                                COMMIT_TIMEOUT));
                model.became(batch, BatchModel.Outcome.ACKNOWLEDGED);
                return;
            } catch (SteleException e) {
                if (Failures.isRefusal(e) && e.code() != ErrorCode.UNAUTHENTICATED) {
                    model.became(batch, BatchModel.Outcome.REFUSED);
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
        context.findings().violation(key(), "nobody answers what became of " + id);
    }

    @Override
    public void verify() throws Exception {
        try (TrinoSession session = context.session()) {
            FlightWrites.check(context, session, TABLE, "id", model.copy(), key());
        }
    }
}
