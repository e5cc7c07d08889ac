package io.stele.sidecar.postgresql.catalog.relation;

import io.stele.engine.catalog.Catalog;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.auth.AuthenticatedUser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The system relations of one catalog version, with rows for the objects that a user sees, and
 * lookups between names and OIDs. Thread-safe: immutable.
 */
public final class CatalogRelations {
    private final long version;
    private final Map<String, Relation> relations; // by schema.name
    private final Map<String, Integer> namespaces = new HashMap<>();
    private final Map<Integer, String> namespaceNames = new HashMap<>();
    private final Map<Integer, List<String>> relationNames = new HashMap<>(); // schema and name
    private final Map<List<String>, Integer> relationOids = new HashMap<>();
    private final Map<Integer, UserRelation> users = new HashMap<>();
    private final Map<Integer, UserRelation.Index> indexes = new HashMap<>(); // or its constraint
    private final Map<Integer, UserRelation> indexedRelations = new HashMap<>();

    private final Map<Integer, Set<Privilege>> privileges = new HashMap<>(); // by user relation

    /**
     * @param user sees the tables and views on which access control gives it a privilege
     */
    public CatalogRelations(
            Catalog catalog, String database, AccessControl access, AuthenticatedUser user) {
        this.version = catalog.version();
        RelationRows rows = new RelationRows();
        PgCatalogRows pgCatalog = new PgCatalogRows(rows, database);
        InformationSchemaRows information = new InformationSchemaRows(rows, database);
        pgCatalog.addSystem();
        information.addSystem();
        addNamespace(SystemCatalog.PG_CATALOG, SystemCatalog.PG_CATALOG_OID);
        addNamespace(SystemCatalog.INFORMATION_SCHEMA, SystemCatalog.INFORMATION_SCHEMA_OID);
        for (Relation.Definition definition : SystemCatalog.INSTANCE.definitions()) {
            addName(definition.oid(), definition.schema(), definition.name());
        }
        ObjectIds ids = new ObjectIds();
        for (String schema : catalog.schemas()) {
            if (namespaces.containsKey(schema)) {
                continue; // a user's schema information_schema is hidden by the system's
            }
            // Also of objects that the user does not see, so that OIDs are the same for all users
            int namespace = ids.hashed(ObjectIds.Kind.NAMESPACE, schema);
            List<UserRelation> all = UserRelation.of(catalog, schema, ids);
            if (!access.seesSchema(user, schema)) {
                continue;
            }
            addNamespace(schema, namespace);
            pgCatalog.namespace(namespace, schema);
            information.schema(schema);
            for (UserRelation relation : all) {
                Set<Privilege> held = access.privileges(user, schema, relation.name());
                if (!held.isEmpty()) {
                    pgCatalog.add(relation, namespace);
                    information.add(relation);
                    add(relation);
                    privileges.put(relation.oid(), held);
                }
            }
        }
        this.relations = rows.build();
    }

    private void addNamespace(String name, int oid) {
        namespaces.put(name, oid);
        namespaceNames.put(oid, name);
    }

    private void addName(int oid, String schema, String name) {
        relationNames.put(oid, List.of(schema, name));
        relationOids.putIfAbsent(List.of(schema, name), oid);
    }

    private void add(UserRelation relation) {
        users.put(relation.oid(), relation);
        addName(relation.oid(), relation.schema(), relation.name());
        for (UserRelation.Index index : relation.indexes()) {
            addName(index.oid(), relation.schema(), index.name());
            indexes.put(index.oid(), index);
            indexedRelations.put(index.oid(), relation);
            if (index.isPrimary()) {
                indexes.put(index.constraintOid(), index);
                indexedRelations.put(index.constraintOid(), relation);
            }
        }
    }

    public long version() {
        return version;
    }

    /** The relation of a name; without a schema one of {@code pg_catalog}. */
    public Optional<Relation> find(Optional<String> schema, String name) {
        return Optional.ofNullable(
                relations.get(schema.orElse(SystemCatalog.PG_CATALOG) + "." + name));
    }

    public Optional<UserRelation> user(long oid) {
        return Optional.ofNullable(users.get((int) oid));
    }

    public Set<Privilege> privileges(UserRelation relation) {
        return privileges.getOrDefault(relation.oid(), Set.of());
    }

    /** An index by its OID or that of its constraint. */
    public Optional<UserRelation.Index> index(long oid) {
        return Optional.ofNullable(indexes.get((int) oid));
    }

    /** The table of an index or constraint. */
    public Optional<UserRelation> indexed(long oid) {
        return Optional.ofNullable(indexedRelations.get((int) oid));
    }

    public Optional<Integer> namespace(String name) {
        return Optional.ofNullable(namespaces.get(name));
    }

    public Optional<String> namespaceName(long oid) {
        return Optional.ofNullable(namespaceNames.get((int) oid));
    }

    public boolean hasRelation(long oid) {
        return relationNames.containsKey((int) oid);
    }

    /** Whether the path finds the relation by its bare name. */
    public boolean isVisible(long oid, List<String> path) {
        List<String> name = relationNames.get((int) oid);
        if (name == null) {
            return false;
        }
        return findOid(name.get(1), path).filter(found -> found == oid).isPresent();
    }

    private Optional<Integer> findOid(String name, List<String> path) {
        return path.stream()
                .filter(schema -> relationOids.containsKey(List.of(schema, name)))
                .map(schema -> relationOids.get(List.of(schema, name)))
                .findFirst();
    }

    /** The name of a relation, with its schema where the path does not find it. */
    public Optional<String> relationName(long oid, List<String> path) {
        return Optional.ofNullable(relationNames.get((int) oid))
                .map(
                        name ->
                                isVisible(oid, path)
                                        ? Definitions.quote(name.get(1))
                                        : Definitions.quote(name.get(0))
                                                + "."
                                                + Definitions.quote(name.get(1)));
    }

    /** The OID of a relation that is named as in SQL, with or without schema and quotes. */
    public Optional<Integer> relationOid(String written, List<String> path) {
        List<String> parts = nameParts(written);
        return switch (parts.size()) {
            case 1 -> findOid(parts.get(0), path);
            case 2, 3 ->
                    Optional.ofNullable(
                            relationOids.get(parts.subList(parts.size() - 2, parts.size())));
            default -> Optional.empty();
        };
    }

    /** The parts of a name: folded to lower case where they are not in quotes. */
    public static List<String> nameParts(String written) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        boolean isQuoted = false;
        for (int index = 0; index < written.length(); index++) {
            char character = written.charAt(index);
            boolean isEscape =
                    isQuoted
                            && character == '"'
                            && index + 1 < written.length()
                            && written.charAt(index + 1) == '"';
            if (isEscape) {
                part.append('"');
                index++;
            } else if (character == '"') {
                isQuoted = !isQuoted;
            } else if (character == '.' && !isQuoted) {
                parts.add(part.toString());
                part.setLength(0);
            } else {
                part.append(isQuoted ? character : Character.toLowerCase(character));
            }
        }
        parts.add(part.toString());
        return List.copyOf(parts);
    }
}
