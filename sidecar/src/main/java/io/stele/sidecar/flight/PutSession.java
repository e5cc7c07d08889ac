package io.stele.sidecar.flight;

import static java.util.Objects.requireNonNull;

import io.stele.engine.StorageEngine;
import io.stele.engine.catalog.Catalog;
import io.stele.engine.node.WriteRoom;
import io.stele.engine.shard.write.WriteOutcome;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.api.write.PutMode;
import io.stele.protocol.api.write.PutReply;
import io.stele.protocol.api.write.PutTarget;
import io.stele.protocol.arrow.ArrowBatch;
import io.stele.protocol.arrow.ArrowBatchDecoder;
import io.stele.protocol.flight.FlightData;
import io.stele.protocol.flight.FlightDescriptor;
import io.stele.protocol.flight.PutResult;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WireLimits;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.AccessDeniedException;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.auth.AuthenticatedUser;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.metrics.IngestMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * The write session of one DoPut stream: the table, the writer and the transaction of its batches.
 * Confined to the incoming side of its stream.
 *
 * <p>Invariant: batch number n has the sequence {@code firstSequence + n} in every shard it
 * touches, so a stream that is sent again applies nothing twice.
 */
final class PutSession implements PutReceiver {
    private final StorageEngine engine;
    private final AccessControl access;
    private final AuthenticatedUser user;
    private final Set<Privilege> privileges;
    private final IngestMetrics metrics;
    private final PutTarget target;
    private final UUID writerId;
    private final ArrowBatchDecoder decoder;
    private TableSchema schema;
    private BatchSplitter splitter;
    private long sequence;
    private long encodedBytes; // of the latest batch

    private PutSession(
            StorageEngine engine,
            AccessControl access,
            AuthenticatedUser user,
            IngestMetrics metrics,
            TableSchema schema,
            PutTarget target,
            ArrowBatchDecoder decoder) {
        this.engine = engine;
        this.access = access;
        this.user = user;
        this.privileges = privileges(target.mode());
        this.metrics = metrics;
        this.schema = schema;
        this.target = target;
        this.writerId = target.writerId().orElse(WireLimits.ANONYMOUS_WRITER);
        this.decoder = decoder;
        this.splitter = new BatchSplitter(schema, target.mode(), target.shard(), decoder.fields());
        this.sequence = target.firstSequence();
    }

    /**
     * Begins with the first message of a stream, which has the descriptor and the Arrow schema.
     *
     * @throws AccessDeniedException if the user may not change the table in this way
     * @throws SteleException when the table is not there, or the columns do not fit it
     */
    static PutSession open(
            EngineService service,
            AccessControl access,
            AuthenticatedUser user,
            FlightData first,
            IngestMetrics metrics) {
        requireNonNull(metrics, "metrics is null");
        StorageEngine engine = service.engine();
        Catalog catalog = engine.catalog().current();
        FlightDescriptor descriptor =
                first.descriptor()
                        .orElseThrow(
                                () ->
                                        new SteleException(
                                                ErrorCode.INVALID_ARGUMENT,
                                                "Expected a descriptor in the first message of a DoPut, found none"));
        PutTarget target = target(catalog, descriptor);
        if (target.transactionId().isPresent()) {
            // Its id can be guessed, and only holders of the secret can have begun it
            access.checkHasSecret(user, "a put into a transaction");
        }
        TableSchema table = table(catalog, target);
        access.check(user, table.schemaName(), table.tableName(), privileges(target.mode()));
        return new PutSession(
                engine,
                access,
                user,
                metrics,
                table,
                target,
                ArrowBatchDecoder.forSchema(first.dataHeader()));
    }

    private static Set<Privilege> privileges(PutMode mode) {
        return switch (mode) {
            case UPSERT, UPDATE_OR_INSERT -> Set.of(Privilege.INSERT, Privilege.UPDATE);
            case DELETE -> Set.of(Privilege.DELETE);
            case APPEND, INSERT, INSERT_IF_ABSENT -> Set.of(Privilege.INSERT);
            case UPDATE -> Set.of(Privilege.UPDATE);
        };
    }

    private static PutTarget target(Catalog catalog, FlightDescriptor descriptor) {
        return switch (descriptor.kind()) {
            case COMMAND -> {
                yield ApiJson.read(descriptor.command(), PutTarget.class);
            }
            case PATH -> {
                TableSchema table = FlightCatalog.byPath(catalog, descriptor.path());
                yield PutTarget.of(
                        new TableName(table.schemaName(), table.tableName()),
                        table.hasPrimaryKey() ? PutMode.UPSERT : PutMode.APPEND);
            }
            case UNKNOWN ->
                    throw new SteleException(
                            ErrorCode.INVALID_ARGUMENT,
                            "Expected a descriptor with a path or a command, found neither");
        };
    }

