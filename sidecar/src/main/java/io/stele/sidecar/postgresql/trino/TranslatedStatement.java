package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a PostgreSQL statement's translation to Trino's SQL, with parameters still as
 * {@code $1}, and their types from casts. Immutable.
 *
 * <p>Parameters whose cast is JSON, JSONB or BYTEA have no cast in {@code sql} any more. Their
 * literal must be of this type, even if the client has declared another type.
 *
 * @param casts PostgreSQL's types of the parameters directly before a cast, by number from 1; the
 *     first of several casts of a parameter counts, as in PostgreSQL
 */
public record TranslatedStatement(String sql, Map<Integer, PostgresType> casts) {
    public TranslatedStatement {
        requireNonNull(sql, "sql is null");
        casts = Map.copyOf(casts);
    }

    /**
     * The type to which a parameter is cast; empty if it has no cast, or none to a known scalar
     * type.
     *
     * @param parameter its number, from 1
     */
    public Optional<PostgresType> castOf(int parameter) {
        return Optional.ofNullable(casts.get(parameter));
    }
}
