package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;

/**
 * The damage of the newest stored catalog version, found at a start, for which all requests for
 * tables are refused. The version cannot be read, or newer versions are missing.
 *
 * @param object path of the damaged version in the warehouse
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
