package io.stele.protocol.schema;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;

/**
 * A type with permanent ids of its row fields, by which files and rows of earlier schema versions
 * are matched after renames. It is a tree as deep as the type. Immutable.
 *
 * <p>The ids of a type are listed in depth-first order: a field before the fields inside it, then
 * the next field, also inside the elements of arrays, and inside the keys, then the values of maps.
 *
 * @param type the type
 * @param children the fields of a row; or the element of an array, or key and value of a map, with
 *     id 0
 */
public record IdentifiedType(DataType type, List<Child> children) {
    /** Name of an array's element in paths, as in Trino. */
    public static final String ELEMENT = "element";

    /** Name of a map's key in paths. */
    public static final String KEY = "key";

    /** Name of a map's value in paths. */
    public static final String VALUE = "value";

    public IdentifiedType {
        requireNonNull(type, "type is null");
        children = List.copyOf(children);
    }

    /**
     * A part of a type.
     *
     * @param id {@code > 0} for a row field, unique in its column for ever; 0 for other parts
     * @param name name, absent for an anonymous field
     */
    public record Child(int id, Optional<String> name, IdentifiedType type) {
        public Child {
            requireNonNull(name, "name is null");
            requireNonNull(type, "type is null");
        }

        Child withType(IdentifiedType newType) {
            return new Child(id, name, newType);
        }
    }

    /** A column's type with the ids of its fields. */
    public static IdentifiedType of(ColumnSchema column) {
        List<Integer> ids = column.nestedFieldIds();
        return of(column.type(), ids.iterator()::next);
    }

    /** A type whose fields get ids from a source, in order. */
    public static IdentifiedType of(DataType type, IntSupplier ids) {
        List<Child> children = new ArrayList<>();
        switch (type.kind()) {
            case ROW -> {
                for (RowType.Field field : ((RowType) type).fields()) {
                    int id = ids.getAsInt();
                    children.add(new Child(id, field.name(), of(field.type(), ids)));
                }
            }
            case ARRAY -> children.add(part(ELEMENT, ((ArrayType) type).element(), ids));
            case MAP -> {
                children.add(part(KEY, ((MapType) type).key(), ids));
                children.add(part(VALUE, ((MapType) type).value(), ids));
            }
            default -> {}
        }
        return new IdentifiedType(type, children);
    }

    private static Child part(String name, DataType type, IntSupplier ids) {
        return new Child(0, Optional.of(name), of(type, ids));
    }

    /** The number of row fields of a type, at all levels. */
    public static int fieldCount(DataType type) {
        return of(type, () -> 0).ids().size();
    }

    /** The ids of all row fields, at all levels, in depth-first order. */
    public List<Integer> ids() {
        List<Integer> ids = new ArrayList<>();
        addIds(ids);
        return List.copyOf(ids);
    }

    private void addIds(List<Integer> ids) {
        for (Child child : children) {
            if (type.kind() == TypeKind.ROW) {
                ids.add(child.id());
            }
            child.type().addIds(ids);
        }
    }

    /**
     * The row type with only the fields on the given paths; empty if it has none of them. Types
     * other than rows are returned unchanged.
     *
     * @param paths of field ids, the outermost first; an empty path selects everything
     */
    public Optional<IdentifiedType> keeping(List<List<Integer>> paths) {
        if (type.kind() != TypeKind.ROW || paths.stream().anyMatch(List::isEmpty)) {
            return Optional.of(this);
        }
        List<Child> kept = new ArrayList<>();
        for (Child child : children) {
            List<List<Integer>> inside =
                    paths.stream()
                            .filter(path -> path.get(0) == child.id())
                            .map(path -> path.subList(1, path.size()))
                            .toList();
            if (!inside.isEmpty()) {
                child.type().keeping(inside).map(child::withType).ifPresent(kept::add);
            }
        }
        return kept.isEmpty() ? Optional.empty() : Optional.of(withChildren(kept));
    }

    /** The type of a nested field; empty if there is none. */
    public Optional<IdentifiedType> at(List<Integer> path) {
        if (path.isEmpty()) {
            return Optional.of(this);
        }
        return type.kind() == TypeKind.ROW
                ? children.stream()
                        .filter(child -> child.id() == path.get(0))
                        .findFirst()
                        .flatMap(child -> child.type().at(path.subList(1, path.size())))
                : Optional.empty();
    }

    /** This kind of type with other parts. */
    IdentifiedType withChildren(List<Child> newChildren) {
        DataType newType =
                switch (type.kind()) {
                    case ROW ->
                            new RowType(
                                    newChildren.stream()
                                            .map(
                                                    child ->
                                                            new RowType.Field(
                                                                    child.name(),
                                                                    child.type().type()))
                                            .toList());
                    case ARRAY -> new ArrayType(newChildren.get(0).type().type());
                    case MAP ->
                            new MapType(
                                    newChildren.get(0).type().type(),
                                    newChildren.get(1).type().type());
                    default -> type;
                };
        return new IdentifiedType(newType, newChildren);
    }
}
