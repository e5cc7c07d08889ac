package io.stele.sidecar.postgresql.plan;

import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.type.TextFormat;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The types of a statement's parameters: declared by the client, or else inferred from the values
 * with which the statement compares or to which it assigns them. Confined to one thread while the
 * statement is planned.
 */
public final class ParameterTypes {
    /**
     * A type of a parameter.
     *
     * @param array whether it is an array of it
     */
    public record Type(PostgresType type, boolean array) {
        public int oid() {
            return array ? type.arrayOid() : type.oid();
        }

        /**
         * A value of the class of any type as one of this type, which is no array.
         *
         * @throws PostgresException if it has none
         */
        public Object cast(Object value, ZoneId zone) {
            return switch (type) {
                case JSON, JSONB -> value instanceof String ? value : TextFormat.write(value);
                default -> Values.cast(value, type, zone);
            };
        }
    }

    /** The type of a parameter of which nothing is known. */
    public static final Type TEXT = new Type(PostgresType.TEXT, false);

    private final List<Optional<Type>> types = new ArrayList<>();

    /**
     * @param oids as the client declares them, 0: unknown
     * @throws PostgresException UNDEFINED_OBJECT for a type that is not known here
     */
    public ParameterTypes(List<Integer> oids) {
        oids.forEach(oid -> types.add(oid == 0 ? Optional.empty() : Optional.of(ofOid(oid))));
    }

    private static Type ofOid(int oid) {
        Optional<PostgresType> scalar = PostgresType.ofOid(oid);
        if (scalar.isPresent()) {
            return new Type(scalar.get(), false);
        }
        return PostgresType.ofArrayOid(oid)
                .map(element -> new Type(element, true))
                .orElseThrow(
                        () ->
                                new PostgresException(
                                        SqlState.UNDEFINED_OBJECT,
                                        "Expected a parameter of a type that is known here, found"
                                                + " the type with OID "
                                                + oid));
    }

    /** The type of a parameter, which is {@code expected} if nothing has determined it before. */
    Type use(int number, Type expected) {
        while (types.size() < number) {
            types.add(Optional.empty());
        }
        Optional<Type> known =
                types.get(number - 1).filter(type -> type.type() != PostgresType.UNKNOWN);
        Type type = known.orElse(expected);
        types.set(number - 1, Optional.of(type));
        return type;
    }

    /** The type of the first parameter. */
    public Type first() {
        return types.getFirst().orElse(TEXT);
    }

    /** All types in order; a parameter that nothing uses is text. */
    public List<Type> all() {
        return types.stream().map(type -> type.orElse(TEXT)).toList();
    }
}
