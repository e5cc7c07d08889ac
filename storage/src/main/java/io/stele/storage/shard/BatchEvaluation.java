package io.stele.storage.shard;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.KeyEncoder;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.storage.shard.FileRows.Found;
import io.stele.storage.tablet.KeyedVersion;
import io.stele.storage.tablet.MemTable;
import io.stele.storage.tablet.TableShard;
import io.stele.storage.tablet.TableView;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Works out one batch against what its keys have: what is on its way to the log, over memory, over
 * files. What the batch does is staged in the table's changes as it goes, so that its operations
 * see each other; the caller keeps that or takes it back.
 *
 * <p>Runs on the shard's context; one for each evaluation.
 */
final class BatchEvaluation {
    private final TableSchema schema;
    private final RowLayout layout;
    private final TableView view;
    private final WriteBatchReader batch;
    private final TableChanges changes;
    private final BatchProbes probes;
    private final boolean wantsOldRows;
    private @Nullable WriteBatchBuilder output; // null while the batch is plain
    private @Nullable PartialRowLayout partial;
    private @Nullable RowEncoder encoder;
    private @Nullable SteleException refusal;
    private int skipped;

    BatchEvaluation(
            TableShard table, WriteBatchReader batch, TableChanges changes, BatchProbes probes) {
        this.schema = table.schema();
        this.layout = table.layout();
        this.view = table.view();
        this.batch = requireNonNull(batch, "batch is null");
        this.changes = requireNonNull(changes, "changes is null");
        this.probes = requireNonNull(probes, "probes is null");
        this.wantsOldRows = changes.checks().stream().anyMatch(ChangeCheck::needsOldRows);
    }

    /** What a key has: bytes of a row, or no row. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record State(byte @Nullable [] array, int offset, int length) {
        static final State NONE = new State(null, 0, 0);

        boolean isThere() {
            return array != null;
        }
    }

    /**
     * Evaluates the batch, which has been validated for the table's present schema.
     *
     * @param conditional whether it has a conditional operation
     */
    Resolution run(boolean conditional) {
        probes.require(view);
        if (conditional) {
            output =
                    new WriteBatchBuilder(
                            batch.tableId(), batch.schemaVersion(), batch.sizeBytes());
        }
        try {
            batch.rewind();
            while (batch.next()) {
                evaluate(batch.kind());
            }
        } finally {
            batch.rewind();
        }
        if (probes.hasOpen()) {
            return new Resolution.Undecided();
        }
        SteleException cause = refusal;
        if (cause != null) {
            return new Resolution.Refused(cause);
        }
        WriteBatchBuilder plain = output;
        return new Resolution.Accepted(
                plain == null ? batch : new WriteBatchReader(plain.toByteArray()), skipped);
    }

    private void evaluate(OperationKind kind) {
        KeySlice key = new KeySlice(batch.buffer(), batch.keyOffset(), batch.keyLength());
        switch (kind) {
            case UPSERT -> put(key, wantsOldRows ? find(key, true) : State.NONE);
            case DELETE -> remove(key, wantsOldRows ? find(key, true) : State.NONE);
            case INSERT_IF_ABSENT -> {
                State old = find(key, false);
                if (old == null || !old.isThere()) {
                    put(key, old);
                } else {
                    skipped++;
                }
            }
            case INSERT -> {
                State old = find(key, false);
                if (old != null && old.isThere()) {
                    refuse(duplicate(key));
                }
                put(key, old);
            }
            case UPDATE, UPDATE_OR_INSERT -> {
                State old = find(key, true);
                if (old == null) {
                    return; // known at the next evaluation
                }
                if (old.isThere() || kind == OperationKind.UPDATE_OR_INSERT) {
                    update(key, old);
                } else {
                    skipped++;
                }
            }
            case APPEND ->
                    throw new IllegalStateException("Expected keyed operations, found APPEND");
        }
    }

    private void put(KeySlice key, @Nullable State old) {
        put(key, old, batch.buffer(), batch.rowOffset(), batch.rowLength());
    }

    private void put(KeySlice key, @Nullable State old, byte[] row, int offset, int length) {
        if (output != null) {
            output.add(
                    OperationKind.UPSERT,
                    batch.buffer(),
                    batch.keyOffset(),
                    batch.keyLength(),
                    row,
                    offset,
                    length);
        }
        check(key, old, new State(row, offset, length));
        changes.rows().put(key, row, offset, length);
    }

