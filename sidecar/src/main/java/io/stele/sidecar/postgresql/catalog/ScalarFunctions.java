package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableMap;
import io.stele.sidecar.postgresql.catalog.relation.CatalogRelations;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Definitions;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The scalar functions that catalog queries can call. Confined to one statement. */
final class ScalarFunctions {
    private static final Map<String, Integer> TYPES = types();

    private final QueryContext context;
    private final Casts casts;
    private final CatalogFunctions catalog;

    ScalarFunctions(QueryContext context, Casts casts) {
        this.context = requireNonNull(context, "context is null");
        this.casts = requireNonNull(casts, "casts is null");
        this.catalog = new CatalogFunctions(context);
    }

    private static Map<String, Integer> types() {
        ImmutableMap.Builder<String, Integer> types = ImmutableMap.builder();
        for (String name : List.of("coalesce", "nullif", "greatest", "least", "abs")) {
            types.put(name, 0); // the type of the arguments
        }
        for (String name :
                List.of(
                        "lower",
                        "upper",
                        "replace",
                        "btrim",
                        "trim",
                        "ltrim",
                        "rtrim",
                        "substring",
                        "substr",
                        "left",
                        "right",
                        "concat",
                        "concat_ws",
                        "split_part",
                        "quote_ident",
                        "quote_literal",
                        "array_to_string",
                        "to_char",
                        "pg_size_pretty",
                        "regexp_replace",
                        "format",
                        "translate",
                        "md5",
                        "repeat",
                        "initcap")) {
            types.put(name, TypeOids.TEXT);
        }
        for (String name :
                List.of(
                        "length",
                        "char_length",
                        "position",
                        "strpos",
                        "array_length",
                        "array_upper",
                        "array_lower",
                        "cardinality",
                        "array_position",
                        "array_ndims")) {
            types.put(name, TypeOids.INT4);
        }
        types.put("string_to_array", TypeOids.TEXT_ARRAY);
        types.put("array_remove", TypeOids.TEXT_ARRAY);
        types.put("regexp_split_to_array", TypeOids.TEXT_ARRAY);
        types.put("parse_ident", TypeOids.TEXT_ARRAY);
        types.put("json_build_object", TypeOids.JSON);
        types.put("jsonb_build_object", TypeOids.JSON);
        types.put("round", TypeOids.NUMERIC);
        types.put("floor", TypeOids.NUMERIC);
        types.put("ceil", TypeOids.NUMERIC);
        types.putAll(CatalogFunctions.TYPES);
        return types.buildOrThrow();
    }

    static boolean isScalar(String name) {
        return TYPES.containsKey(name);
    }

    Typed compile(String name, List<Typed> arguments) {
        Integer declared = TYPES.get(name);
        if (declared == null) {
            throw CatalogValues.invalid("a function of PostgreSQL's catalog", name);
        }
        arguments.forEach(argument -> context.infer(argument, parameterType(name)));
        int type = declared == 0 ? FunctionCompiler.common(arguments) : declared;
        boolean isLazy = name.equals("coalesce");
        if (isLazy) {
            return new Typed(
                    type,
                    frame -> {
                        for (Typed argument : arguments) {
                            Object value = argument.of(frame);
                            if (value != CatalogValues.NULL) {
                                return value instanceof String
                                        ? casts.cast(value, Typed.UNKNOWN, type)
                                        : value;
                            }
                        }
                        return CatalogValues.NULL;
                    });
        }
        List<Integer> types = arguments.stream().map(Typed::type).toList();
        boolean acceptsNull = acceptsNull(name);
        return new Typed(
                type,
                frame -> {
                    List<Object> values = new ArrayList<>(arguments.size());
                    for (Typed argument : arguments) {
                        Object value = argument.of(frame);
                        if (value == CatalogValues.NULL && !acceptsNull) {
                            return CatalogValues.NULL;
                        }
                        values.add(value);
                    }
                    return call(name, values, types);
                });
    }

    private static int parameterType(String name) {
        return CatalogFunctions.TYPES.containsKey(name) && name.startsWith("pg_get_")
                ? TypeOids.OID
                : TypeOids.TEXT;
    }

    private static boolean acceptsNull(String name) {
        return switch (name) {
            case "nullif",
                    "greatest",
                    "least",
                    "concat",
                    "concat_ws",
                    "json_build_object",
                    "jsonb_build_object",
                    "array_to_string",
                    "format_type" ->
                    true;
            default -> false;
        };
    }

    private Object call(String name, List<Object> values, List<Integer> types) {
        if (CatalogFunctions.TYPES.containsKey(name)) {
            return catalog.call(name, values);
        }
        try {
            return plain(name, values, types);
        } catch (IndexOutOfBoundsException e) {
            throw CatalogValues.invalid("other arguments of " + name, values.size() + " arguments");
        }
    }

