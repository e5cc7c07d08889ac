package io.stele.protocol.api.catalog;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * The part that the definition of a view has whichever system wrote it (docs/format.md).
 *
 * @param dialect the system that wrote the view, and alone can read or change it, such as {@code
 *     flink}; empty: Trino
 */
public record ViewDialect(Optional<String> dialect) {
    public ViewDialect {
        requireNonNull(dialect, "dialect is null");
    }
}
