package io.stele.benchmarks.chaos;

import static io.stele.benchmarks.chaos.JavaWrites.column;
import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.TrinoSession;
import io.stele.client.flight.FlightPut;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.snapshot.RenewLeasesRequest;
import io.stele.protocol.api.snapshot.SnapshotActions;
import io.stele.protocol.api.write.AbortTransactionRequest;
import io.stele.protocol.api.write.BeginTransactionRequest;
import io.stele.protocol.api.write.CommitTransactionRequest;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.api.write.WriteActions;
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
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A chaos client with several open transactions over all shards, each of which renews its lease
 * several times before it is committed or aborted. A commit without an answer is sent again until
 * there is one.
 */
final class LongTransactions implements ChaosClient {
    private static final String TABLE = "ledger";
    private static final int ROWS = 40;

    /** Of ids a batch. */
    private static final long STRIDE = 1_000;

    private static final int MAX_OPEN = 3;
    private static final Duration TICK = Duration.ofMillis(250);

    /** As {@code stele.transaction.idle-timeout} of the run's sidecar, for who names none. */
    private static final Duration LEASE = Duration.ofSeconds(3);

    private static final int MAX_LEASES = 5;
    private static final Duration RENEWAL_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration COMMIT_TIMEOUT = Duration.ofSeconds(20);

    private final ClientContext context;
    private final BatchModel model = new BatchModel(true);
    private final List<Transaction> open = new ArrayList<>();
    private @Nullable TrinoSession session;
    private long next = 1;

    /**
     * An open transaction with its rows.
     *
     * @param launches of the sidecar so far; it does not outlive its sidecar
     */
    private record Transaction(
            String id,
            long batch,
            LeaseModel lease,
            long launches,
            long beganNanos,
            long dueNanos) {}

