package io.stele.engine.shard.write;

import static java.util.Objects.requireNonNull;

import io.stele.engine.memtable.MemTable;
import io.stele.engine.row.KeyedVersion;
import io.stele.engine.shard.write.FileRows.Found;
import io.stele.engine.tablet.TableShard;
import io.stele.engine.tablet.TableView;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.row.BinaryRow;
import io.stele.protocol.row.PartialRowLayout;
import io.stele.protocol.row.RowEncoder;
import io.stele.protocol.row.RowLayout;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.wire.OperationKind;
import io.stele.protocol.wire.WriteBatchBuilder;
import io.stele.protocol.wire.WriteBatchReader;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An evaluation of a table's write batches, before they are logged, against the present rows of
 * their keys in changes in flight, memory and files. The batches take effect at one LSN. The
 * changes of a batch are staged in the table's changes during evaluation, so that its operations
 * see each other. At the end all resulting rows are checked by the unique indexes. The caller keeps
 * or discards the staged changes.
 *
 * <p>Runs on the shard's context; a new object for each evaluation.
 */
public final class BatchEvaluation implements PresentRows {
    private final TableSchema schema;
    private final RowLayout layout;
    private final TableView view;
    private final TableChanges changes;
    private final BatchProbes probes;
    private final long fromLsn;
    private WriteBatchReader batch;
    private @Nullable WriteBatchBuilder output; // null while the batch is plain
    private @Nullable PartialRowLayout partial;
    private @Nullable RowEncoder encoder;
    private @Nullable SteleException refusal;
    private int skipped;

    /**
     * @param presentLsn the LSN of the time that decides which rows have expired
     */
    @SuppressWarnings("NullAway.Init")
    public // batch: nothing reads it before add
    BatchEvaluation(TableShard table, TableChanges changes, BatchProbes probes, Lsn presentLsn) {
        this.fromLsn = table.schema().options().firstVisibleLsn(presentLsn.value());
        this.schema = table.schema();
        this.layout = table.layout();
        this.view = table.view();
        this.changes = requireNonNull(changes, "changes is null");
        this.probes = requireNonNull(probes, "probes is null");
        probes.require(view);
    }

    /** The state of a key: bytes of a row, or no row. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record State(byte @Nullable [] array, int offset, int length) {
        static final State NONE = new State(null, 0, 0);

        boolean isThere() {
            return array != null;
        }
    }

    /** Evaluates a batch that takes effect alone. */
    public static Resolution run(
            TableShard table,
            WriteBatchReader batch,
            boolean conditional,
            TableChanges changes,
            BatchProbes probes,
            Lsn presentLsn) {
        BatchEvaluation evaluation = new BatchEvaluation(table, changes, probes, presentLsn);
        Resolution.Accepted accepted = evaluation.add(batch, conditional);
        return evaluation.verdict().orElse(accepted);
    }

    /**
     * Stages the changes of a batch that was validated for the table's present schema.
     *
     * @param conditional whether it has a conditional operation
     * @return its plain batch, which is valid if {@link #verdict} is empty
     */
    public Resolution.Accepted add(WriteBatchReader newBatch, boolean conditional) {
        batch = newBatch;
        output =
                conditional
                        ? new WriteBatchBuilder(
                                batch.tableId(), batch.schemaVersion(), batch.sizeBytes())
                        : null;
        skipped = 0;
        try {
            batch.rewind();
            while (batch.next()) {
                evaluate(batch.kind());
            }
        } finally {
            batch.rewind();
        }
        WriteBatchBuilder plain = output;
        return new Resolution.Accepted(
                plain == null ? batch : new WriteBatchReader(plain.toByteArray()), skipped);
    }

    /** Stages a row that a worker wrote. */
    public void add(byte[] key, byte[] row) {
        changes.rows().put(key, row);
    }

    /**
     * The refusal of the added batches, or Undecided while lookups are open; empty: they are
     * accepted.
     */
    public Optional<Resolution> verdict() {
        List<UniqueIndexCheck> checks = changes.checks();
        for (int i = 0; i < checks.size(); i++) {
            UniqueIndexCheck check = checks.get(i);
            for (Map.Entry<KeySlice, InFlightKeys.Entry> written :
                    changes.rows().staged().entrySet()) {
                InFlightKeys.Entry row = written.getValue();
                if (!row.isGone()) {
                    check.check(
                                    written.getKey(),
                                    row(state(row)).orElseThrow(),
                                    this,
                                    changes.claims(i),
                                    probes.ofCheck(i))
                            .ifPresent(this::refuse);
                }
            }
        }
        if (probes.hasOpen()) {
            return Optional.of(new Resolution.Undecided());
        }
        return Optional.ofNullable(refusal).map(Resolution.Refused::new);
    }

