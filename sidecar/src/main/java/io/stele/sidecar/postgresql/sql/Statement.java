package io.stele.sidecar.postgresql.sql;

import java.util.List;
import java.util.Optional;

/** A statement on the rows of one table. Immutable. */
public sealed interface Statement {
    TableName table();

    /**
     * A table.
     *
     * @param schema empty: that of the search path
     * @param alias the name by which expressions call it, if another
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

    /** Of one table, without joins and grouping. */
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

    /** What happens to a row whose key is there already. */
    sealed interface OnConflict {}

    /** The statement fails. */
    record Fail() implements OnConflict {}

    /** The row stays; {@code columns} is what the statement names, or nothing. */
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
