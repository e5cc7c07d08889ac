package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.sql.Statement;
import io.stele.sidecar.postgresql.trino.NumberedParameters;
import java.util.List;

/**
 * A statement that is ready to be bound. Immutable.
 *
 * @param sql its text
 * @param parameterOids types that the client has said, 0: not
 */
public record PreparedStatement(String sql, List<Integer> parameterOids, Kind kind) {
    public PreparedStatement {
        parameterOids = List.copyOf(parameterOids);
    }

    /** What the statement is. */
    public sealed interface Kind {}

    /** Nothing. */
    public record Empty() implements Kind {}

    public record OnSession(Command command) implements Kind {}

    /**
     * About the catalog, or constants.
     *
     * @param parameterOids types of the parameters
     */
    public record OnCatalog(List<Integer> parameterOids) implements Kind {
        public OnCatalog {
            parameterOids = List.copyOf(parameterOids);
        }
    }

    /**
     * On rows of a table.
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
     * One that Trino runs.
     *
     * @param parameterOids types of the parameters
     * @param returnsRows whether it is a query, which changes nothing
     */
    public record OnTrino(
            NumberedParameters statement, List<Integer> parameterOids, boolean returnsRows)
            implements Kind {
        public OnTrino {
            parameterOids = List.copyOf(parameterOids);
        }
    }

    public PreparedStatement withPlan(
            Statement statement, FixedPlan plan, List<String> searchPath) {
        return new PreparedStatement(sql, parameterOids, new OnRows(statement, plan, searchPath));
    }
}