    private Object plain(String name, List<Object> values, List<Integer> types) {
        return switch (name) {
            case "nullif" ->
                    values.get(0) != CatalogValues.NULL
                                    && CatalogValues.isTrue(
                                            Operators.compare("=", values.get(0), values.get(1)))
                            ? CatalogValues.NULL
                            : values.get(0);
            case "greatest", "least" -> extreme(values, name.equals("greatest"));
            case "abs" ->
                    CatalogValues.integer(values.get(0)) < 0
                            ? Operators.arithmetic("-", 0L, values.get(0))
                            : values.get(0);
            case "round", "floor", "ceil" ->
                    CatalogValues.decimal(values.get(0))
                            .setScale(
                                    values.size() > 1
                                            ? (int) CatalogValues.integer(values.get(1))
                                            : 0,
                                    switch (name) {
                                        case "floor" -> RoundingMode.FLOOR;
                                        case "ceil" -> RoundingMode.CEILING;
                                        default -> RoundingMode.HALF_UP;
                                    });
            case "array_length", "array_upper", "array_lower", "cardinality", "array_ndims" ->
                    bound(name, Operators.elements(values.get(0)));
            case "array_position" -> position(Operators.elements(values.get(0)), values.get(1));
            case "array_to_string" -> joined(values, types.get(0));
            case "array_remove" -> without(values.get(0), values.get(1));
            case "json_build_object", "jsonb_build_object" -> json(values, types);
            case "concat", "concat_ws" -> concat(values, types, name.equals("concat_ws"));
            case "parse_ident" ->
                    new CatalogValues.Elements(
                            new ArrayList<>(CatalogRelations.nameParts(text(values, types, 0))));
            default -> counted(texts(name, values, types));
        };
    }

    private Object counted(Object value) {
        return value instanceof String text ? context.countText(text) : value;
    }

    private String text(List<Object> values, List<Integer> types, int index) {
        return casts.text(values.get(index), types.get(index));
    }

    private Object texts(String name, List<Object> values, List<Integer> types) {
        String text = text(values, types, 0);
        return switch (name) {
            case "lower" -> text.toLowerCase(Locale.ROOT);
            case "upper" -> text.toUpperCase(Locale.ROOT);
            case "initcap" ->
                    Pattern.compile("\\b(.)(\\w*)")
                            .matcher(text)
                            .replaceAll(
                                    found ->
                                            found.group(1).toUpperCase(Locale.ROOT)
                                                    + found.group(2).toLowerCase(Locale.ROOT));
            case "length", "char_length" -> (long) text.codePointCount(0, text.length());
            case "replace" ->
                    text(values, types, 1).isEmpty()
                            ? text
                            : text.replace(text(values, types, 1), text(values, types, 2));
            case "position" -> text(values, types, 1).indexOf(text) + 1L;
            case "strpos" -> text.indexOf(text(values, types, 1)) + 1L;
            case "btrim", "trim", "ltrim", "rtrim" ->
                    trimmed(
                            text,
                            values.size() > 1 ? text(values, types, 1) : " ",
                            !name.equals("rtrim"),
                            !name.equals("ltrim"));
            case "substring", "substr" -> substring(text, values);
            case "left" -> text.substring(0, cut(text, CatalogValues.integer(values.get(1))));
            case "right" ->
                    text.substring(text.length() - cut(text, CatalogValues.integer(values.get(1))));
            case "repeat" -> {
                long count = Math.max(0, CatalogValues.integer(values.get(1)));
                if (count * text.length() > 1 << 20) {
                    throw CatalogValues.invalid("a text of at most 1 MiB", count + " repetitions");
                }
                yield text.repeat((int) count);
            }
            case "quote_ident" -> Definitions.quote(text);
            case "quote_literal" -> Definitions.literal(text);
            case "split_part" -> {
                String[] parts = text.split(Pattern.quote(text(values, types, 1)), -1);
                long part = CatalogValues.integer(values.get(2));
                yield part >= 1 && part <= parts.length ? parts[(int) part - 1] : "";
            }
            case "string_to_array", "regexp_split_to_array" -> {
                String delimiter = text(values, types, 1);
                String regex =
                        name.equals("string_to_array") ? Pattern.quote(delimiter) : delimiter;
                yield new CatalogValues.Elements(
                        text.isEmpty() ? List.of() : List.of((Object[]) text.split(regex, -1)));
            }
            case "regexp_replace" ->
                    Operators.regex(text(values, types, 1), false)
                            .matcher(new StepCountingText(text, context))
                            .replaceFirst(text(values, types, 2).replace("\\", "$"));
            case "pg_size_pretty" -> text + " bytes";
            case "to_char" -> text;
            default -> throw CatalogValues.invalid("a function that the catalog has", name);
        };
    }

