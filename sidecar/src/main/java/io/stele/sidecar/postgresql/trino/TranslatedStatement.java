package io.stele.sidecar.postgresql.trino;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.type.PostgresType;
import java.util.Map;
import java.util.Optional;

/**
 * A statement in Trino's SQL, with {@code $1} for parameters. Immutable.
 *
 * <p>Parameters whose cast is JSON, JSONB or BYTEA have no cast in {@code sql} any more: their
 * literal is to be of that type, whatever type the client has said.
 *
 * @param casts PostgreSQL's types of the parameters that stand right before a cast, by number from
 *     1; of several casts of a parameter the first one counts, as in PostgreSQL
 */
public record TranslatedStatement(String sql, Map<Integer, PostgresType> casts) {
    public TranslatedStatement {
        requireNonNull(sql, "sql is null");
        casts = Map.copyOf(casts);
    }

    /**
     * The type to which a parameter is cast; empty: to none, or to one without a scalar type here.
     *
     * @param parameter its number, from 1
     */
    public Optional<PostgresType> castOf(int parameter) {
        return Optional.ofNullable(casts.get(parameter));
    }
}
