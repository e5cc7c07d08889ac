package io.stele.engine.catalog;

import io.stele.protocol.TableId;
import io.stele.protocol.api.catalog.TableName;
import io.stele.protocol.schema.ViewSchema;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A bounded in-memory log of the names of relations (tables and views) whose meaning changed at
 * recent catalog versions, for clients that cache metadata. Thread-safe.
 *
 * <p>Invariant: a name that had another meaning in version {@code v} than in {@link #version} is
 * among {@link #since} of {@code v}, if the log reaches back to {@code v}.
 */
public final class CatalogChanges implements CatalogListener {
    /** About 1 MB; a coordinator that missed more drops its whole cache. */
    private static final int REMEMBERED = 10_000;

    private final ChangeLog<TableName> log;

    /**
     * @param version the present version of the catalog, whose later changes are logged
     */
    public CatalogChanges(long version) {
        this.log = new ChangeLog<>(version, REMEMBERED);
    }

    @Override
    public void catalogChanged(Catalog before, Catalog after) {
        if (before.version() == log.version()) {
            log.advance(after.version(), changed(before, after));
        } else {
            log.restart(after.version());
        }
    }

    /** The catalog version up to which the log is complete. */
    public long version() {
        return log.version();
    }

    /**
     * The names that changed after a version; empty if the log does not reach back to it, so that
     * any name may have changed.
     */
    public Optional<List<TableName>> since(long known) {
        return log.since(known);
    }

    private static Set<TableName> changed(Catalog before, Catalog after) {
        Set<TableName> names = new LinkedHashSet<>();
        addDifferent(tables(before), tables(after), names);
        addDifferent(views(before), views(after), names);
        return names;
    }

    private static <K, V extends Named> void addDifferent(
            Map<K, V> before, Map<K, V> after, Set<TableName> names) {
        before.forEach(
                (key, old) -> {
                    V now = after.get(key);
                    if (!Objects.equals(old, now)) {
                        names.add(old.name());
                    }
                });
        after.forEach(
                (key, now) -> {
                    if (!Objects.equals(now, before.get(key))) {
                        names.add(now.name());
                    }
                });
    }

    private static Map<TableId, NamedTable> tables(Catalog catalog) {
        Map<TableId, NamedTable> tables = new HashMap<>();
        catalog.tables().forEach(entry -> tables.put(entry.schema().id(), new NamedTable(entry)));
        return tables;
    }

    private static Map<TableName, NamedView> views(Catalog catalog) {
        Map<TableName, NamedView> views = new HashMap<>();
        for (String schema : catalog.schemas()) {
            for (ViewSchema view : catalog.listViews(schema)) {
                NamedView named = new NamedView(view);
                views.put(named.name(), named);
            }
        }
        return views;
    }

    private interface Named {
        TableName name();
    }

    private record NamedTable(TableEntry entry) implements Named {
        @Override
        public TableName name() {
            return new TableName(entry.schema().schemaName(), entry.schema().tableName());
        }
    }

    private record NamedView(ViewSchema view) implements Named {
        @Override
        public TableName name() {
            return new TableName(view.schemaName(), view.viewName());
        }
    }
}
