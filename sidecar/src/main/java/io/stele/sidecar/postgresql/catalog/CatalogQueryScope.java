package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names that a catalog query's expressions can use: its sources, common tables and slots, and
 * the scope around it. Confined to the compilation of one statement.
 */
final class CatalogQueryScope {
    private final @Nullable CatalogQueryScope outer;
    private final List<Source> sources = new ArrayList<>();
    private final Map<String, CommonTable> commonTables = new HashMap<>();
    private final Slots slots = new Slots();
    private BitSet references = new BitSet();
    private boolean usesOuter;

    CatalogQueryScope(Optional<CatalogQueryScope> outer) {
        this.outer = outer.orElse(null);
    }

    /**
     * A query of a WITH clause.
     *
     * @param isVolatile whether its rows can change while the statement runs
     */
    record CommonTable(List<Relation.Column> columns, boolean isVolatile, Source.Rows rows) {
        CommonTable {
            columns = List.copyOf(columns);
        }
    }

    List<Source> sources() {
        return sources;
    }

    Slots slots() {
        return slots;
    }

    /** Whether rows of the query depend on a query around it. */
    boolean usesOuter() {
        return usesOuter;
    }

    void add(String name, CommonTable table) {
        commonTables.put(name, table);
    }

    Optional<CommonTable> commonTable(String name) {
        CommonTable found = commonTables.get(name);
        if (found != null) {
            return Optional.of(found);
        }
        if (outer == null) {
            return Optional.empty();
        }
        Optional<CommonTable> further = outer.commonTable(name);
        usesOuter |= further.filter(CommonTable::isVolatile).isPresent();
        return further;
    }

    /** The numbers of the sources that expressions compiled meanwhile refer to. */
    BitSet referencesOf(Runnable compilation) {
        BitSet before = references;
        references = new BitSet();
        compilation.run();
        BitSet found = references;
        references = before;
        references.or(found);
        return found;
    }

    /** The column of a name; fails if there is none, or more than one. */
    Typed column(Optional<String> schema, Optional<String> table, String name) {
        return find(schema, table, name, 0)
                .orElseThrow(
                        () ->
                                CatalogValues.invalid(
                                        "a column of the relations in FROM",
                                        table.map(text -> text + ".").orElse("") + name));
    }

    boolean has(Optional<String> table, String name) {
        return find(Optional.empty(), table, name, 0).isPresent();
    }

    private Optional<Typed> find(
            Optional<String> schema, Optional<String> table, String name, int depth) {
        int sourceIndex = -1;
        int columnIndex = -1;
        for (int index = 0; index < sources.size(); index++) {
            Source source = sources.get(index);
            boolean isNamed =
                    table.isEmpty()
                            || (source.name().equals(table.get())
                                    && (schema.isEmpty() || source.schema().equals(schema)));
            int found = isNamed ? source.indexOf(name) : -1;
            if (found >= 0 && columnIndex >= 0 && !isHidden(sourceIndex, columnIndex)) {
                if (isHidden(index, found)) {
                    continue;
                }
                throw CatalogValues.invalid("a column of one relation only", name + " of several");
            }
            if (found >= 0) {
                sourceIndex = index;
                columnIndex = found;
            }
        }
        if (columnIndex < 0) {
            return findOuter(schema, table, name, depth);
        }
        references.set(sourceIndex);
        return Optional.of(reference(depth, sourceIndex, columnIndex));
    }

    private boolean isHidden(int source, int column) {
        return sources.get(source).columns().get(column).isHidden();
    }

    private Optional<Typed> findOuter(
            Optional<String> schema, Optional<String> table, String name, int depth) {
        if (outer == null) {
            return Optional.empty();
        }
        Optional<Typed> found = outer.find(schema, table, name, depth + 1);
        usesOuter |= found.isPresent();
        return found;
    }

    private Typed reference(int depth, int source, int column) {
        int type = sources.get(source).columns().get(column).type();
        return new Typed(type, frame -> frame.at(depth).tuple()[source][column]);
    }

    /** All columns that {@code *} stands for, or {@code table.*}. */
    List<Named> columns(Optional<String> table) {
        List<Named> columns = new ArrayList<>();
        boolean isFound = false;
        for (int source = 0; source < sources.size(); source++) {
            if (table.isPresent() && !sources.get(source).name().equals(table.get())) {
                continue;
            }
            isFound = true;
            references.set(source);
            List<Relation.Column> all = sources.get(source).columns();
            for (int column = 0; column < all.size(); column++) {
                if (!all.get(column).isHidden()) {
                    columns.add(new Named(all.get(column).name(), reference(0, source, column)));
                }
            }
        }
        if (!isFound) {
            throw CatalogValues.invalid("a relation in FROM before *", table.orElse("none"));
        }
        return columns;
    }

    /** An item of a SELECT list. */
    record Named(String name, Typed expression) {
        Named {
            requireNonNull(name, "name is null");
        }
    }
}