    private static Object extreme(List<Object> values, boolean isGreatest) {
        Object found = CatalogValues.NULL;
        for (Object value : values) {
            boolean isNew =
                    found == CatalogValues.NULL
                            || (value != CatalogValues.NULL
                                    && CatalogValues.compare(value, found) > 0 == isGreatest);
            found = isNew ? value : found;
        }
        return found;
    }

    private static Object bound(String name, CatalogValues.Elements array) {
        int size = array.values().size();
        if (name.equals("cardinality")) {
            return (long) size;
        }
        if (size == 0) {
            return CatalogValues.NULL;
        }
        return switch (name) {
            case "array_lower" -> (long) array.lowerBound();
            case "array_upper" -> array.lowerBound() + size - 1L;
            case "array_ndims" -> 1L;
            default -> (long) size;
        };
    }

    private static Object without(Object array, Object removed) {
        if (array == CatalogValues.NULL) {
            return CatalogValues.NULL;
        }
        List<Object> kept = new ArrayList<>(Operators.elements(array).values());
        kept.removeIf(element -> CatalogValues.isTrue(Operators.compare("=", element, removed)));
        return new CatalogValues.Elements(kept);
    }

    private static Object position(CatalogValues.Elements array, Object value) {
        for (int index = 0; index < array.values().size(); index++) {
            if (CatalogValues.isTrue(Operators.compare("=", array.values().get(index), value))) {
                return (long) index + array.lowerBound();
            }
        }
        return CatalogValues.NULL;
    }

    private Object joined(List<Object> values, int type) {
        if (values.get(0) == CatalogValues.NULL || values.get(1) == CatalogValues.NULL) {
            return CatalogValues.NULL;
        }
        int element = SystemCatalog.INSTANCE.elementOf(type);
        Optional<String> forNull =
                values.size() > 2 ? Optional.of(values.get(2).toString()) : Optional.empty();
        List<String> parts = new ArrayList<>();
        for (Object value : Operators.elements(values.get(0)).values()) {
            if (value != CatalogValues.NULL) {
                parts.add(casts.text(value, element));
            } else {
                forNull.ifPresent(parts::add);
            }
        }
        return context.countText(String.join(values.get(1).toString(), parts));
    }

    private Object concat(List<Object> values, List<Integer> types, boolean hasSeparator) {
        List<String> parts = new ArrayList<>();
        for (int index = hasSeparator ? 1 : 0; index < values.size(); index++) {
            if (values.get(index) != CatalogValues.NULL) {
                parts.add(text(values, types, index));
            }
        }
        return context.countText(String.join(hasSeparator ? text(values, types, 0) : "", parts));
    }

    private Object json(List<Object> values, List<Integer> types) {
        StringBuilder json = new StringBuilder("{");
        for (int index = 0; index + 1 < values.size(); index += 2) {
            Object value = values.get(index + 1);
            boolean isBare = value instanceof Long || value instanceof Double;
            String text =
                    value == CatalogValues.NULL
                            ? "null"
                            : value instanceof Boolean || isBare
                                    ? value.toString()
                                    : quoted(text(values, types, index + 1));
            json.append(index > 0 ? ", " : "")
                    .append(quoted(text(values, types, index)))
                    .append(" : ")
                    .append(text);
        }
        return context.countText(json.append('}').toString());
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    private static String trimmed(String text, String characters, boolean start, boolean end) {
        int from = 0;
        int to = text.length();
        while (start && from < to && characters.indexOf(text.charAt(from)) >= 0) {
            from++;
        }
        while (end && to > from && characters.indexOf(text.charAt(to - 1)) >= 0) {
            to--;
        }
        return text.substring(from, to);
    }

    private static String substring(String text, List<Object> values) {
        if (values.get(1) instanceof String pattern && !pattern.matches("[0-9]+")) {
            var matcher = Operators.regex(pattern, false).matcher(text);
            return matcher.find() ? matcher.group(matcher.groupCount() > 0 ? 1 : 0) : "";
        }
        long from = CatalogValues.integer(values.get(1)) - 1;
        long to = values.size() > 2 ? from + CatalogValues.integer(values.get(2)) : text.length();
        int start = (int) Math.clamp(from, 0, text.length());
        return text.substring(start, (int) Math.clamp(to, start, text.length()));
    }

    private static int cut(String text, long count) {
        return (int) Math.clamp(count < 0 ? text.length() + count : count, 0, text.length());
    }
}
