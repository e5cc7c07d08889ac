package io.stele.engine.aggregate;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.aggregate.AggregateCall;
import io.stele.protocol.aggregate.Aggregation;
import io.stele.protocol.predicate.ColumnDomain;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A prepared aggregation of a table's rows: the columns to read and their slots. Immutable; its
 * {@link Aggregator}s process the batches of rows.
 */
final class AggregatePlan {
    private final Aggregation aggregation;
    private final ScanPredicate predicate;
    private final List<ColumnSchema> columns;
    private final Map<Integer, Integer> slots = new HashMap<>();
    private final List<ColumnSchema> resultColumns;
    private final List<DataType> groupTypes;
    private final StateLayout states;

    /**
     * @param table in the schema version in which the rows are read
     * @param predicate the filter of the rows, which is applied completely
     * @throws SteleException INVALID_ARGUMENT or COLUMN_NOT_FOUND
     */
    AggregatePlan(TableSchema table, Aggregation aggregation, ScanPredicate predicate) {
        this.aggregation = requireNonNull(aggregation, "aggregation is null");
        this.predicate = requireNonNull(predicate, "predicate is null");
        this.resultColumns = aggregation.resultColumns(table);
        Set<Integer> ids = new TreeSet<>(aggregation.columnIds());
        ids.addAll(predicate.domains().keySet());
        List<ColumnSchema> found = new ArrayList<>();
        for (int id : ids) {
            ColumnSchema column = table.column(id);
            if (!AggregateCall.isRead(column.type())) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected columns of types that aggregations read, found %s %s"
                                .formatted(column.name(), column.type()));
            }
            slots.put(id, found.size());
            found.add(column);
        }
        this.columns = List.copyOf(found);
        this.groupTypes =
                aggregation.groupColumns().stream().map(id -> table.column(id).type()).toList();
        this.states = new StateLayout(aggregation.calls());
        newAggregator(Map.of(), GroupRange.ALL); // throws for operators that do not exist
    }

    Aggregation aggregation() {
        return aggregation;
    }

    ScanPredicate predicate() {
        return predicate;
    }

    /** The columns to read, by slot. */
    List<ColumnSchema> columns() {
        return columns;
    }

    /**
     * The columns to read of rows that only need to be checked against some domains of the
     * predicate.
     */
    List<ColumnSchema> columns(Map<Integer, ColumnDomain> residual) {
        Set<Integer> ids = aggregation.columnIds();
        return columns.stream()
                .filter(column -> ids.contains(column.id()) || residual.containsKey(column.id()))
                .toList();
    }

    /** The columns of the result rows. */
    List<ColumnSchema> resultColumns() {
        return resultColumns;
    }

    int slot(int columnId) {
        return requireNonNull(slots.get(columnId), "column is not read");
    }

    /** A state without rows. */
    GroupedState newState() {
        return new GroupedState(groupTypes, states);
    }

    /** A new aggregator that applies the whole predicate, for some groups. */
    Aggregator newAggregator(GroupRange groups) {
        return newAggregator(predicate.domains(), groups);
    }

    /**
     * @param domains the domains of the predicate that rows may not match, which are checked
     */
    Aggregator newAggregator(Map<Integer, ColumnDomain> domains, GroupRange groups) {
        return new Aggregator(this, domains, groups);
    }
}
