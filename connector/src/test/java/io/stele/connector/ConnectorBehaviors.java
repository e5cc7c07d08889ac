package io.stele.connector;

import io.trino.testing.TestingConnectorBehavior;
import java.util.Optional;

/** What Trino's own tests of a connector need to know of this one. */
final class ConnectorBehaviors {
    private ConnectorBehaviors() {}

    /** Whether the connector has a behaviour; empty: as Trino assumes. */
    static Optional<Boolean> of(TestingConnectorBehavior behavior) {
        return switch (behavior) {
            // These mean that the engine's own filter or limit goes away: ours are advisory
            case SUPPORTS_PREDICATE_PUSHDOWN,
                    SUPPORTS_LIMIT_PUSHDOWN,
                    SUPPORTS_TOPN_PUSHDOWN,
                    SUPPORTS_AGGREGATION_PUSHDOWN ->
                    Optional.of(false);
            case SUPPORTS_ADD_COLUMN_NOT_NULL_CONSTRAINT, SUPPORTS_NATIVE_QUERY ->
                    Optional.of(false);
            case SUPPORTS_CREATE_OR_REPLACE_TABLE,
                    SUPPORTS_DYNAMIC_FILTER_PUSHDOWN,
                    SUPPORTS_REPORTING_WRITTEN_BYTES ->
                    Optional.of(true);
            default -> Optional.empty();
        };
    }
}
