package io.stele.protocol.api.status;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A reply with the statistics of the SQL statements that a sidecar has run, or handed on to Trino,
 * for clients of PostgreSQL's protocol and of Flight SQL.
 *
 * @param nodeId of the sidecar
 * @param statements those that took most time first
 */
public record StatementsReply(String nodeId, List<StatementStatus> statements) {
    public StatementsReply {
        requireNonNull(nodeId, "nodeId is null");
        statements = List.copyOf(statements);
    }
}
