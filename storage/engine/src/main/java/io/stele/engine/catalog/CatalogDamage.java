package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;

/**
 * The newest catalog version, which cannot be read, or is not the newest there was: no table is
 * known.
 *
 * @param object where it lies
 * @param reason what was expected, and what was found
 */
public record CatalogDamage(String object, SteleException reason) {
    public CatalogDamage {
        requireNonNull(object, "object is null");
        requireNonNull(reason, "reason is null");
    }

    /** The error of requests for a table. */
    public SteleException refusal() {
        return new SteleException(
                reason.code(),
                "No table is known, since the catalog version %s cannot be used: %s; it is to be put back, or dropped (stele-doctor), and the sidecar restarted"
                        .formatted(object, reason.getMessage()),
                reason);
    }
}