    LongTransactions(ClientContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    @Override
    public String key() {
        return "transactions";
    }

    @Override
    public void prepare() throws Exception {
        session = context.session();
        context.createTable(
                TableSchema.builder(ClientContext.SCHEMA, TABLE)
                        .columns(
                                List.of(
                                        column(1, "id", "bigint", false),
                                        column(2, "batch", "bigint", false),
                                        column(3, "payload", "varchar", true)))
                        .primaryKey(List.of(1))
                        .orientation(Orientation.ROW_COLUMN)
                        .shardCount(4)
                        .build());
    }

    @Override
    public void step(Random random) throws Exception {
        renew();
        if (open.size() < MAX_OPEN) {
            open(random);
        } else if (random.nextInt(3) == 0) { // commits wait for a store or a log without room
            try {
                verify();
            } catch (SQLException e) {
                // Checked again later
            }
        }
        endThoseDue(random);
        TimeUnit.MILLISECONDS.sleep(TICK.toMillis());
    }

    private void open(Random random) throws Exception {
        long batch = next++;
        model.sent(batch, ROWS);
        // Until its commit is sent
        model.became(batch, BatchModel.Outcome.REFUSED);
        try {
            long launches = launches();
            long began = System.nanoTime();
            Optional<Long> ttl =
                    random.nextBoolean() ? Optional.of(LEASE.toMillis()) : Optional.empty();
            String id = begin(ttl);
            LeaseModel lease = new LeaseModel(LEASE.toNanos(), began);
            stage(id, batch, payloadLength(random));
            double leases = random.nextInt(3) == 0 ? 0 : MAX_LEASES * random.nextDouble();
            long due = System.nanoTime() + (long) (leases * LEASE.toNanos());
            open.add(new Transaction(id, batch, lease, launches, began, due));
        } catch (SteleException e) {
            context.tally().refused();
        }
    }

    private long launches() {
        return context.findings().counted(SidecarKeeper.LAUNCHES);
    }

    private void renew() throws Exception {
        if (open.isEmpty()) {
            return;
        }
        long sent = System.nanoTime();
        RenewLeasesRequest request =
                new RenewLeasesRequest(
                        List.of(),
                        LEASE.toMillis(),
                        open.stream().map(Transaction::id).toList(),
                        LEASE.toMillis());
        List<String> ended;
        try {
            ended =
                    context.statement(
                                    "renew %d transactions".formatted(open.size()),
                                    () ->
                                            context.flight()
                                                    .action(
                                                            SnapshotActions.RENEW_LEASES,
                                                            request,
                                                            RENEWAL_TIMEOUT))
                            .endedTransactions();
        } catch (SteleException e) {
            return; // the leases go on, or end
        }
        long answered = System.nanoTime();
        for (Transaction transaction : List.copyOf(open)) {
            if (ended.contains(transaction.id())) {
                lost(transaction, answered);
                open.remove(transaction);
                context.tally().refused();
            } else {
                transaction.lease().renewed(sent, answered);
            }
        }
    }

    /** The sidecar may end none whose lease was renewed, unless it was restarted. */
    private void lost(Transaction transaction, long nowNanos) {
        if (transaction.lease().isHeld(nowNanos) && transaction.launches() == launches()) {
            context.violation(
                    "transaction %s was gone %d ms after it began, with a lease that was renewed all the while"
                            .formatted(
                                    transaction.id(),
                                    TimeUnit.NANOSECONDS.toMillis(
                                            nowNanos - transaction.beganNanos())));
        } else {
            context.findings().count("transactions lost with their lease or sidecar");
        }
    }

    private void endThoseDue(Random random) throws Exception {
        for (Transaction transaction : List.copyOf(open)) {
            if (System.nanoTime() - transaction.dueNanos() < 0) {
                continue;
            }
            open.remove(transaction);
            if (random.nextInt(5) == 0) {
                abort(transaction.id());
            } else {
                commit(transaction);
            }
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

    private String begin(Optional<Long> ttlMillis) throws Exception {
        TableId table = context.statement("describe " + TABLE, this::schema).id();
        return context.statement(
                        "begin a transaction",
                        () ->
                                context.flight()
                                        .action(
                                                WriteActions.BEGIN_TRANSACTION,
                                                new BeginTransactionRequest(
                                                        table, Optional.empty(), ttlMillis)))
                .transactionId();
    }

    private void stage(String id, long batch, int payloadLength) throws Exception {
        context.statement(
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
        context.tally().refused();
        try {
            context.statement(
                    "abort " + id,
                    () ->
                            context.flight()
                                    .action(
                                            WriteActions.ABORT_TRANSACTION,
                                            new AbortTransactionRequest(id)));
        } catch (SteleException e) {
            // Its lease will end
        }
    }

    /** Repeats the commit until its outcome is certain. */
    private void commit(Transaction transaction) throws Exception {
        String id = transaction.id();
        model.became(transaction.batch(), BatchModel.Outcome.UNKNOWN);
        long deadline = System.nanoTime() + ClientContext.ASKING.toNanos();
        boolean isFirst = true;
        while (System.nanoTime() < deadline) {
            try {
                context.statement(
                        "commit " + id,
                        () ->
                                context.flight()
                                        .action(
                                                WriteActions.COMMIT_TRANSACTION,
                                                new CommitTransactionRequest(
                                                        id, List.of(), Optional.empty()),
                                                COMMIT_TIMEOUT));
                model.became(transaction.batch(), BatchModel.Outcome.ACKNOWLEDGED);
                context.tally().acknowledged();
                if (System.nanoTime() - transaction.beganNanos() > 2 * LEASE.toNanos()) {
                    context.findings().count("transactions committed after several leases");
                }
                return;
            } catch (SteleException e) {
                if (Failures.isRefusal(e)) {
                    if (isFirst && e.code() == ErrorCode.TRANSACTION_NOT_FOUND) {
                        lost(transaction, System.nanoTime());
                    }
                    model.became(transaction.batch(), BatchModel.Outcome.REFUSED);
                    context.tally().refused();
                    return;
                }
                if (isFirst) {
                    context.tally().open();
                    isFirst = false;
                }
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
        context.violation("nobody answers what became of " + id);
    }

    @Override
    public void verify() throws Exception {
        FlightWrites.check(context, requireNonNull(session, "not prepared"), TABLE, "id", model);
    }
}
