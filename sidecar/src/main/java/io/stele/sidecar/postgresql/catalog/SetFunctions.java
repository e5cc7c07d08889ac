package io.stele.sidecar.postgresql.catalog;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The set-returning functions of catalog queries, such as {@code unnest} and {@code
 * generate_series}. Stateless.
 */
final class SetFunctions {
    private SetFunctions() {}

    static boolean isSet(String name) {
        return switch (name) {
            case "unnest",
                    "generate_subscripts",
                    "generate_series",
                    "_pg_expandarray",
                    "regexp_split_to_table",
                    "string_to_table" ->
                    true;
            default -> false;
        };
    }

    static int elementType(String name, List<Typed> arguments) {
        return switch (name) {
            case "unnest" -> {
                int element = SystemCatalog.INSTANCE.elementOf(argument(arguments, 0).type());
                yield element == 0 ? TypeOids.TEXT : element;
            }
            case "_pg_expandarray" -> TypeOids.RECORD;
            case "regexp_split_to_table", "string_to_table" -> TypeOids.TEXT;
            default -> TypeOids.INT4;
        };
    }

    private static Typed argument(List<Typed> arguments, int index) {
        if (index >= arguments.size()) {
            throw CatalogValues.invalid(
                    (index + 1) + " arguments", String.valueOf(arguments.size()));
        }
        return arguments.get(index);
    }

    /** An array of the elements, whose type does not matter. */
    static Typed compile(String name, List<Typed> arguments, QueryContext context) {
        Typed first = argument(arguments, 0);
        return new Typed(
                TypeOids.TEXT_ARRAY,
                frame -> {
                    Object value = first.of(frame);
                    if (value == CatalogValues.NULL) {
                        return new CatalogValues.Elements(List.of());
                    }
                    return switch (name) {
                        case "unnest" -> Operators.elements(value);
                        case "generate_subscripts" -> subscripts(Operators.elements(value));
                        case "_pg_expandarray" -> expanded(Operators.elements(value));
                        case "generate_series" ->
                                series(
                                        CatalogValues.integer(value),
                                        argument(arguments, 1).of(frame),
                                        step(arguments, frame),
                                        context);
                        default -> split(value, argument(arguments, 1).of(frame));
                    };
                });
    }

    private static long step(List<Typed> arguments, Frame frame) {
        return arguments.size() > 2 ? CatalogValues.integer(arguments.get(2).of(frame)) : 1;
    }

    private static CatalogValues.Elements subscripts(CatalogValues.Elements array) {
        List<Object> values = new ArrayList<>();
        for (int index = 0; index < array.values().size(); index++) {
            values.add((long) index + array.lowerBound());
        }
        return new CatalogValues.Elements(values);
    }

    private static CatalogValues.Elements expanded(CatalogValues.Elements array) {
        List<Object> values = new ArrayList<>();
        for (int index = 0; index < array.values().size(); index++) {
            values.add(
                    new CatalogValues.Fields(
                            List.of("x", "n"), List.of(array.values().get(index), index + 1L)));
        }
        return new CatalogValues.Elements(values);
    }

    private static CatalogValues.Elements series(
            long start, Object end, long step, QueryContext context) {
        if (step == 0) {
            throw CatalogValues.invalid("a step other than 0", "0");
        }
        List<Object> values = new ArrayList<>();
        if (end != CatalogValues.NULL) {
            long last = CatalogValues.integer(end);
            for (long value = start; step > 0 ? value <= last : value >= last; value += step) {
                values.add(value);
                context.checkRows(values.size());
                context.step();
            }
        }
        return new CatalogValues.Elements(values);
    }

    private static CatalogValues.Elements split(Object text, Object delimiter) {
        List<Object> parts = new ArrayList<>();
        for (String part : text.toString().split(Pattern.quote(delimiter.toString()), -1)) {
            parts.add(part);
        }
        return new CatalogValues.Elements(parts);
    }

    /** The columns of a function that PostgreSQL has in FROM, and that has no rows here. */
    static Optional<List<Relation.Column>> emptyColumns(String name) {
        return switch (name) {
            case "pg_get_keywords" -> texts("word", "catcode", "catdesc");
            case "pg_timezone_names" -> texts("name", "abbrev", "utc_offset", "is_dst");
            case "pg_available_extensions" -> texts("name", "default_version", "comment");
            case "pg_listening_channels" -> texts("pg_listening_channels");
            case "pg_partition_tree" -> texts("relid", "parentrelid", "isleaf", "level");
            case "pg_partition_ancestors" -> texts("relid");
            case "pg_options_to_table" -> texts("option_name", "option_value");
            case "aclexplode" -> texts("grantor", "grantee", "privilege_type", "is_grantable");
            default -> Optional.empty();
        };
    }

    private static Optional<List<Relation.Column>> texts(String... names) {
        List<Relation.Column> columns = new ArrayList<>();
        for (String name : names) {
            columns.add(new Relation.Column(name, TypeOids.TEXT));
        }
        return Optional.of(columns);
    }
}