    private void remove(KeySlice key, @Nullable State old) {
        if (output != null) {
            output.add(
                    OperationKind.DELETE,
                    batch.buffer(),
                    batch.keyOffset(),
                    batch.keyLength(),
                    batch.buffer(),
                    batch.rowOffset(),
                    0);
        }
        check(key, old, State.NONE);
        changes.rows().remove(key);
    }

    private void update(KeySlice key, State old) {
        int head = partialLayout().headBytes();
        BinaryRow given =
                new BinaryRow(partialLayout().layout())
                        .wrap(batch.buffer(), batch.rowOffset() + head, batch.rowLength() - head);
        RowEncoder target = encoder;
        if (target == null) {
            target = new RowEncoder(layout);
            encoder = target;
        }
        int length;
        try {
            length = partialLayout().merge(row(old).orElse(null), given, target);
        } catch (SteleException impossible) {
            refuse(impossible);
            return;
        }
        put(key, old, Arrays.copyOf(target.array(), length), 0, length);
    }

    private PartialRowLayout partialLayout() {
        PartialRowLayout known = partial;
        if (known == null || !known.matches(batch.buffer(), batch.rowOffset(), batch.rowLength())) {
            known =
                    PartialRowLayout.read(
                            schema, batch.buffer(), batch.rowOffset(), batch.rowLength());
            partial = known;
        }
        return known;
    }

    private void check(KeySlice key, @Nullable State old, State now) {
        List<ChangeCheck> checks = changes.checks();
        if (checks.isEmpty() || old == null) {
            return;
        }
        Change change = new Change(key.toByteArray(), row(old), row(now));
        for (int i = 0; i < checks.size(); i++) {
            checks.get(i)
                    .evaluate(change, changes.noted(i), probes.ofCheck(i))
                    .ifPresent(
                            violation ->
                                    refuse(new SteleException(ErrorCode.DUPLICATE_KEY, violation)));
        }
    }

    private Optional<BinaryRow> row(State state) {
        byte[] array = state.array();
        return array == null
                ? Optional.empty()
                : Optional.of(new BinaryRow(layout).wrap(array, state.offset(), state.length()));
    }

    /** What the key has; null: asked for and not known yet. */
    private @Nullable State find(KeySlice key, boolean withRow) {
        InFlightKeys.Entry inFlight = changes.rows().find(key);
        if (inFlight != null) {
            return new State(inFlight.array(), inFlight.offset(), inFlight.length());
        }
        for (MemTable table : view.memTables()) {
            KeyedVersion version =
                    table.find(
                            batch.buffer(), batch.keyOffset(), batch.keyLength(), Long.MAX_VALUE);
            if (version != null) {
                if (!version.isDeleted()) {
                    return new State(version.rowArray(), version.rowOffset(), version.rowLength());
                }
                if (schema.orientation().hasRows()) {
                    return State.NONE;
                }
                break; // may stand for a worker's file that has the row
            }
        }
        Optional<Found> found = probes.rows().find(key, withRow);
        if (found == null) {
            return null;
        }
        return found.map(BatchEvaluation::state).orElse(State.NONE);
    }

    private static State state(Found found) {
        byte[] row = found.row().orElse(new byte[0]); // only its presence counts
        return new State(row, 0, row.length);
    }

    private void refuse(SteleException cause) {
        if (refusal == null) {
            refusal = cause;
        }
    }

    private SteleException duplicate(KeySlice key) {
        return new SteleException(
                ErrorCode.DUPLICATE_KEY,
                "Expected a new key in table %s, found the duplicate key %s"
                        .formatted(schema.qualifiedName(), describe(schema, key.toByteArray())));
    }

    /** The values of a primary key, as their author wrote them. */
    static String describe(TableSchema schema, byte[] key) {
        try {
            KeyEncoder encoder = KeyEncoder.forPrimaryKey(schema);
            List<?> values = encoder.decode(key);
            StringBuilder text = new StringBuilder("(");
            for (int i = 0; i < values.size(); i++) {
                text.append(i == 0 ? "" : ", ")
                        .append(encoder.columns().get(i).name())
                        .append(" = ")
                        .append(values.get(i));
            }
            return text.append(")").toString();
        } catch (SteleException unreadable) {
            return HexFormat.of().formatHex(key);
        }
    }
}
