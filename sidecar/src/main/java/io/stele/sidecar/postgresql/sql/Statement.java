package io.stele.sidecar.postgresql.sql;

import java.util.List;
import java.util.Optional;

/**
 * The syntax tree of a SELECT, INSERT, UPDATE or DELETE on one table, from which the planner makes
 * a fixed plan. Immutable.
 */
public sealed interface Statement {
    TableName table();

    /**
     * A table.
     *
     * @param schema empty: looked up by the search path
     * @param alias the name by which expressions refer to the table, if it differs
     */
    record TableName(Optional<String> schema, String name, Optional<String> alias) {
        @Override
        public String toString() {
            return schema.map(found -> found + ".").orElse("") + name;
        }
    }

    /** An item of a SELECT list or of RETURNING. */
    sealed interface Output {}

    /** All columns. */
    record Star() implements Output {}

    record Named(Expression value, Optional<String> name) implements Output {}

    record OrderItem(Expression value, boolean descending) {}

    /** SELECT from one table, without joins and grouping. */
    record Select(
            TableName table,
            List<Output> outputs,
            Optional<Expression> where,
            List<OrderItem> orderBy,
            Optional<Expression> limit,
            Optional<Expression> offset)
            implements Statement {
        public Select {
            outputs = List.copyOf(outputs);
            orderBy = List.copyOf(orderBy);
        }
    }

    record Assignment(String column, Expression value) {}

    /** The handling of a new row whose key exists already. */
    sealed interface OnConflict {}

    /** The statement fails. */
    record Fail() implements OnConflict {}

    /** The old row is kept; {@code columns} are the columns that the statement names, or empty. */
    record DoNothing(List<String> columns) implements OnConflict {
        public DoNothing {
            columns = List.copyOf(columns);
        }
    }

    record DoUpdate(List<String> columns, List<Assignment> assignments, Optional<Expression> where)
            implements OnConflict {
        public DoUpdate {
            columns = List.copyOf(columns);
            assignments = List.copyOf(assignments);
        }
    }

    /**
     * INSERT of rows of values.
     *
     * @param columns empty: all, in their order
     */
    record Insert(
            TableName table,
            List<String> columns,
            List<List<Expression>> rows,
            OnConflict onConflict,
            List<Output> returning)
            implements Statement {
        public Insert {
            columns = List.copyOf(columns);
            rows = List.copyOf(rows);
            returning = List.copyOf(returning);
        }
    }

    record Update(
            TableName table,
            List<Assignment> assignments,
            Optional<Expression> where,
            List<Output> returning)
            implements Statement {
        public Update {
            assignments = List.copyOf(assignments);
            returning = List.copyOf(returning);
        }
    }

    record Delete(TableName table, Optional<Expression> where, List<Output> returning)
            implements Statement {
        public Delete {
            returning = List.copyOf(returning);
        }
    }
}
