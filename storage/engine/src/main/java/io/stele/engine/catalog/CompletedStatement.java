package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.TableId;
import java.util.Optional;
import java.util.UUID;

/**
 * The record, in later catalog versions, of a statement that took effect, so that it is not
 * executed again when its client repeats the request.
 *
 * @param id chosen by the client
 * @param millis when it took effect, in epoch milliseconds
 * @param tableId the table that the statement created or changed; empty for other statements
 */
public record CompletedStatement(
        @JsonProperty("id") UUID id,
        @JsonProperty("millis") long millis,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) @JsonProperty("tableId")
                Optional<TableId> tableId) {
    public CompletedStatement {
        requireNonNull(id, "id is null");
        requireNonNull(tableId, "tableId is null");
    }
}
