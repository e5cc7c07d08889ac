package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.TableId;
import java.util.Optional;

/** A request to set or clear the comment of a table or of one of its columns (by id). */
public record SetCommentRequest(
        TableId tableId, Optional<Integer> columnId, Optional<String> comment) {
    public SetCommentRequest {
        requireNonNull(tableId, "tableId is null");
        requireNonNull(columnId, "columnId is null");
        requireNonNull(comment, "comment is null");
    }
}
