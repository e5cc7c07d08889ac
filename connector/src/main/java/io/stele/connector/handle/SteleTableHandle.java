package io.stele.connector.handle;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import io.stele.protocol.aggregate.ScalarExpression;
import io.stele.protocol.schema.TableSchema;
import io.trino.spi.connector.ConnectorTableHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Trino's handle of a table as one query reads it: its definition, the snapshot, and the
 * pushed-down operations.
 *
 * @param snapshotId the lease that retains the snapshot
 * @param readLsn the snapshot LSN
 * @param constraint a predicate that every wanted row satisfies: files, shards, stripes and live
 *     rows outside it are skipped, and Trino checks the remaining rows
 * @param selection which of these rows are wanted
 * @param index the secondary index that finds the rows of the constraint; shards in which it finds
 *     many are scanned
 * @param version the moment of the past that the query named; the table has its columns of that
 *     time
 * @param lookup the key that finds all rows of the constraint, and no other rows
 * @param byShard whether Trino keeps the rows of each shard together
 * @param ofProcedure whether {@code ALTER TABLE ... EXECUTE} reads it, rather than a query
 * @param enforced whether scans omit every row that a domain of the constraint excludes, for
 *     domains that can be evaluated exactly ({@link
 *     io.stele.connector.type.ScanPredicates#isEnforceable})
 * @param outputs expressions and aggregation that the scan returns beside the columns of its rows
 */
public record SteleTableHandle(
        TableSchema table,
        String snapshotId,
        long readLsn,
        TupleDomain<SteleColumnHandle> constraint,
        RowSelection selection,
        Optional<String> index,
        Optional<SteleLookup> lookup,
        Optional<SteleTableVersion> version,
        boolean byShard,
        boolean ofProcedure,
        boolean enforced,
        ScanOutputs outputs)
        implements ConnectorTableHandle {
    public SteleTableHandle {
        requireNonNull(table, "table is null");
        requireNonNull(snapshotId, "snapshotId is null");
        requireNonNull(constraint, "constraint is null");
        requireNonNull(selection, "selection is null");
        requireNonNull(index, "index is null");
        requireNonNull(lookup, "lookup is null");
        requireNonNull(version, "version is null");
        requireNonNull(outputs, "outputs is null");
    }

    /** The whole table at a snapshot. */
    public SteleTableHandle(TableSchema table, String snapshotId, long readLsn) {
        this(
                table,
                snapshotId,
                readLsn,
                TupleDomain.all(),
                RowSelection.ALL,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                false,
                false,
                ScanOutputs.NONE);
    }

    /** The same scan as of a moment that the query named. */
    public SteleTableHandle withVersion(SteleTableVersion newVersion) {
        return with(draft -> draft.version = Optional.of(newVersion));
    }

    public SchemaTableName name() {
        return new SchemaTableName(table.schemaName(), table.tableName());
    }

    public Lsn snapshot() {
        return new Lsn(readLsn);
    }

    public SteleTableHandle withConstraint(
            TupleDomain<SteleColumnHandle> newConstraint,
            Optional<String> newIndex,
            Optional<SteleLookup> newLookup,
            boolean newEnforced) {
        return with(
                draft -> {
                    draft.constraint = newConstraint;
                    draft.index = newIndex;
                    draft.lookup = newLookup;
                    draft.enforced = newEnforced;
                });
    }

    /** The same scan with another description of its lookup. */
    public SteleTableHandle withLookup(SteleLookup newLookup) {
        return with(draft -> draft.lookup = Optional.of(newLookup));
    }

    /** The rows of a lookup by a scan instead, which leaves out what the constraint excludes. */
    public SteleTableHandle scanned() {
        return lookup.isEmpty()
                ? this
                : withConstraint(constraint, Optional.empty(), Optional.empty(), true);
    }

    public SteleTableHandle withLimit(long newLimit) {
        return withSelection(selection.withLimit(newLimit));
    }

    /** The same scan, of which only the first rows of an order are wanted. */
    public SteleTableHandle withTopN(SteleTopN topN) {
        return withSelection(selection.withTopN(topN));
    }

    /** The same scan, of which only a sample is wanted. */
    public SteleTableHandle withSample(SteleSample sample) {
        return withSelection(selection.withSample(sample));
    }

    private SteleTableHandle withSelection(RowSelection newSelection) {
        return with(draft -> draft.selection = newSelection);
    }

    /** The same scan, whose splits Trino groups by shard. */
    public SteleTableHandle groupedByShard() {
        return with(draft -> draft.byShard = true);
    }

    /** The aggregation that the sidecar computes from the rows. */
    public Optional<SteleAggregation> aggregation() {
        return outputs.aggregation();
    }

    /** The scan with an aggregation that the sidecar computes. */
    public SteleTableHandle aggregated(SteleAggregation newAggregation) {
        return withOutputs(outputs.with(newAggregation));
    }

    /** The same scan with further columns, the values of expressions. */
    public SteleTableHandle computing(List<ScalarExpression> more) {
        return withOutputs(outputs.with(more));
    }

    private SteleTableHandle withOutputs(ScanOutputs newOutputs) {
        return with(draft -> draft.outputs = newOutputs);
    }

    /**
     * The same scan for a procedure, to which the engine passes the results that splits return at
     * their end.
     */
    public SteleTableHandle forProcedure() {
        return with(draft -> draft.ofProcedure = true);
    }

    private SteleTableHandle with(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.toHandle();
    }

    /** The text in EXPLAIN. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(table.qualifiedName()).append('@').append(readLsn);
        if (constraint.isNone()) {
            text.append(" constraint=FALSE");
        } else if (!constraint.isAll()) {
            text.append(
                    constraint.getDomains().orElseThrow().keySet().stream()
                            .map(SteleColumnHandle::name)
                            .sorted()
                            .collect(Collectors.joining(", ", " constraint on [", "]")));
            text.append(enforced ? " enforced" : "");
        }
        lookup.ifPresent(by -> text.append(" lookup=").append(by));
        index.ifPresent(name -> text.append(" index=").append(name));
        if (byShard) {
            text.append(" by shard");
        }
        text.append(outputs);
        return text.append(selection).toString();
    }

    /** A mutable copy of a handle, for changes of some of its values. */
    private static final class Draft {
        private final SteleTableHandle original;
        private TupleDomain<SteleColumnHandle> constraint;
        private RowSelection selection;
        private Optional<String> index;
        private Optional<SteleLookup> lookup;
        private Optional<SteleTableVersion> version;
        private boolean byShard;
        private boolean ofProcedure;
        private boolean enforced;
        private ScanOutputs outputs;

        Draft(SteleTableHandle original) {
            this.original = original;
            this.constraint = original.constraint;
            this.selection = original.selection;
            this.index = original.index;
            this.lookup = original.lookup;
            this.version = original.version;
            this.byShard = original.byShard;
            this.ofProcedure = original.ofProcedure;
            this.enforced = original.enforced;
            this.outputs = original.outputs;
        }

        SteleTableHandle toHandle() {
            return new SteleTableHandle(
                    original.table,
                    original.snapshotId,
                    original.readLsn,
                    constraint,
                    selection,
                    index,
                    lookup,
                    version,
                    byShard,
                    ofProcedure,
                    enforced,
                    outputs);
        }
    }
}
