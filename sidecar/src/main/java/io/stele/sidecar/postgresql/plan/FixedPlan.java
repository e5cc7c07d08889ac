package io.stele.sidecar.postgresql.plan;

import com.google.common.collect.Sets;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The plan of a statement of PostgreSQL or Flight SQL that the sidecar itself executes, on rows
 * found by key or a bounded scan. Immutable.
 */
public sealed interface FixedPlan {
    TableSchema table();

    /** The columns of the rows that the client receives; empty: none. */
    List<ResultColumn> results();

    /** The types of the parameters. */
    List<ParameterTypes.Type> parameters();

    /** The privileges that its user needs on the table. */
    Set<Privilege> privileges();

    /**
     * A column of a result.
     *
     * @param modifier of the type, -1: none
     * @param column the position in the table of what is shown as it is; empty: it is computed
     */
    record ResultColumn(
            String name,
            PostgresType type,
            int modifier,
            Optional<Integer> column,
            Computation value) {}

    /** An aggregate function of all rows of a SELECT; without an argument it counts rows. */
    record AggregateCall(String function, Optional<Computation> argument) {}

    record SortItem(Computation value, boolean descending) {}

    /**
     * @param aggregates as many as results; empty: the rows themselves
     * @param isFirstEnough whether the first row that is found decides the aggregates
     * @param order to sort the rows by; empty: as they are found
     */
    record SelectPlan(
            TableSchema table,
            Access.Filtered rows,
            List<ResultColumn> results,
            List<AggregateCall> aggregates,
            boolean isFirstEnough,
            List<SortItem> order,
            Optional<Computation> limit,
            Optional<Computation> offset,
            List<ParameterTypes.Type> parameters,
            Set<Privilege> privileges)
            implements FixedPlan {
        public SelectPlan {
            results = List.copyOf(results);
            aggregates = List.copyOf(aggregates);
            order = List.copyOf(order);
            parameters = List.copyOf(parameters);
            privileges = Sets.immutableEnumSet(privileges);
        }
    }

    /** A new value of a column, by its position. */
    record ColumnValue(int column, Computation value) {}

    /** The kinds of handling of a new row whose key exists already. */
    enum ConflictAction {
        FAIL,
        SKIP,
        /** The new row, of which all columns are given, replaces the old one. */
        REPLACE,
        /** Exactly the columns that are given change. */
        MERGE,
        /** The assignments change the old row. */
        UPDATE
    }

    /**
     * @param rows for each row its values, one a column of the table
     * @param given the columns, by position, that the statement has values for
     * @param assignments of UPDATE
     * @param condition of the rows that UPDATE changes; others stay
     */
    record InsertPlan(
            TableSchema table,
            List<List<Computation>> rows,
            List<Integer> given,
            ConflictAction onConflict,
            List<ColumnValue> assignments,
            Optional<Computation> condition,
            List<ResultColumn> results,
            List<ParameterTypes.Type> parameters,
            Set<Privilege> privileges)
            implements FixedPlan {
        public InsertPlan {
            rows = List.copyOf(rows);
            given = List.copyOf(given);
            assignments = List.copyOf(assignments);
            results = List.copyOf(results);
            parameters = List.copyOf(parameters);
            privileges = Sets.immutableEnumSet(privileges);
        }
    }

    record UpdatePlan(
            TableSchema table,
            Access.Filtered rows,
            List<ColumnValue> assignments,
            List<ResultColumn> results,
            List<ParameterTypes.Type> parameters,
            Set<Privilege> privileges)
            implements FixedPlan {
        public UpdatePlan {
            assignments = List.copyOf(assignments);
            results = List.copyOf(results);
            parameters = List.copyOf(parameters);
            privileges = Sets.immutableEnumSet(privileges);
        }
    }

    record DeletePlan(
            TableSchema table,
            Access.Filtered rows,
            List<ResultColumn> results,
            List<ParameterTypes.Type> parameters,
            Set<Privilege> privileges)
            implements FixedPlan {
        public DeletePlan {
            results = List.copyOf(results);
            parameters = List.copyOf(parameters);
            privileges = Sets.immutableEnumSet(privileges);
        }
    }
}
