package io.stele.connector.metadata;

import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IdentifiedType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A comparison of two versions of a table's columns, as a list of ALTER TABLE clauses. Stateless.
 */
final class SchemaChanges {
    private SchemaChanges() {}

    /** The changes, one text for each; not empty. */
    static List<String> between(List<ColumnSchema> before, List<ColumnSchema> after) {
        List<String> changes = new ArrayList<>();
        for (ColumnSchema column : before) {
            if (find(after, column.id()).isEmpty()) {
                changes.add("DROP COLUMN " + column.name());
            }
        }
        for (ColumnSchema column : after) {
            Optional<ColumnSchema> earlier = find(before, column.id());
            if (earlier.isEmpty()) {
                changes.add("ADD COLUMN " + column.name() + " " + column.type().text());
            } else {
                addChanges(earlier.get(), column, changes);
            }
        }
        return changes.isEmpty() ? List.of("other") : List.copyOf(changes);
    }

    private static void addChanges(ColumnSchema before, ColumnSchema after, List<String> changes) {
        if (!before.name().equals(after.name())) {
            changes.add("RENAME COLUMN " + before.name() + " TO " + after.name());
        }
        if (!before.nullable() && after.nullable()) {
            changes.add("ALTER COLUMN " + after.name() + " DROP NOT NULL");
        }
        addChanges(after.name(), IdentifiedType.of(before), IdentifiedType.of(after), changes);
    }

    private static void addChanges(
            String path, IdentifiedType before, IdentifiedType after, List<String> changes) {
        if (before.equals(after)) {
            return;
        }
        if (after.children().isEmpty()) {
            changes.add("ALTER COLUMN " + path + " SET DATA TYPE " + after.type().text());
            return;
        }
        for (IdentifiedType.Child field : before.children()) {
            if (find(after, field).isEmpty()) {
                changes.add("DROP COLUMN " + path + "." + name(field));
            }
        }
        for (IdentifiedType.Child field : after.children()) {
            Optional<IdentifiedType.Child> earlier = find(before, field);
            String fieldPath = path + "." + name(field);
            if (earlier.isEmpty()) {
                changes.add("ADD COLUMN " + fieldPath + " " + field.type().type().text());
                continue;
            }
            if (!name(earlier.get()).equals(name(field))) {
                changes.add(
                        "RENAME COLUMN " + path + "." + name(earlier.get()) + " TO " + name(field));
            }
            addChanges(fieldPath, earlier.get().type(), field.type(), changes);
        }
    }

    private static String name(IdentifiedType.Child field) {
        return field.name().orElse("field");
    }

    private static Optional<ColumnSchema> find(List<ColumnSchema> columns, int id) {
        return columns.stream().filter(column -> column.id() == id).findFirst();
    }

    /** Parts of arrays and maps have no ids, but names. */
    private static Optional<IdentifiedType.Child> find(
            IdentifiedType type, IdentifiedType.Child wanted) {
        return type.children().stream()
                .filter(
                        field ->
                                field.id() == wanted.id()
                                        && (field.id() > 0 || field.name().equals(wanted.name())))
                .findFirst();
    }
}
