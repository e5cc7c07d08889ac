package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.Optional;

/** A request to set the default value of a column, or to remove it if the value is empty. */
public record SetDefaultRequest(TableId tableId, int columnId, Optional<String> defaultValue) {
    public SetDefaultRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(defaultValue, "defaultValue is null");
    }
}
