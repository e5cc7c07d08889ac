package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.trino.NumberedParameters;
import java.util.List;
import java.util.Optional;

/**
 * A statement that is ready to be bound. Immutable.
 *
 * @param sql its text
 * @param parameterOids types that the client has said, 0: not
 */
record PreparedStatement(String sql, List<Integer> parameterOids, Kind kind) {
    PreparedStatement {
        parameterOids = List.copyOf(parameterOids);
    }

    /** What the statement is. */
    sealed interface Kind {}

    /** Nothing. */
    record Empty() implements Kind {}

    record OnSession(Command command) implements Kind {}

    /**
     * About the catalog, or constants.
     *
     * @param parameterOids types of the parameters
     */
    record OnCatalog(List<Integer> parameterOids) implements Kind {
        OnCatalog {
            parameterOids = List.copyOf(parameterOids);
        }
    }

    /**
     * On rows of a table.
     *
     * @param searchPath in which the table was found
     */
    record OnRows(Statement statement, FixedPlan plan, List<String> searchPath) implements Kind {
        OnRows {
            searchPath = List.copyOf(searchPath);
        }
    }

    /**
     * One that Trino runs.
     *
     * @param parameterOids types of the parameters
     * @param returnsRows whether it is a query
     * @param mayChange whether it may change something
     * @param described the columns that the client was told; empty: none yet
     */
    record OnTrino(
            NumberedParameters statement,
            List<Integer> parameterOids,
            boolean returnsRows,
            boolean mayChange,
            Optional<List<CatalogColumn>> described)
            implements Kind {
        OnTrino {
            parameterOids = List.copyOf(parameterOids);
        }

        OnTrino withParameters(List<Integer> oids) {
            return new OnTrino(statement, oids, returnsRows, mayChange, described);
        }

        OnTrino withDescribed(List<CatalogColumn> columns) {
            return new OnTrino(
                    statement, parameterOids, returnsRows, mayChange, Optional.of(columns));
        }
    }

    PreparedStatement with(Kind other) {
        return new PreparedStatement(sql, parameterOids, other);
    }

    PreparedStatement withPlan(Statement statement, FixedPlan plan, List<String> searchPath) {
        return new PreparedStatement(sql, parameterOids, new OnRows(statement, plan, searchPath));
    }
}
