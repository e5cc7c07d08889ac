package io.stele.sidecar.flight.sql;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.schema.DataType;
import io.stele.sidecar.postgresql.plan.ParameterTypes;
import io.stele.sidecar.postgresql.session.PreparedStatement;
import java.util.List;

/**
 * A prepared statement of Flight SQL, with the schemas of its results and parameters. Immutable.
 *
 * @param results the schema of its rows; without fields: it returns none
 * @param parameters the types of its parameters
 * @param parameterTypes the exact types of its parameters, for clients
 */
record SqlStatement(
        PreparedStatement prepared,
        ResultSchema results,
        List<ParameterTypes.Type> parameters,
        List<DataType> parameterTypes) {
    SqlStatement {
        requireNonNull(prepared, "prepared is null");
        requireNonNull(results, "results is null");
        parameters = List.copyOf(parameters);
        parameterTypes = List.copyOf(parameterTypes);
    }

    /** The approximate memory that it takes, in bytes. */
    long sizeBytes() {
        return 2L * prepared.sql().length() + 1_024L * (1 + results.fields().size());
    }
}
