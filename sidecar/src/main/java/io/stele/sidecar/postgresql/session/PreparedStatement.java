package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.trino.NumberedParameters;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.List;
import java.util.Optional;

/**
 * A PostgreSQL client's statement after Parse, with its kind, which decides who runs it: session,
 * catalog, fixed plan or Trino. Immutable.
 *
 * @param sql its text
 * @param parameterOids types that the client has declared, 0: none
 */
public record PreparedStatement(String sql, List<Integer> parameterOids, Kind kind) {
    public PreparedStatement {
        parameterOids = List.copyOf(parameterOids);
    }

    /** The kind of a statement, which decides who runs it. */
    public sealed interface Kind {}

    /** An empty statement. */
    public record Empty() implements Kind {}

    public record OnSession(Command command) implements Kind {}

    /**
     * A catalog query, or a query of constants.
     *
     * @param parameterOids types of the parameters
     */
    public record OnCatalog(List<Integer> parameterOids) implements Kind {
        public OnCatalog {
            parameterOids = List.copyOf(parameterOids);
        }
    }

    /**
     * A statement with a fixed plan on the rows of a table.
     *
     * @param searchPath in which the table was found
     */
    public record OnRows(Statement statement, FixedPlan plan, List<String> searchPath)
            implements Kind {
        public OnRows {
            searchPath = List.copyOf(searchPath);
        }
    }

    /**
     * A statement that Trino runs.
     *
     * @param parameterOids types of the parameters
     * @param returnsRows whether it is a query
     * @param mayChange whether it may change something
     * @param described the columns that were sent to the client; empty: none yet
     */
    public record OnTrino(
            NumberedParameters statement,
            List<Integer> parameterOids,
            boolean returnsRows,
            boolean mayChange,
            Optional<List<CatalogColumn>> described)
            implements Kind {
        public OnTrino {
            parameterOids = List.copyOf(parameterOids);
        }

        public OnTrino withParameters(List<Integer> oids) {
            return new OnTrino(statement, oids, returnsRows, mayChange, described);
        }

        public OnTrino withDescribed(List<CatalogColumn> columns) {
            return new OnTrino(
                    statement, parameterOids, returnsRows, mayChange, Optional.of(columns));
        }
    }

    /**
     * Returns the failure of a statement whose result has other columns than were described to the
     * client.
     *
     * @param reason appended to the message; may be empty
     */
    public static PostgresException otherColumns(String reason) {
        return new PostgresException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "Expected a result of the columns that were described, found others" + reason,
                Optional.of("Prepare the statement again."));
    }

    public PreparedStatement with(Kind other) {
        return new PreparedStatement(sql, parameterOids, other);
    }

    public PreparedStatement withPlan(
            Statement statement, FixedPlan plan, List<String> searchPath) {
        return new PreparedStatement(sql, parameterOids, new OnRows(statement, plan, searchPath));
    }
}