    private static TableSchema table(Catalog catalog, PutTarget target) {
        if (target.table().isEmpty()) {
            return catalog.table(target.tableId().orElseThrow());
        }
        TableName name = target.table().get();
        TableSchema schema = catalog.table(name.schemaName(), name.tableName());
        if (target.tableId().isPresent() && !target.tableId().get().equals(schema.id())) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected "
                            + name
                            + " to be table id "
                            + target.tableId().get()
                            + ", found "
                            + schema.id());
        }
        return schema;
    }

    /**
     * Writes or stages one batch; the future completes once it is durable, or staged.
     *
     * @param room holds {@code heldBytes} for the message, which the batches of the shards take
     *     over
     * @throws SteleException among others BUSY if there is no room for the batches
     */
    @Override
    public CompletableFuture<Optional<PutResult>> write(
            FlightData message, WriteRoom room, long heldBytes) {
        return writeBatch(message, room, heldBytes)
                .thenApply(reply -> Optional.of(new PutResult(ApiJson.write(reply))));
    }

    private CompletableFuture<PutReply> writeBatch(
            FlightData message, WriteRoom room, long heldBytes) {
        long start = System.nanoTime();
        long number = sequence++;
        followTable();
        ArrowBatch batch = decoder.decode(message.dataHeader(), message.bodyBuffer());
        List<ShardBatch> parts = splitter.split(batch, number);
        encodedBytes = parts.stream().mapToLong(part -> part.bytes().length).sum();
        room.exchange(heldBytes, encodedBytes)
                .ifPresent(
                        busy -> {
                            throw busy;
                        });
        return target.transactionId().isPresent()
                ? stage(target.transactionId().get(), parts, number, batch.rowCount(), room)
                : write(parts, number, batch.rowCount(), start, room);
    }

    @Override
    public boolean takesNoBatches() {
        return false;
    }

    /** Bytes that the engine has of the latest batch. */
    @Override
    public long encodedBytes() {
        return encodedBytes;
    }

    @Override
    public CompletableFuture<Optional<PutResult>> finish() {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    /** Does nothing; replies to batches in flight are dropped. */
    @Override
    public void close() {}

    /**
     * If columns of the table were changed, the rest of the stream is read by its fields' ids, or
     * names, as rows of the table as it is now.
     *
     * @throws AccessDeniedException if the rules have changed
     * @throws SteleException if the fields do not fit the table any more
     */
    private void followTable() {
        TableSchema present = engine.catalog().current().table(schema.id());
        access.check(user, present.schemaName(), present.tableName(), privileges);
        if (present.schemaVersion() != schema.schemaVersion()) {
            splitter = new BatchSplitter(present, target.mode(), target.shard(), decoder.fields());
            schema = present;
        }
    }

    private CompletableFuture<PutReply> stage(
            String transactionId,
            List<ShardBatch> parts,
            long number,
            int rowCount,
            WriteRoom room) {
        for (ShardBatch part : parts) {
            engine.stage(
                    transactionId,
                    target.part(),
                    schema.shard(part.shard()),
                    part.bytes(),
                    0,
                    part.bytes().length,
                    room);
        }
        return CompletableFuture.completedFuture(new PutReply(Lsn.MIN, number, rowCount, 0));
    }

    private CompletableFuture<PutReply> write(
            List<ShardBatch> parts, long number, int rowCount, long start, WriteRoom room) {
        List<CompletableFuture<WriteOutcome>> writes = new ArrayList<>(parts.size());
        long sizeBytes = 0;
        for (ShardBatch part : parts) {
            sizeBytes += part.bytes().length;
            writes.add(
                    engine.apply(
                            schema.shard(part.shard()),
                            writerId,
                            number,
                            part.bytes(),
                            0,
                            part.bytes().length,
                            room));
        }
        long totalBytes = sizeBytes;
        return CompletableFuture.allOf(writes.toArray(CompletableFuture[]::new))
                .handle(
                        (nothing, failure) -> {
                            if (failure != null) {
                                metrics.failed();
                                throw new java.util.concurrent.CompletionException(
                                        failure instanceof java.util.concurrent.CompletionException
                                                        && failure.getCause() != null
                                                ? failure.getCause()
                                                : failure);
                            }
                            metrics.acknowledged(rowCount, totalBytes, System.nanoTime() - start);
                            Lsn last = Lsn.MIN;
                            long skipped = 0;
                            for (CompletableFuture<WriteOutcome> write : writes) {
                                WriteOutcome outcome = write.join();
                                last = last.compareTo(outcome.lsn()) < 0 ? outcome.lsn() : last;
                                skipped += outcome.skipped();
                            }
                            return new PutReply(last, number, rowCount, skipped);
                        });
    }

    /** The rows of a batch that fall in one shard, as a {@link WriteBatchBuilder} made them. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record ShardBatch(int shard, byte[] bytes) {}
}
