package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.ArrayText;
import io.stele.sidecar.postgresql.catalog.relation.CatalogRelations;
import io.stele.sidecar.postgresql.catalog.relation.CatalogSettings;
import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Definitions;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeNames;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The casts between PostgreSQL types in a catalog query, and the text form of its values. Confined
 * to one statement.
 */
final class Casts {
    private final QueryContext context;

    Casts(QueryContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    /** The value as another type; NULL stays NULL. */
    Object cast(Object value, int from, int to) {
        if (value == CatalogValues.NULL || from == to) {
            return value;
        }
        if (TypeOids.isReference(to)) {
            return value instanceof String text
                    ? reference(text, to)
                    : CatalogValues.integer(value);
        }
        int element = SystemCatalog.INSTANCE.elementOf(to);
        if (element != 0) {
            return elements(value, from, element, TypeOids.isVector(to) ? 0 : 1);
        }
        return switch (to) {
            case TypeOids.BOOL -> CatalogValues.bool(value);
            case TypeOids.INT2, TypeOids.INT4, TypeOids.INT8, TypeOids.OID -> integer(value, to);
            case TypeOids.FLOAT4, TypeOids.FLOAT8 -> CatalogValues.decimal(value).doubleValue();
            case TypeOids.NUMERIC -> CatalogValues.decimal(value);
            case TypeOids.CHAR -> first(text(value, from));
            default -> text(value, from);
        };
    }

    private static Object integer(Object value, int to) {
        long number =
                value instanceof Double || value instanceof BigDecimal
                        ? CatalogValues.decimal(value).setScale(0, RoundingMode.HALF_UP).longValue()
                        : CatalogValues.integer(value);
        boolean fits =
                switch (to) {
                    case TypeOids.INT2 -> number == (short) number;
                    case TypeOids.INT4 -> number == (int) number;
                    case TypeOids.OID -> number >= Integer.MIN_VALUE && number <= 0xffff_ffffL;
                    default -> true;
                };
        if (!fits) {
            throw CatalogValues.invalid(
                    "a number in the range of " + TypeNames.format(to, -1), number);
        }
        return number;
    }

    private static String first(String text) {
        return text.isEmpty() ? "" : text.substring(0, 1);
    }

    private CatalogValues.Elements elements(Object value, int from, int element, int lowerBound) {
        if (value instanceof CatalogValues.Elements array) {
            int fromElement = SystemCatalog.INSTANCE.elementOf(from);
            List<Object> values = new ArrayList<>();
            array.values().forEach(item -> values.add(cast(item, fromElement, element)));
            return new CatalogValues.Elements(values, lowerBound);
        }
        return new CatalogValues.Elements(ArrayText.parse(value.toString(), element), lowerBound);
    }

    /** The OID that a name stands for. */
    private Object reference(String text, int type) {
        if (text.matches("[0-9]{1,10}")) {
            return Long.parseLong(text);
        }
        return findReference(text, type)
                .orElseThrow(
                        () ->
                                CatalogValues.invalid(
                                        "the name of a " + TypeNames.format(type, -1).substring(3),
                                        "'" + text + "'"));
    }

    /**
     * As {@code to_regclass} and similar functions: the OID of a name, if there is such an object.
     */
    Optional<Object> findReference(String text, int type) {
        return switch (type) {
            case TypeOids.REGCLASS ->
                    context.relations()
                            .relationOid(text, context.searchPath())
                            .map(Integer::longValue);
            case TypeOids.REGTYPE -> TypeNames.find(text).map(found -> (long) found.oid());
            case TypeOids.REGNAMESPACE ->
                    context.relations()
                            .namespace(CatalogRelations.nameParts(text).get(0))
                            .map(Integer::longValue);
            case TypeOids.REGROLE -> Optional.of((long) SystemCatalog.FIRST_ROLE_OID);
            default ->
                    SystemCatalog.INSTANCE
                            .procedureOid(text.replaceFirst("^pg_catalog\\.", ""))
                            .map(Integer::longValue);
        };
    }

    /** The value in PostgreSQL's text format. */
    String text(Object value, int type) {
        return switch (value) {
            case Boolean flag -> flag ? "t" : "f";
            case Double number ->
                    number == Math.rint(number) && Math.abs(number) < 1e15
                            ? String.valueOf(number.longValue())
                            : number.toString();
            case BigDecimal number -> number.toPlainString();
            case Long oid when TypeOids.isReference(type) -> referenceText(oid, type);
            case CatalogValues.Elements array -> arrayText(array, type);
            case CatalogValues.Fields fields ->
                    fields.values().stream()
                            .map(
                                    field ->
                                            field == CatalogValues.NULL
                                                    ? ""
                                                    : text(field, TypeOids.TEXT))
                            .collect(Collectors.joining(",", "(", ")"));
            default -> value.toString();
        };
    }

    private String arrayText(CatalogValues.Elements array, int type) {
        int element = SystemCatalog.INSTANCE.elementOf(type);
        if (TypeOids.isVector(type)) {
            return array.values().stream()
                    .map(item -> text(item, element))
                    .collect(Collectors.joining(" "));
        }
        return context.countText(ArrayText.format(array.values(), item -> text(item, element)));
    }

    private String referenceText(long oid, int type) {
        if (oid == 0) {
            return "-";
        }
        Optional<String> name =
                switch (type) {
                    case TypeOids.REGCLASS ->
                            context.relations().relationName(oid, context.searchPath());
                    case TypeOids.REGTYPE ->
                            SystemCatalog.INSTANCE
                                    .type((int) oid)
                                    .map(found -> TypeNames.format(found.oid(), -1));
                    case TypeOids.REGNAMESPACE ->
                            context.relations().namespaceName(oid).map(Definitions::quote);
                    case TypeOids.REGROLE -> Optional.of(CatalogSettings.OWNER);
                    case TypeOids.REGPROC -> SystemCatalog.INSTANCE.procedureName((int) oid);
                    default -> Optional.empty();
                };
        return name.orElseGet(() -> String.valueOf(oid));
    }
}
