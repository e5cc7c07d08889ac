package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.SteleException;

/**
 * The report, made at a start, that the newest stored catalog version is unreadable or that newer
 * versions are missing. While it exists, all requests for tables are refused. Immutable.
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
