package io.stele.sidecar.postgresql.catalog.relation;

import com.google.common.collect.ImmutableMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A converter between types and their names in SQL, for catalog queries: {@code character
 * varying(20)} and {@code varchar}.
 */
public final class TypeNames {
    private static final Map<String, String> SQL_NAMES =
            ImmutableMap.<String, String>builder()
                    .put("bool", "boolean")
                    .put("int2", "smallint")
                    .put("int4", "integer")
                    .put("int8", "bigint")
                    .put("float4", "real")
                    .put("float8", "double precision")
                    .put("bpchar", "character")
                    .put("varchar", "character varying")
                    .put("char", "\"char\"")
                    .put("bit", "bit")
                    .put("varbit", "bit varying")
                    .put("time", "time without time zone")
                    .put("timetz", "time with time zone")
                    .put("timestamp", "timestamp without time zone")
                    .put("timestamptz", "timestamp with time zone")
                    .buildOrThrow();

    private static final Map<String, String> INTERNAL_NAMES =
            ImmutableMap.<String, String>builder()
                    .put("boolean", "bool")
                    .put("smallint", "int2")
                    .put("integer", "int4")
                    .put("int", "int4")
                    .put("bigint", "int8")
                    .put("real", "float4")
                    .put("double precision", "float8")
                    .put("double", "float8")
                    .put("float", "float8")
                    .put("decimal", "numeric")
                    .put("character", "bpchar")
                    .put("char", "bpchar")
                    .put("character varying", "varchar")
                    .put("string", "text")
                    .put("time without time zone", "time")
                    .put("time with time zone", "timetz")
                    .put("timestamp without time zone", "timestamp")
                    .put("timestamp with time zone", "timestamptz")
                    .buildOrThrow();

    private TypeNames() {}

    /** As {@code format_type}; a modifier below 0 is none. */
    public static String format(int oid, long modifier) {
        Optional<SystemCatalog.Type> found = SystemCatalog.INSTANCE.type(oid);
        if (found.isEmpty()) {
            return oid == 0 ? "-" : "???";
        }
        SystemCatalog.Type type = found.get();
        int element = SystemCatalog.INSTANCE.elementOf(oid);
        if (element != 0 && !TypeOids.isVector(oid)) {
            return format(element, modifier) + "[]";
        }
        String name = SQL_NAMES.getOrDefault(type.name(), type.name());
        if (modifier < 0) {
            return oid == TypeOids.BPCHAR && modifier == -1 ? "character" : name;
        }
        return switch (oid) {
            case TypeOids.VARCHAR, TypeOids.BPCHAR -> name + "(" + (modifier - 4) + ")";
            case TypeOids.NUMERIC ->
                    name + "(" + ((modifier - 4) >> 16) + "," + ((modifier - 4) & 0x7ff) + ")";
            case TypeOids.TIME, TypeOids.TIMESTAMP, TypeOids.TIMESTAMPTZ ->
                    name.replaceFirst(" ", "(" + modifier + ") ");
            default -> name;
        };
    }

    /** The type that a name stands for in a cast, with or without schema, quotes and length. */
    public static Optional<SystemCatalog.Type> find(String written) {
        String name = written.strip();
        String bare = name.replaceFirst("^\"?(pg_catalog|information_schema)\"?\\s*\\.\\s*", "");
        if (bare.endsWith("[]")) {
            return find(bare.substring(0, bare.length() - 2))
                    .flatMap(element -> SystemCatalog.INSTANCE.type(element.array()));
        }
        if (bare.startsWith("\"") && bare.endsWith("\"") && bare.length() > 1) {
            return SystemCatalog.INSTANCE.typeNamed(bare.substring(1, bare.length() - 1));
        }
        String plain = bare.toLowerCase(Locale.ROOT).replaceAll("\\s*\\([^)]*\\)", "").strip();
        boolean isQualified = !bare.equals(name);
        return SystemCatalog.INSTANCE.typeNamed(
                isQualified && plain.equals("char")
                        ? plain
                        : INTERNAL_NAMES.getOrDefault(plain, plain));
    }
}
