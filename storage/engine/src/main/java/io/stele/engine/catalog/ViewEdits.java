package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ViewSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The views of the next catalog version while a {@link CatalogEdit} builds it, with the checks of
 * view statements. Confined to one thread.
 */
final class ViewEdits {
    /** The maximal number of views of one catalog. */
    static final int MAX_VIEWS = 10_000;

    /**
     * The maximal number of characters of all definitions and refreshes, which every version
     * contains.
     */
    static final long MAX_CHARACTERS = 16L << 20;

    private final Catalog base;
    private final List<ViewSchema> views;

    ViewEdits(Catalog base, List<ViewSchema> views) {
        this.base = requireNonNull(base, "base is null");
        this.views = new ArrayList<>(views);
    }

    List<ViewSchema> all() {
        return List.copyOf(views);
    }

    List<ViewSchema> inSchema(String schemaName) {
        return views.stream().filter(view -> view.schemaName().equals(schemaName)).toList();
    }

    void dropSchema(String schemaName) {
        views.removeIf(view -> view.schemaName().equals(schemaName));
    }

    void renameSchema(String from, String to) {
        views.replaceAll(
                view -> view.schemaName().equals(from) ? view.withName(to, view.viewName()) : view);
    }

    /**
     * Adds a view, or replaces the view of its name and kind; returns the replaced view.
     *
     * @throws SteleException TABLE_ALREADY_EXISTS, or INVALID_ARGUMENT naming the limit
     */
    Optional<ViewSchema> create(ViewSchema view, boolean replace) {
        Optional<ViewSchema> old = base.findView(view.schemaName(), view.viewName());
        boolean makesRoom = replace && old.filter(there -> isSameKind(there, view)).isPresent();
        if (old.isPresent() && !makesRoom) {
            throw new SteleException(
                    ErrorCode.TABLE_ALREADY_EXISTS,
                    "Expected a new view, found %s '%s' existing"
                            .formatted(
                                    old.get().isMaterialized() ? "materialized view" : "view",
                                    view.qualifiedName()));
        }
        old.ifPresent(views::remove);
        add(view);
        return old;
    }

    private static boolean isSameKind(ViewSchema one, ViewSchema other) {
        return one.isMaterialized() == other.isMaterialized();
    }

    ViewSchema drop(String schemaName, String viewName, boolean materialized) {
        ViewSchema view = base.view(schemaName, viewName, materialized);
        views.remove(view);
        return view;
    }

    ViewSchema replace(ViewSchema old, ViewSchema changed) {
        views.remove(old);
        add(changed);
        return changed;
    }

    /** STALE_TABLE unless the view has this revision. */
    ViewSchema require(String schemaName, String viewName, boolean materialized, long revision) {
        ViewSchema view = base.view(schemaName, viewName, materialized);
        if (view.revision() != revision) {
            throw new SteleException(
                    ErrorCode.STALE_TABLE,
                    "Expected a change of revision %d of view '%s', found revision %d: it was changed meanwhile"
                            .formatted(view.revision(), view.qualifiedName(), revision));
        }
        return view;
    }

    /** The materialized view whose rows are in a table; STALE_TABLE if there is none. */
    ViewSchema require(TableId storageTable) {
        return views.stream()
                .filter(view -> view.storageTable().filter(storageTable::equals).isPresent())
                .findFirst()
                .orElseThrow(
                        () ->
                                new SteleException(
                                        ErrorCode.STALE_TABLE,
                                        "Expected the materialized view of table id %s, found none: it was dropped or replaced"
                                                .formatted(storageTable)));
    }

    private void add(ViewSchema view) {
        views.add(view);
        if (views.size() > MAX_VIEWS) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected at most " + MAX_VIEWS + " views, found " + views.size());
        }
        long characters = views.stream().mapToLong(ViewEdits::characters).sum();
        if (characters > MAX_CHARACTERS) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected definitions of views of at most %d characters together, found %d"
                            .formatted(MAX_CHARACTERS, characters));
        }
    }

    private static long characters(ViewSchema view) {
        return (long) view.definition().length() + view.refresh().map(String::length).orElse(0);
    }
}
