package io.stele.sidecar.postgresql.catalog.relation;

import static com.google.common.collect.ImmutableMap.toImmutableMap;

import com.google.common.base.Splitter;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The constant part of the PostgreSQL catalog that clients query, loaded from resources: the
 * relations of {@code pg_catalog} and {@code information_schema} with their columns as in
 * PostgreSQL 15, its types, and a few rows. Immutable.
 */
public final class SystemCatalog {
    public static final String PG_CATALOG = "pg_catalog";
    public static final String INFORMATION_SCHEMA = "information_schema";
    static final int PG_CATALOG_OID = 11;
    static final int INFORMATION_SCHEMA_OID = 13_186;
    public static final int FIRST_ROLE_OID = 10;

    private static final Splitter COMMA = Splitter.on(',');

    private static final Splitter TAB = Splitter.on('\t');

    public static final SystemCatalog INSTANCE = new SystemCatalog(); // after what it is made with

    private final Map<String, Relation.Definition> relations = new LinkedHashMap<>();
    private final Map<String, List<Object[]>> rows = new HashMap<>();
    private final Map<Integer, Type> types = new LinkedHashMap<>();
    private final Map<String, Type> typesByName = new HashMap<>();
    private final Map<Integer, String> procedures = new HashMap<>();

    /**
     * A type.
     *
     * @param element of an array or a vector, else 0
     */
    public record Type(int oid, String name, int length, int element, int array, int collation) {}

    private SystemCatalog() {
        for (String line : lines("relations.tsv")) {
            addRelation(TAB.splitToList(line));
        }
        String relation = "";
        int[] positions = {};
        for (String line : lines("rows.tsv")) {
            if (line.startsWith("# ")) {
                List<String> words = Splitter.on(' ').splitToList(line);
                relation = words.get(1);
                Relation.Definition definition = definition(PG_CATALOG, relation).orElseThrow();
                positions =
                        COMMA.splitToStream(words.get(2)).mapToInt(definition::indexOf).toArray();
            } else {
                addRow(definition(PG_CATALOG, relation).orElseThrow(), positions, line);
            }
        }
        rows.getOrDefault("pg_type", List.of()).forEach(this::addType);
        rows.getOrDefault("pg_proc", List.of())
                .forEach(
                        row ->
                                procedures.put(
                                        (int) CatalogValues.integer(row[0]), row[1].toString()));
    }

    private static List<String> lines(String resource) {
        try {
            return Resources.readLines(
                    Resources.getResource(SystemCatalog.class, resource), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Expected the resource " + resource, e);
        }
    }

    private void addRelation(List<String> line) {
        List<Relation.Column> columns = new ArrayList<>();
        for (String column : COMMA.split(line.get(4))) {
            int colon = column.lastIndexOf(':');
            columns.add(
                    new Relation.Column(
                            column.substring(0, colon), type(column.substring(colon + 1))));
        }
        int oid = Integer.parseInt(line.get(3));
        columns.add(new Relation.Column("tableoid", TypeOids.OID, true));
        relations.put(
                key(line.get(0), line.get(1)),
                new Relation.Definition(
                        line.get(0), line.get(1), line.get(2).charAt(0), oid, columns));
    }

    /** The base types of the domains of {@code information_schema}: which clients see. */
    private static int type(String text) {
        int oid = Integer.parseInt(text);
        return switch (oid) {
            case 13_221 -> TypeOids.INT4;
            case 13_224, 13_234 -> TypeOids.VARCHAR;
            case 13_226 -> TypeOids.NAME;
            case 13_229 -> TypeOids.TIMESTAMPTZ;
            default -> oid;
        };
    }

    private void addRow(Relation.Definition definition, int[] positions, String line) {
        Object[] row = emptyRow(definition);
        List<String> values = TAB.splitToList(line);
        for (int index = 0; index < positions.length; index++) {
            String text = values.get(index);
            if (!text.equals("\\N")) {
                int type = definition.columns().get(positions[index]).type();
                row[positions[index]] = read(text, type);
            }
        }
        rows.computeIfAbsent(definition.name(), ignored -> new ArrayList<>()).add(row);
    }

    private static Object read(String text, int type) {
        if (type == TypeOids.BOOL) {
            return CatalogValues.bool(text);
        }
        if (TypeOids.isVector(type)) {
            return new CatalogValues.Elements(ArrayText.parse(text, TypeOids.INT8), 0);
        }
        return TypeOids.isNumber(type) ? (Object) CatalogValues.integer(text) : text;
    }

    private void addType(Object[] row) {
        Relation.Definition pgType = definition(PG_CATALOG, "pg_type").orElseThrow();
        Type type =
                new Type(
                        (int) CatalogValues.integer(row[pgType.indexOf("oid")]),
                        row[pgType.indexOf("typname")].toString(),
                        (int) CatalogValues.integer(row[pgType.indexOf("typlen")]),
                        (int) CatalogValues.integer(row[pgType.indexOf("typelem")]),
                        (int) CatalogValues.integer(row[pgType.indexOf("typarray")]),
                        (int) CatalogValues.integer(row[pgType.indexOf("typcollation")]));
        types.put(type.oid(), type);
        typesByName.putIfAbsent(type.name(), type);
    }

    /** A row with NULL in every column but the hidden one. */
    public static Object[] emptyRow(Relation.Definition definition) {
        Object[] row = new Object[definition.columns().size()];
        Arrays.fill(row, CatalogValues.NULL);
        row[row.length - 1] = (long) definition.oid();
        return row;
    }

    private static String key(String schema, String name) {
        return schema + '.' + name;
    }

    Optional<Relation.Definition> definition(String schema, String name) {
        return Optional.ofNullable(relations.get(key(schema, name)));
    }

    /** All relations, by schema and name. */
    List<Relation.Definition> definitions() {
        return List.copyOf(relations.values());
    }

    /** The relations with the rows that they have in every catalog. */
    Map<String, List<Object[]>> rowsByRelation() {
        return rows.entrySet().stream()
                .collect(toImmutableMap(Map.Entry::getKey, entry -> List.copyOf(entry.getValue())));
    }

    public Optional<Type> type(int oid) {
        return Optional.ofNullable(types.get(oid));
    }

    /** The type of a name in {@code pg_type}, such as {@code int4}. */
    Optional<Type> typeNamed(String name) {
        return Optional.ofNullable(typesByName.get(name));
    }

    /** The array of a type; text's if there is none. */
    public int arrayOf(int element) {
        return type(element).map(Type::array).filter(oid -> oid != 0).orElse(TypeOids.TEXT_ARRAY);
    }

    /** The element of an array type or vector; 0 for other types. */
    public int elementOf(int type) {
        return type(type).filter(found -> isArray(found)).map(Type::element).orElse(0);
    }

    private static boolean isArray(Type type) {
        return type.element() != 0 && (type.length() == -1);
    }

    public Optional<String> procedureName(int oid) {
        return Optional.ofNullable(procedures.get(oid));
    }

    public Optional<Integer> procedureOid(String name) {
        return procedures.entrySet().stream()
                .filter(entry -> entry.getValue().equals(name))
                .map(Map.Entry::getKey)
                .min(Integer::compare);
    }
}
