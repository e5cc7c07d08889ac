package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.TableId;
import java.util.Optional;
import java.util.UUID;

/**
 * A statement that took effect, in the catalog versions that follow: a client without an answer
 * sends it again, and it is not done a second time.
 *
 * @param id chosen by the client
 * @param millis when it took effect, since 1970
 * @param tableId the table that it made or changed; empty for others, and for dropped ones
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
