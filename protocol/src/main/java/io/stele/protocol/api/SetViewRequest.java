package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * Gives a view another definition.
 *
 * @param revision the one that the new definition was made from; STALE_TABLE if it is another now
 */
public record SetViewRequest(ViewRequest view, long revision, String definition) {
    public SetViewRequest {
        requireNonNull(view, "view is null");
        requireNonNull(definition, "definition is null");
    }
}