    private void evaluate(OperationKind kind) {
        KeySlice key = new KeySlice(batch.buffer(), batch.keyOffset(), batch.keyLength());
        switch (kind) {
            case UPSERT -> put(key);
            case DELETE -> remove(key);
            case INSERT_IF_ABSENT -> {
                State old = find(key, false);
                if (old == null || !old.isThere()) {
                    put(key);
                } else {
                    skipped++;
                }
            }
            case INSERT -> {
                State old = find(key, false);
                if (old != null && old.isThere()) {
                    refuse(DuplicateKey.refusal(schema, key.toByteArray()));
                }
                put(key);
            }
            case UPDATE, UPDATE_OR_INSERT -> {
                State old = find(key, true);
                if (old == null) {
                    return; // found by the next evaluation
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

    private void put(KeySlice key) {
        put(key, batch.buffer(), batch.rowOffset(), batch.rowLength());
    }

    private void put(KeySlice key, byte[] row, int offset, int length) {
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
        changes.rows().put(key, row, offset, length);
    }

    private void remove(KeySlice key) {
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
        put(key, Arrays.copyOf(target.array(), length), 0, length);
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

    @Override
    public @Nullable Optional<BinaryRow> after(KeySlice key) {
        State found = find(key, true);
        return found == null ? null : row(found);
    }

    @Override
    public Optional<BinaryRow> knownBefore(KeySlice key) {
        InFlightKeys.Entry inFlight = changes.rows().findKept(key);
        if (inFlight != null) {
            return row(state(inFlight));
        }
        KeyedVersion version = findInMemory(key);
        return version == null || version.lsn() < fromLsn || mayBeNewerInFile(key, version)
                ? Optional.empty()
                : row(state(version));
    }

    private Optional<BinaryRow> row(State state) {
        byte[] array = state.array();
        return array == null
                ? Optional.empty()
                : Optional.of(new BinaryRow(layout).wrap(array, state.offset(), state.length()));
    }

    /** The state of the key; null: requested and not found yet. */
    private @Nullable State find(KeySlice key, boolean withRow) {
        InFlightKeys.Entry inFlight = changes.rows().find(key);
        if (inFlight != null) {
            return state(inFlight);
        }
        KeyedVersion version = findInMemory(key);
        if (version != null && !mayBeNewerInFile(key, version)) {
            if (version.lsn() < fromLsn) {
                return State.NONE; // older versions have expired, too
            }
            // A tombstone may stand for a worker's file that has the row.
            if (!version.isDeleted() || schema.orientation().hasRows()) {
                return state(version);
            }
        }
        Optional<Found> found = probes.rows().find(key, withRow);
        if (found == null) {
            return null;
        }
        if (version != null
                && schema.orientation().hasRows()
                && found.filter(row -> row.lsn() > version.lsn()).isEmpty()) {
            return version.lsn() < fromLsn ? State.NONE : state(version); // no file has a newer one
        }
        return found.filter(row -> row.lsn() >= fromLsn)
                .map(BatchEvaluation::state)
                .orElse(State.NONE);
    }

    private boolean mayBeNewerInFile(KeySlice key, KeyedVersion version) {
        return view.ingestedLsn() > version.lsn()
                && view.mayBeNewerInFile(key.toByteArray(), version.lsn(), Long.MAX_VALUE);
    }

    private @Nullable KeyedVersion findInMemory(KeySlice key) {
        for (MemTable table : view.memTables()) {
            KeyedVersion version =
                    table.find(key.array(), key.offset(), key.length(), Long.MAX_VALUE);
            if (version != null) {
                return version;
            }
        }
        return null;
    }

    private static State state(InFlightKeys.Entry entry) {
        return new State(entry.array(), entry.offset(), entry.length());
    }

    private static State state(KeyedVersion version) {
        return version.isDeleted()
                ? State.NONE
                : new State(version.rowArray(), version.rowOffset(), version.rowLength());
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
}
