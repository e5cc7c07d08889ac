package io.stele.engine.shard.write;

import io.stele.engine.row.TableVersions;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.ShardId;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.GrowingBytes;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.PartitionEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.row.RowRouter;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A validator of every byte of a write batch before it may enter the log, so that readers of the
 * log can rely on it. It checks the table and its version, the structure and values of each row,
 * that a key is the encoded key of its row, and that the key belongs to this shard.
 *
 * <p>Has reusable buffers and is confined to one thread; create one for each batch.
 */
public final class BatchValidator {
    private final TableSchema schema;
    private final ShardId shard;
    private final RowLayout layout;
    private final BinaryRow row;
    private final GrowingBytes buffer = GrowingBytes.forKey();
    private final @Nullable PartitionEncoder partitions;
    private @Nullable PartialRowLayout partial;
    private @Nullable PartitionEncoder partialPartitions;
    private boolean conditional;

    /**
     * The summary of a valid batch.
     *
     * @param appended rows that need row ids
     * @param conditional whether some operation depends on the present row of its key
     */
    public record Summary(int appended, boolean conditional) {}

    public BatchValidator(TableVersions versions, ShardId shard) {
        this.schema = versions.schema();
        this.layout = versions.layout();
        this.shard = shard;
        this.row = new BinaryRow(layout);
        this.partitions = schema.partitionedBy().isEmpty() ? null : PartitionEncoder.of(schema);
    }

    /**
     * Checks the batch and rewinds it.
     *
     * @throws SteleException STALE_TABLE when the schema version is another, INVALID_ARGUMENT when
     *     an operation does not fit, or the error of a row
     */
    public Summary validate(WriteBatchReader batch) {
        if (batch.schemaVersion() != schema.schemaVersion()) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected rows of schema version %d of table %s, found version %d"
                            .formatted(
                                    schema.schemaVersion(),
                                    schema.qualifiedName(),
                                    batch.schemaVersion()));
        }
        batch.rewind();
        int appended = schema.hasPrimaryKey() ? validateKeyed(batch) : validateAppendOnly(batch);
        batch.rewind();
        return new Summary(appended, conditional);
    }

    private int validateKeyed(WriteBatchReader batch) {
        KeyEncoder encoder = KeyEncoder.forPrimaryKey(schema);
        RowRouter router = RowRouter.of(schema);
        for (int operation = 0; batch.next(); operation++) {
            switch (batch.kind()) {
                case UPSERT -> checkRow(encoder, batch, operation);
                case INSERT_IF_ABSENT, INSERT -> {
                    checkRow(encoder, batch, operation);
                    conditional = true;
                }
                case UPDATE, UPDATE_OR_INSERT -> {
                    checkPartial(batch, operation);
                    conditional = true;
                }
                case DELETE ->
                        encoder.validate(batch.buffer(), batch.keyOffset(), batch.keyLength());
                case APPEND -> throw unexpected("an operation with a key", batch, operation);
            }
            int found = router.shardOfKey(batch.buffer(), batch.keyOffset(), batch.keyLength());
            if (found != shard.index()) {
                throw invalid(
                        "a key of shard " + shard.index(), "one of shard " + found, operation);
            }
        }
        return 0;
    }

    private int validateAppendOnly(WriteBatchReader batch) {
        boolean routed = !schema.distributionKey().isEmpty();
        RowRouter router = routed ? RowRouter.of(schema) : null;
        int appended = 0;
        for (int operation = 0; batch.next(); operation++) {
            switch (batch.kind()) {
                case APPEND -> {
                    layout.validate(batch.buffer(), batch.rowOffset(), batch.rowLength());
                    row.wrap(batch.buffer(), batch.rowOffset(), batch.rowLength());
                    if (partitions != null) {
                        partitions.check(row);
                    }
                    if (router != null) {
                        checkRoute(router, operation);
                    }
                    appended++;
                }
                case DELETE ->
                        KeyEncoder.rowId(batch.buffer(), batch.keyOffset(), batch.keyLength());
                case INSERT_IF_ABSENT, INSERT, UPDATE, UPDATE_OR_INSERT, UPSERT ->
                        throw unexpected("APPEND or DELETE", batch, operation);
            }
        }
        return appended;
    }

    private void checkRow(KeyEncoder encoder, WriteBatchReader batch, int operation) {
        layout.validate(batch.buffer(), batch.rowOffset(), batch.rowLength());
        row.wrap(batch.buffer(), batch.rowOffset(), batch.rowLength());
        if (partitions != null) {
            partitions.check(row);
        }
        checkKey(encoder, row, batch, operation);
    }

    private void checkPartial(WriteBatchReader batch, int operation) {
        PartialRowLayout known = partial;
        if (known == null || !known.matches(batch.buffer(), batch.rowOffset(), batch.rowLength())) {
            known =
                    PartialRowLayout.read(
                            schema, batch.buffer(), batch.rowOffset(), batch.rowLength());
            partial = known;
            partialPartitions =
                    partitions == null
                            ? null
                            : PartitionEncoder.of(schema, known.layout().columns());
        }
        known.validate(batch.buffer(), batch.rowOffset(), batch.rowLength());
        BinaryRow given =
                new BinaryRow(known.layout())
                        .wrap(
                                batch.buffer(),
                                batch.rowOffset() + known.headBytes(),
                                batch.rowLength() - known.headBytes());
        if (partialPartitions != null) {
            partialPartitions.check(given);
        }
        checkKey(known.keys(), given, batch, operation);
    }

    private void checkKey(
            KeyEncoder encoder, BinaryRow given, WriteBatchReader batch, int operation) {
        buffer.clear();
        encoder.encode(given, buffer);
        boolean equal =
                Arrays.equals(
                        buffer.array(),
                        0,
                        buffer.length(),
                        batch.buffer(),
                        batch.keyOffset(),
                        batch.keyOffset() + batch.keyLength());
        if (!equal) {
            throw invalid("the encoded primary key of the row", "another key", operation);
        }
    }

    private void checkRoute(RowRouter router, int operation) {
        int found = router.shardOfRow(row);
        if (found != shard.index()) {
            throw invalid("a row of shard " + shard.index(), "one of shard " + found, operation);
        }
    }

    private SteleException unexpected(String expected, WriteBatchReader batch, int operation) {
        return invalid(expected, batch.kind().toString(), operation);
    }

    private SteleException invalid(String expected, String found, int operation) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected %s, found %s in operation %d of a batch for table %s"
                        .formatted(expected, found, operation, schema.qualifiedName()));
    }
}
